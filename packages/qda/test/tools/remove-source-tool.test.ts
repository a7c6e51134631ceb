import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let path: string
let db: Database

beforeEach(async () => {
  qda = await openQdaForTest()
  path = await qda.openProject()
  db = qda.db(path)
  db.exec(studyRows)
  writeFileSync(join(path, 'audio', 'talk.mp3'), 'sound')
})

afterEach(() => qda[Symbol.asyncDispose]())

/** A recording (1) with its transcript (2), and a text (3) that nothing of this should touch; Bo is hidden. */
const studyRows = `BEGIN;
  INSERT INTO source (id, name, fulltext, mediapath, memo, owner, date, av_text_id) VALUES
    (1, 'talk.mp3', NULL, '/audio/talk.mp3', '', 'ada', '2026-01-01 10:00:00', 2),
    (2, 'talk.mp3.txt', 'Hello there, Ada', NULL, '', 'ada', '2026-01-01 10:00:00', NULL),
    (3, 'notes.txt', 'Other notes', NULL, '', 'ada', '2026-01-01 10:00:00', NULL);
  INSERT INTO coder_names (name, visibility) VALUES ('ada', 1), ('bo', 0);
  INSERT INTO code_name (cid, name, color) VALUES (1, 'Greeting', '#F7D358');
  INSERT INTO code_av (avid, id, pos0, pos1, cid, owner) VALUES (1, 1, 0, 900, 1, 'ada'), (2, 1, 900, 950, 1, 'bo');
  INSERT INTO code_text (ctid, cid, fid, seltext, pos0, pos1, owner, avid) VALUES
    (1, 1, 2, 'Hello', 0, 5, 'ada', 1), (2, 1, 2, 'there', 6, 11, 'bo', NULL), (3, 1, 3, 'Other', 0, 5, 'ada', NULL);
  INSERT INTO code_image (imid, id, x1, y1, width, height, cid, owner) VALUES (1, 3, 0, 0, 1, 1, 1, NULL);
  INSERT INTO annotation (anid, fid, pos0, pos1, memo, owner) VALUES (1, 2, 0, 5, 'a', 'ada'), (2, 3, 0, 5, 'b', 'ada');
  INSERT INTO cases (caseid, name) VALUES (1, 'Ada');
  INSERT INTO case_text (id, caseid, fid, pos0, pos1) VALUES (1, 1, 1, 0, 0), (2, 1, 2, 0, 16), (3, 1, 3, 0, 11);
  INSERT INTO attribute (attrid, name, attr_type, value, id) VALUES
    (1, 'place', 'file', 'Rome', 1), (2, 'place', 'file', 'Rome', 2), (3, 'place', 'file', 'Oslo', 3), (4, 'age', 'case', '1', 1),
    (5, 'age', 'case', '1', 2);
  INSERT INTO graph (grid, name) VALUES (1, 'Map');
  INSERT INTO gr_file_text_item (gfileid, grid, fid) VALUES (1, 1, 1), (2, 1, 2), (3, 1, 3);
  INSERT INTO gr_free_text_item (gfreeid, grid, freetextid, free_text, ctid, memo_ctid, memo_avid) VALUES
    (1, 1, 1, 'Hello', 1, NULL, NULL), (2, 1, 2, 'free', NULL, NULL, NULL), (3, 1, 3, 'memo', NULL, NULL, 2), (4, 1, 4, 'Other', 3, NULL, NULL);
  INSERT INTO gr_free_line_item (gflineid, grid, fromfreetextid, tofreetextid, fromfileid, tofileid, toavid) VALUES
    (1, 1, 1, 2, NULL, NULL, NULL), (2, 1, 2, NULL, NULL, 2, NULL), (3, 1, NULL, NULL, 1, 3, NULL), (4, 1, 2, NULL, NULL, NULL, 1),
    (5, 1, 2, 4, NULL, NULL, NULL), (6, 1, NULL, NULL, 3, NULL, NULL);
  INSERT INTO gr_av_item (gr_avid, grid, avid) VALUES (1, 1, 1);
  INSERT INTO gr_pix_item (grpixid, grid, imid) VALUES (1, 1, 1);
  INSERT INTO gr_memo_item (gmemoid, grid, memo_source_type, memo_source_id) VALUES (1, 1, 'file', 2), (2, 1, 'code', 2), (3, 1, 'file', 3);
  COMMIT`

/** Everything that the project's own tables hold, by table. */
function everything(): Record<string, unknown[]> {
  const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all() as string[]
  return Object.fromEntries(names.map((name) => [name, db.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).all()]))
}

const keys = (table: string, key: string) => db.prepare(`SELECT ${key} FROM ${table} ORDER BY 1`).pluck().all()

