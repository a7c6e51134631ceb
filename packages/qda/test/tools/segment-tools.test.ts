import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CodedProject, openCodedProject, operator } from '../support/coded-project.js'

const plain = 'The garden was quiet. The water came back.'
const emoji = '👋🏽 hello 👩‍👩‍👧 world'

let project: CodedProject

beforeEach(async () => {
  project = await openCodedProject([plain, emoji])
})

afterEach(() => project[Symbol.asyncDispose]())

const ids = (segments: readonly { id: number }[]) => segments.map(({ id }) => id)

describe('list_segments_for_source', () => {
  it('lists segments by place, with what is known of each', async () => {
    project.coding({ at: [22, 31], text: 'The water', memo: 'note ##### secret', important: 1 })
    project.coding({ at: [4, 10], text: 'garden', code: 2, owner: 'bob' })
    project.coding({ at: [4, 8], text: 'gard' })
    const answer = await project.call('list_segments_for_source', { source_id: 1 })
    expect(ids(answer['data'])).toEqual([3, 2, 1])
    expect(answer['data'][2]).toEqual({
      ...{ id: 1, source_id: 1, code_id: 1, code_name: 'Hope', start_position: 22, end_position: 31 },
      ...{ selected_text: 'The water', memo: 'note', importance: 1, owner: 'ada' },
      ...{ created_at: '2026-01-01 10:00:00', verified: 'exact', raw_start: 22, raw_end: 31 },
    })
    expect(answer).toMatchObject({ success: true, total_count: 3, next_cursor: null, media_codings: [] })
    const { data } = await project.call('list_segments_for_source', { source_id: 1, code_id: 2 })
    expect(ids(data)).toEqual([2])
  })

  it('points at the text that was found, and keeps what is stored beside it', async () => {
    const units = emoji.indexOf('world')
    const start = [...emoji].length - 5
    project.coding({ source: 2, at: [units, units + 5], text: 'world' })
    project.coding({ at: [0, 6], text: 'garden' })
    project.coding({ at: [900, 950], text: 'nowhere' })
    const { data: second } = await project.call('list_segments_for_source', { source_id: 2 })
    expect(second).toMatchObject([
      { verified: 'utf16', start_position: start, end_position: start + 5, raw_start: units, selected_text: 'world' },
    ])
    const { data: first } = await project.call('list_segments_for_source', { source_id: 1 })
    expect(first).toMatchObject([
      { verified: 'shifted', start_position: 4, end_position: 10, raw_start: 0, raw_end: 6, selected_text: 'garden' },
      { verified: 'broken', start_position: 42, end_position: 42, raw_start: 900, selected_text: 'nowhere' },
    ])
    expect(project.codings()).toMatchObject([{ pos0: units }, { pos0: 0 }, { pos0: 900 }])
  })

  it('leaves out what hidden coders coded', async () => {
    project.db.exec("INSERT INTO coder_names (name, visibility) VALUES ('ghost', 0), ('ada', 1)")
    project.coding({ at: [4, 10], text: 'garden', owner: 'ghost' })
    project.coding({ at: [4, 10], text: 'garden' })
    const answer = await project.call('list_segments_for_source', { source_id: 1 })
    expect(ids(answer['data'])).toEqual([2])
    expect(answer['total_count']).toBe(1)
  })

  it('goes on behind the last segment of a page, whatever came in between', async () => {
    for (const start of [0, 4, 11, 15]) project.coding({ at: [start, start + 3], text: plain.slice(start, start + 3) })
    const first = await project.call('list_segments_for_source', { source_id: 1, limit: 2 })
    expect(ids(first['data'])).toEqual([1, 2])
    project.coding({ at: [1, 3], text: 'he' })
    const cursor = first['next_cursor']
    const second = await project.call('list_segments_for_source', { source_id: 1, limit: 2, cursor })
    expect(ids(second['data'])).toEqual([3, 4])
    expect(second).toMatchObject({ next_cursor: null, total_count: 5 })
  })

  it('shows codings of images, audio and video beside it', async () => {
    project.db.exec(`INSERT INTO code_image (imid, id, x1, y1, width, height, cid, memo, owner, important)
      VALUES (5, 1, 10, 20, 30, 40, 1, 'face', 'ada', 1)`)
    project.db.exec(
      `INSERT INTO code_av (avid, id, pos0, pos1, cid, memo, owner) VALUES (6, 1, 1500, 2500, 2, '', 'ada')`,
    )
    const { media_codings: media } = await project.call('list_segments_for_source', { source_id: 1 })
    expect(media).toMatchObject([
      { kind: 'image', id: 5, code_name: 'Hope', memo: 'face', importance: 1, area: { x: 10, width: 30 } },
      { kind: 'av', id: 6, code_name: 'Fear', memo: null, importance: 0, start_ms: 1500, end_ms: 2500 },
    ])
  })

  it('bears rows that hold anything', async () => {
    project.db.exec(`INSERT INTO code_text (cid, fid, pos0, pos1, seltext, owner, memo)
      VALUES ('x', 1, 'a', NULL, x'00ff', NULL, x'01'), (NULL, 1, 1.5, -3, NULL, 7, 8)`)
    const { success, data } = await project.call('list_segments_for_source', { source_id: 1 })
    expect(success).toBe(true)
    expect(data).toMatchObject([{ verified: 'broken' }, { verified: 'broken' }])
  })

  it.each([
    [{ source_id: 9 }, 'SOURCE_NOT_FOUND'],
    [{ source_id: 1, code_id: 9 }, 'CODE_NOT_FOUND'],
    [{ source_id: 1, cursor: 'x' }, 'INVALID_ARGUMENT'],
    [{ source_id: 1, limit: 0 }, 'INVALID_ARGUMENT'],
    [{}, 'MISSING_PARAMETER'],
  ])('refuses %j', async (args, code) => {
    expect(await project.call('list_segments_for_source', args)).toMatchObject({ success: false, error_code: code })
  })
})

describe('list_segments_for_code', () => {
  it('lists segments by source and place, in pages', async () => {
    project.coding({ source: 2, at: [3, 8], text: 'hello' })
    project.coding({ at: [22, 31], text: 'The water' })
    project.coding({ at: [4, 10], text: 'garden' })
    project.coding({ at: [4, 10], text: 'garden', code: 2 })
    const all = await project.call('list_segments_for_code', { code_id: 1 })
    expect(ids(all['data'])).toEqual([3, 2, 1])
    expect(all).toMatchObject({ total_count: 3, next_cursor: null })
    const first = await project.call('list_segments_for_code', { code_id: 1, limit: 2 })
    expect(ids(first['data'])).toEqual([3, 2])
    const rest = await project.call('list_segments_for_code', { code_id: 1, limit: 2, cursor: first['next_cursor'] })
    expect(ids(rest['data'])).toEqual([1])
    expect(rest).toMatchObject({ total_count: 3, next_cursor: null })
  })

  it('refuses an unknown code, and the cursor of another list', async () => {
    project.coding({ at: [4, 10], text: 'garden' })
    project.coding({ at: [5, 10], text: 'arden' })
    const { next_cursor: cursor } = await project.call('list_segments_for_source', { source_id: 1, limit: 1 })
    expect(await project.call('list_segments_for_code', { code_id: 9 })).toMatchObject({ error_code: 'CODE_NOT_FOUND' })
    const answer = await project.call('list_segments_for_code', { code_id: 1, cursor })
    expect(answer).toMatchObject({ error_code: 'INVALID_ARGUMENT', details: { path: 'cursor' } })
  })
})

describe('remove_coding', () => {
  it('removes what the agent coded at once, and what belongs to it', async () => {
    const operations = [{ code_id: 1, source_id: 1, quote: 'garden', importance: 3 }]
    await project.call('batch_apply_codes', { operations })
    const answer = await project.call('remove_coding', { segment_id: 1 })
    const data = {
      ...{ removed: true, segment_id: 1, code_id: 1, source_id: 1, start_position: 4, end_position: 10 },
      ...{ selected_text: 'garden', owner: 'AI Agent (main)', change_set_id: expect.any(String) },
    }
    expect(answer).toEqual({ success: true, ...data, data })
    expect(project.codings()).toEqual([])
    expect(await project.call('remove_coding', { segment_id: 1 })).toMatchObject({ error_code: 'SEGMENT_NOT_FOUND' })
    await project.call('undo_change_set', { change_set_id: answer['change_set_id'] })
    const { data: back } = await project.call('list_segments_for_source', { source_id: 1 })
    expect(back).toMatchObject([{ id: 1, importance: 3 }])
  })

  it("shows another coder's first, and removes it once that is confirmed", async () => {
    project.coding({ at: [4, 10], text: 'garden' })
    const preview = await project.call('remove_coding', { segment_id: 1 })
    expect(preview).toMatchObject({ preview: true, requires_approval: true, owner: 'ada', selected_text: 'garden' })
    expect(project.codings()).toHaveLength(1)
    const { preview_token } = preview
    const removed = await project.call('remove_coding', { segment_id: 1, confirm: true, preview_token })
    expect(removed).toMatchObject({ success: true, removed: true })
    expect(project.codings()).toEqual([])
  })

  it("does not know hidden coders' segments", async () => {
    project.db.exec("INSERT INTO coder_names (name, visibility) VALUES ('ghost', 0)")
    project.coding({ at: [4, 10], text: 'garden', owner: 'ghost' })
    const answer = await project.call('remove_coding', { segment_id: 1, confirm: true })
    expect(answer).toMatchObject({ error_code: 'SEGMENT_NOT_FOUND' })
    expect(project.codings()).toHaveLength(1)
  })
})