describe('remove_source', () => {
  it('first tells what would go, by all coders, hidden ones too, and touches nothing', async () => {
    const before = everything()
    const answer = await qda.call('remove_source', { source_id: 2 })
    const data = {
      preview: true,
      source_id: 2,
      source_name: 'talk.mp3.txt',
      source_type: 'text',
      coded_segments_count: 2,
      by_owner: { ada: 1, bo: 1 },
      case_links: 1,
      annotations: 1,
      transcript_source_id: null,
      requires_approval: true,
      message: "This will delete source 'talk.mp3.txt' and 2 coded segment(s)",
      preview_token: expect.any(String),
    }
    expect(answer).toEqual({ success: true, ...data, data })
    expect(everything()).toEqual(before)
  })

  it('counts the codings of recordings and pictures, too', async () => {
    expect(await qda.call('remove_source', { source_id: 1 })).toMatchObject({
      coded_segments_count: 2,
      source_type: 'audio',
    })
    expect(await qda.call('remove_source', { source_id: 3 })).toMatchObject({
      coded_segments_count: 2,
      by_owner: { ada: 1, '': 1 },
    })
  })

  it('removes every row about a recording, and keeps its transcript', async () => {
    const answer = await qda.call('remove_source', { source_id: 1, confirm: true })
    expect(answer).toMatchObject({
      ...{ success: true, removed: true, source_id: 1, source_name: 'talk.mp3', segments_removed: 2 },
      transcript_source_id: 2,
    })
    expect(keys('source', 'id')).toEqual([2, 3])
    expect(keys('code_av', 'avid')).toEqual([])
    expect(db.prepare('SELECT ctid, avid FROM code_text ORDER BY ctid').raw().all()).toEqual([
      [1, null],
      [2, null],
      [3, null],
    ])
    expect(keys('case_text', 'id')).toEqual([2, 3])
    expect(keys('attribute', 'attrid')).toEqual([2, 3, 4, 5])
    expect(keys('gr_file_text_item', 'gfileid')).toEqual([2, 3])
    expect(keys('gr_free_text_item', 'gfreeid')).toEqual([1, 2, 4])
    expect(keys('gr_free_line_item', 'gflineid')).toEqual([1, 2, 5, 6])
    expect(keys('gr_av_item', 'gr_avid')).toEqual([])
    expect(keys('gr_pix_item', 'grpixid')).toEqual([1])
    expect(keys('gr_memo_item', 'gmemoid')).toEqual([1, 2, 3])
  })

  it('removes every row about a transcript, and the recording knows it no more', async () => {
    await qda.call('remove_source', { source_id: 2, confirm: true })
    expect(db.prepare('SELECT id, av_text_id FROM source ORDER BY id').raw().all()).toEqual([
      [1, null],
      [3, null],
    ])
    expect(keys('code_text', 'ctid')).toEqual([3])
    expect(keys('annotation', 'anid')).toEqual([2])
    expect(keys('gr_free_text_item', 'gfreeid')).toEqual([2, 3, 4])
    expect(keys('gr_free_line_item', 'gflineid')).toEqual([3, 4, 5, 6])
    expect(keys('gr_memo_item', 'gmemoid')).toEqual([2, 3])
  })

  it('removes the transcript with its recording where that is asked for, and counts its codings', async () => {
    const args = { source_id: 1, include_transcript: true }
    expect(await qda.call('remove_source', args)).toMatchObject({
      coded_segments_count: 4,
      case_links: 2,
      annotations: 1,
    })
    expect(await qda.call('remove_source', { ...args, confirm: true })).toMatchObject({ segments_removed: 4 })
    expect(keys('source', 'id')).toEqual([3])
    expect(keys('code_text', 'ctid')).toEqual([3])
  })

  it('comes back whole by undo: rows with their ids, folder, importance and the file', async () => {
    await qda.call('create_folder', { name: 'Talks' })
    await qda.call('move_source_to_folder', { source_id: 1, folder_id: 1 })
    const marked = { code_id: 1, source_id: 2, start_pos: 0, end_pos: 11, importance: 3 }
    await qda.call('batch_apply_codes', { operations: [marked] })
    const { data: segments } = await qda.call('list_segments_for_source', { source_id: 2 })
    expect(segments).toContainEqual(expect.objectContaining({ end_position: 11, importance: 3 }))
    const before = everything()
    const { change_set_id } = await qda.call('remove_source', { source_id: 1, include_transcript: true, confirm: true })
    const undone = await qda.call('undo_change_set', { change_set_id })
    expect(undone).toMatchObject({ success: true, data: { skipped: [], id_map: [] } })
    expect((await qda.call('list_segments_for_source', { source_id: 2 }))['data']).toEqual(segments)
    const { coder_names: _, ...rows } = everything()
    const { coder_names: __, ...rowsBefore } = before
    expect(rows).toEqual(rowsBefore)
    const { data } = await qda.call('list_sources', { source_type: 'audio' })
    expect(data.sources[0]).toMatchObject({ id: 1, folder_id: 1, file_size: 5 })
    expect(readFileSync(join(path, 'audio', 'talk.mp3'), 'utf8')).toBe('sound')
  })

  it('comes back under another id where a later source has its own, and all that names it follows', async () => {
    await qda.call('create_folder', { name: 'Notes' })
    await qda.call('move_source_to_folder', { source_id: 3, folder_id: 1 })
    const { change_set_id } = await qda.call('remove_source', { source_id: 3, confirm: true })
    await qda.call('add_text_source', { name: 'later', content: 'Later text', origin: 'field' })
    const { data } = await qda.call('undo_change_set', { change_set_id })
    expect(data).toMatchObject({
      skipped: [],
      id_map: expect.arrayContaining([{ table: 'source', old_id: 3, new_id: 4 }]),
    })
    expect(db.prepare('SELECT fid FROM code_text WHERE ctid = 3').pluck().get()).toBe(4)
    expect(db.prepare('SELECT id FROM code_image').pluck().all()).toEqual([4])
    expect(db.prepare("SELECT id FROM attribute WHERE value = 'Oslo'").pluck().get()).toBe(4)
    expect(db.prepare('SELECT fid FROM gr_file_text_item WHERE gfileid = 3').pluck().get()).toBe(4)
    expect(db.prepare('SELECT tofileid FROM gr_free_line_item WHERE gflineid = 3').pluck().get()).toBe(4)
    expect(db.prepare('SELECT memo_source_id FROM gr_memo_item WHERE gmemoid = 3').pluck().get()).toBe(4)
    const { sources } = (await qda.call('list_sources'))['data']
    expect(sources).toMatchObject([
      { id: 3, name: 'later', folder_id: null, origin: 'field' },
      { id: 4, name: 'notes.txt', folder_id: 1, origin: null },
      { id: 1 },
      { id: 2 },
    ])
  })

  it('moves the file to the trash of its change set', async () => {
    const { change_set_id } = await qda.call('remove_source', { source_id: 1, confirm: true })
    expect(existsSync(join(path, 'audio', 'talk.mp3'))).toBe(false)
    expect(readFileSync(join(path, 'callboard_trash', change_set_id, 'audio', 'talk.mp3'), 'utf8')).toBe('sound')
  })

  it('leaves a file that another source has, and one that is elsewhere', async () => {
    const outside = join(qda.folder, 'outside.mp3')
    writeFileSync(outside, 'far')
    db.exec("INSERT INTO source (id, name, mediapath) VALUES (4, 'same file', '/audio/talk.mp3')")
    db.prepare("INSERT INTO source (id, name, mediapath) VALUES (5, 'linked', ?)").run(`audio:${outside}`)
    await qda.call('remove_source', { source_id: 1, confirm: true })
    await qda.call('remove_source', { source_id: 5, confirm: true })
    expect(existsSync(join(path, 'audio', 'talk.mp3'))).toBe(true)
    expect(existsSync(outside)).toBe(true)
    expect(existsSync(join(path, 'callboard_trash'))).toBe(false)
  })

  it('never touches a file outside of the project, whatever the path of the source says', async () => {
    const outside = join(qda.folder, 'outside.txt')
    writeFileSync(outside, 'far')
    db.exec("INSERT INTO source (id, name, mediapath) VALUES (4, 'sly', '/docs/../../outside.txt')")
    expect(await qda.call('remove_source', { source_id: 4, confirm: true })).toMatchObject({ success: true })
    expect(existsSync(outside)).toBe(true)
  })

  it('finds no source a second time', async () => {
    await qda.call('remove_source', { source_id: 3, confirm: true })
    expect(await qda.call('remove_source', { source_id: 3, confirm: true })).toMatchObject({
      success: false,
      error_code: 'SOURCE_NOT_FOUND',
      error: 'Source 3 not found',
    })
  })

  it('refuses a confirmation of what has changed since the preview', async () => {
    const { preview_token } = await qda.call('remove_source', { source_id: 3 })
    db.exec("UPDATE code_text SET memo = 'new' WHERE ctid = 3")
    const answer = await qda.call('remove_source', { source_id: 3, confirm: true, preview_token })
    expect(answer).toMatchObject({ success: false, error_code: 'PREVIEW_STALE' })
    expect(keys('source', 'id')).toEqual([1, 2, 3])
  })

  it('waits for a person where the operator wants that', async () => {
    await qda[Symbol.asyncDispose]()
    qda = await openQdaForTest({ config: { approval: 'human' } })
    db = qda.db(await qda.openProject())
    db.exec(studyRows)
    const answer = await qda.call('remove_source', { source_id: 3, confirm: true })
    expect(answer).toMatchObject({ success: true, status: 'pending_approval', suggestion_id: expect.any(String) })
    expect(keys('source', 'id')).toEqual([1, 2, 3])
    const operator = { principal: 'operator:cli', roles: ['operator'], session: 'console' } as const
    const approved = await qda.call('approve_suggestion', { id: answer['suggestion_id'] }, operator)
    expect(approved).toMatchObject({ success: true })
    expect(keys('source', 'id')).toEqual([1, 2])
  })
})