describe('search_segments', () => {
  beforeEach(() => {
    project.coding({ at: [4, 10], text: 'garden', memo: 'a place ##### water' })
    project.coding({ at: [22, 31], text: 'The water', code: 2 })
    project.coding({ source: 2, at: [3, 8], text: 'hello', memo: 'WATERS deep' })
  })

  const search = (args: object) => project.call('search_segments', args)

  it('looks at what is coded and at the open part of memos', async () => {
    const { data } = await search({ pattern: 'water' })
    expect(data).toMatchObject({ total_count: 2, next_cursor: null })
    expect(data.segments).toMatchObject([
      { id: 2, matched_in: ['text'] },
      { id: 3, matched_in: ['memo'] },
    ])
  })

  it.each([
    [{ match: 'word' }, [2]],
    [{ case_sensitive: true }, [2]],
    [{ fields: ['memo'] }, [3]],
    [{ code_ids: [1] }, [3]],
    [{ source_ids: [1] }, [2]],
    [{ pattern: 'a.*r' }, []],
  ])('narrows by %j', async (more, wanted) => {
    const { data } = await search({ pattern: 'water', ...more })
    expect(ids(data.segments)).toEqual(wanted)
  })

  it('has pages', async () => {
    const { data: first } = await search({ pattern: 'water', limit: 1 })
    expect(ids(first.segments)).toEqual([2])
    const { data: second } = await search({ pattern: 'water', limit: 1, cursor: first.next_cursor })
    expect(ids(second.segments)).toEqual([3])
    expect(second).toMatchObject({ total_count: 2, next_cursor: null })
  })
})

describe('verify_project', () => {
  it('finds nothing wrong in a project that is right', async () => {
    project.coding({ at: [4, 10], text: 'garden' })
    const { data } = await project.call('verify_project')
    expect(data).toEqual({ ok: true, total_count: 0, counts: {}, issues: [], truncated: false })
  })

  it('names each thing that is wrong', async () => {
    const { db } = project
    const units = emoji.indexOf('world')
    project.coding({ source: 2, at: [units, units + 5], text: 'world' })
    project.coding({ at: [0, 6], text: 'garden' })
    project.coding({ at: [900, 950], text: 'nowhere' })
    project.coding({ code: 77, at: [4, 10], text: 'garden' })
    db.exec(`
      INSERT INTO code_cat (catid, name, supercatid) VALUES (1, 'A', 2), (2, 'B', 1), (3, 'C', 1), (4, 'a', NULL);
      INSERT INTO code_name (cid, name, supercid) VALUES (8, 'loop', 8), (9, 'HOPE', NULL);
      INSERT INTO case_text (id, caseid, fid) VALUES (1, 44, 1);
      INSERT INTO attribute (attrid, name, attr_type, id) VALUES (1, 'x', 'file', 55), (2, 'x', 'case', 1);
      INSERT INTO source (id, name, fulltext, mediapath) VALUES (5, 'gone', '', '/docs/gone.pdf'), (6, 'far', '', 'docs:/no/such/file');
    `)
    const { data } = await project.call('verify_project')
    expect(data.ok).toBe(false)
    const found = data.issues.map(({ kind, table, row_id }: Record<string, unknown>) => `${kind} ${table} ${row_id}`)
    expect(found.toSorted()).toEqual([
      'coding_broken code_text 3',
      'coding_shifted code_text 2',
      'coding_utf16 code_text 1',
      'cycle code_cat 1',
      'cycle code_cat 2',
      'cycle code_name 8',
      'dangling attribute 1',
      'dangling attribute 2',
      'dangling case_text 1',
      'dangling code_text 4',
      'missing_file source 5',
      'missing_file source 6',
      'name_clash code_cat 4',
      'name_clash code_name 9',
    ])
    expect(data).toMatchObject({
      total_count: 14,
      truncated: false,
      counts: { cycle: 3, dangling: 4, missing_file: 2 },
    })
  })

  it('lists the first thousand, and counts all', async () => {
    const many = project.db.prepare(
      "INSERT INTO code_text (cid, fid, pos0, pos1, seltext, owner) VALUES (1, 1, ?, 0, 'x', 'ada')",
    )
    project.db.transaction(() => {
      for (let pos = 0; pos < 1_200; pos += 1) many.run(1_000 + pos)
    })()
    const { data } = await project.call('verify_project')
    expect(data.issues).toHaveLength(1_000)
    expect(data).toMatchObject({ total_count: 1_200, truncated: true })
  })
})

describe('repair_positions', () => {
  const asOperator = async (args: object = {}) => {
    await project.call('open_project', { path: project.path }, operator)
    return project.call('repair_positions', args, operator)
  }

  it('waits for a person where an agent calls', async () => {
    project.coding({ at: [0, 6], text: 'garden' })
    const answer = await project.call('repair_positions', {})
    expect(answer['data']).toMatchObject({ status: 'pending_approval', requires_approval: true })
    expect(project.codings()).toMatchObject([{ pos0: 0 }])
    const approved = await project.call('approve_suggestion', { id: answer['data'].suggestion_id }, operator)
    expect(approved).toMatchObject({ success: true, data: { status: 'approved' } })
    expect(project.codings()).toMatchObject([{ pos0: 4, pos1: 10 }])
  })

  it('is stale once the text stands elsewhere', async () => {
    project.coding({ at: [0, 6], text: 'garden' })
    const answer = await project.call('repair_positions', {})
    project.setText(1, `> ${plain}`)
    const approved = await project.call('approve_suggestion', { id: answer['data'].suggestion_id }, operator)
    expect(approved).toMatchObject({ data: { status: 'stale' } })
    expect(project.codings()).toMatchObject([{ pos0: 0 }])
  })

  it('stores code points where the text stands, keeps importance, and leaves broken ones alone', async () => {
    const units = emoji.indexOf('world')
    const at = [...emoji].length - 5
    await project.call('batch_apply_codes', {
      operations: [{ code_id: 1, source_id: 1, quote: 'garden', importance: 3 }],
    })
    project.setText(1, `>> ${plain}`)
    project.coding({ source: 2, at: [units, units + 5], text: 'world' })
    project.coding({ at: [900, 950], text: 'nowhere' })
    const { data } = await asOperator()
    expect(data.repaired).toEqual([
      {
        ...{ segment_id: 1, verified: 'shifted' },
        ...{ old: { start_position: 4, end_position: 10 }, new: { start_position: 7, end_position: 13 } },
      },
      {
        ...{ segment_id: 2, verified: 'utf16' },
        ...{
          old: { start_position: units, end_position: units + 5 },
          new: { start_position: at, end_position: at + 5 },
        },
      },
    ])
    expect(data).toMatchObject({ skipped: [{ segment_id: 3 }], skipped_count: 1, remaining: 0 })
    expect(project.codings()).toMatchObject([{ pos0: 7, pos1: 13 }, { pos0: at }, { pos0: 900, pos1: 950 }])
    const { data: segments } = await project.call('list_segments_for_source', { source_id: 1 })
    expect(segments[0]).toMatchObject({ id: 1, verified: 'exact', importance: 3 })
    expect((await asOperator())['data']).toMatchObject({ repaired: [], change_set_id: null })
  })

  it('moves one to the place that another one leaves', async () => {
    project.setText(1, '---AB---CD---')
    project.coding({ at: [0, 2], text: 'AB' })
    project.coding({ at: [3, 5], text: 'CD' })
    const { data } = await asOperator()
    expect(data).toMatchObject({ skipped: [], repaired: [{ segment_id: 2 }, { segment_id: 1 }] })
    expect(project.codings()).toMatchObject([
      { pos0: 3, pos1: 5 },
      { pos0: 8, pos1: 10 },
    ])
  })

  it('skips what is coded the same already where it belongs', async () => {
    project.coding({ source: 2, at: [3, 8], text: 'hello' })
    project.coding({ source: 2, at: [4, 9], text: 'hello' })
    const { data } = await asOperator({ source_ids: [2] })
    expect(data.repaired).toEqual([])
    expect(data.skipped).toMatchObject([{ segment_id: 2, reason: expect.stringMatching(/there already/) }])
    expect(data.skipped_count).toBe(1)
  })

  it('moves only what was asked for', async () => {
    project.coding({ at: [0, 6], text: 'garden' })
    project.coding({ at: [1, 7], text: 'garden', code: 2 })
    const { data } = await asOperator({ segment_ids: [2] })
    expect(data.repaired).toMatchObject([{ segment_id: 2 }])
    expect(project.codings()).toMatchObject([{ pos0: 0 }, { pos0: 4 }])
  })
})
