import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { textHash } from '../../src/text/text-hash.js'
import { type CodedProject, openCodedProject } from '../support/coded-project.js'

const plain = 'The garden was quiet. The water came back.'
const emoji = '👋🏽 hello 👩‍👩‍👧 world'

let project: CodedProject

beforeEach(async () => {
  project = await openCodedProject([plain, emoji])
})

afterEach(() => project[Symbol.asyncDispose]())

const batch = (operations: unknown[], more: object = {}) => project.call('batch_apply_codes', { operations, ...more })
const op = (start: number, end: number, more: object = {}) => ({
  code_id: 1,
  source_id: 1,
  start_position: start,
  end_position: end,
  ...more,
})

describe('batch_apply_codes', () => {
  it('stores the slice of the text at code points, in the name of the agent', async () => {
    const answer = await batch([op(4, 10, { memo: 'green' }), op(3, 8, { source_id: 2, code_id: '2' })])
    expect(answer['success']).toBe(true)
    expect(answer['data']).toEqual({
      total: 2,
      succeeded: 2,
      failed: 0,
      all_succeeded: true,
      results: [
        { index: 0, success: true, segment_id: 1, created: true, overlaps: [] },
        { index: 1, success: true, segment_id: 2, created: true, overlaps: [] },
      ],
      change_set_id: expect.any(String),
    })
    expect('total' in answer).toBe(false)
    const owner = 'AI Agent (main)'
    expect(project.codings()).toEqual([
      { ctid: 1, cid: 1, fid: 1, pos0: 4, pos1: 10, seltext: 'garden', owner },
      { ctid: 2, cid: 2, fid: 2, pos0: 3, pos1: 8, seltext: 'hello', owner },
    ])
    expect(project.db.prepare('SELECT memo FROM code_text WHERE ctid = 1').pluck().get()).toBe('green')
  })

  it('checks each operation alone, and says in its row what is wrong', async () => {
    const hash = textHash(plain)
    const { success, data } = await batch([
      op(0, 3),
      op(5, 5),
      op(-1, 3),
      op(40, 43),
      op(0, 3, { code_id: 9 }),
      op(0, 3, { source_id: 9 }),
      op(0, 3, { text_hash: textHash('another') }),
      op(0, 10, { text_hash: hash.toUpperCase() }),
      { code_id: 1, source_id: 1, quote: 'no such words' },
      { code_id: 1, source_id: 1, quote: 'The' },
    ])
    expect(success).toBe(true)
    expect(data).toMatchObject({ total: 10, succeeded: 2, failed: 8, all_succeeded: false })
    expect(data.results.map((row: { error_code?: string }) => row.error_code)).toEqual([
      undefined,
      'INVALID_POSITION',
      'INVALID_POSITION',
      'INVALID_POSITION',
      'CODE_NOT_FOUND',
      'SOURCE_NOT_FOUND',
      'TEXT_CHANGED',
      undefined,
      'QUOTE_NOT_FOUND',
      'AMBIGUOUS_QUOTE',
    ])
    expect(data.results[3]).toEqual({
      index: 3,
      success: false,
      error: 'Position [40:43] invalid for source of length 42',
      error_code: 'INVALID_POSITION',
      details: { start_position: 40, end_position: 43, total_length: 42 },
    })
    expect(data.results[6].details.text_hash).toBe(hash)
    expect(data.results[9].details.total_count).toBe(2)
  })

  it.each([
    ['no object', 7],
    ['a list', []],
    ['null', null],
    ['no code', { source_id: 1, start_position: 0, end_position: 3 }],
    ['a code that is no number', op(0, 3, { code_id: 'one' })],
    ['half a position', { code_id: 1, source_id: 1, start_position: 0 }],
    ['a position that is no whole number', op(0.5, 3)],
    ['a position as text', op(0, 3, { end_position: '3' })],
    ['positions that contradict each other', op(0, 3, { end_pos: 4 })],
    ['too much importance', op(0, 3, { importance: 4 })],
    ['an unknown key', op(0, 3, { colour: 'red' })],
    ['a memo with a private part', op(0, 3, { memo: 'a ##### b' })],
    ['a key that all objects have', { ...op(0, 3), toString: 1 }],
    ['occurrence 0', { code_id: 1, source_id: 1, quote: 'garden', occurrence: 0 }],
  ])('calls %s an invalid operation, and stores the rest', async (_, bad) => {
    const { data } = await batch([bad, op(4, 10)])
    expect(data.results[0]).toMatchObject({ success: false, error_code: 'INVALID_OPERATION' })
    expect(data.results[0]).not.toHaveProperty('segment_id')
    expect(data.results[1]).toMatchObject({ success: true })
  })

  it('takes both names of positions, and null for what is not given', async () => {
    const { data } = await batch([
      { code_id: 1, source_id: 1, start_pos: 4, end_pos: 10, memo: null, quote: null },
      op(0, 3, { start_pos: 0 }),
    ])
    expect(data.all_succeeded).toBe(true)
  })

  it('finds quotes, and tells where', async () => {
    const { data } = await batch([
      { code_id: 1, source_id: 2, quote: 'world' },
      { code_id: 1, source_id: 1, quote: 'the', prefix: 'quiet. ' },
      { code_id: 1, source_id: 1, quote: 'The', occurrence: 2 },
      { code_id: 1, source_id: 1, quote: 'garden', start_position: 20, end_position: 26 },
      { code_id: 1, source_id: 1, quote: 'was  quiet', start_position: 11, end_position: 20 },
      { code_id: 2, source_id: 1, quote: 'The', start_position: 20 },
      { code_id: 2, source_id: 1, quote: 'The', start_position: 1, end_position: 4 },
    ])
    const start = [...emoji].length - 5
    expect(data.results[0]).toMatchObject({
      ...{ success: true, start_position: start, end_position: start + 5 },
      ...{ selected_text: 'world', matched: 'exact' },
    })
    expect(data.results[0]).not.toHaveProperty('relocated')
    expect(data.results[1]).toMatchObject({ error_code: 'QUOTE_NOT_FOUND' })
    expect(data.results[2]).toMatchObject({ start_position: 22, end_position: 25 })
    expect(data.results[3]).toMatchObject({ start_position: 4, end_position: 10, relocated: true })
    expect(data.results[4]).toMatchObject({ start_position: 11, end_position: 20, matched: 'folded' })
    expect(data.results[5]).toMatchObject({ start_position: 22 })
    expect(data.results[6]).toMatchObject({ error_code: 'AMBIGUOUS_QUOTE' })
    expect(project.db.prepare('SELECT seltext FROM code_text ORDER BY ctid').pluck().all()).toEqual([
      'world',
      'The',
      'garden',
      'was quiet',
      'The',
    ])
  })

  it('answers an equal one of the same coder with its id, also inside the batch, and changes nothing of it', async () => {
    project.coding({ at: [4, 10], text: 'garden' })
    const first = await batch([op(4, 10, { memo: 'mine', importance: 2 }), op(4, 10, { memo: 'again', importance: 3 })])
    const [made, same] = first['data'].results
    expect(made).toMatchObject({ created: true, overlaps: [{ segment_id: 1, owner: 'ada' }] })
    expect(same).toMatchObject({ created: false, segment_id: made.segment_id, overlaps: [{ segment_id: 1 }] })
    const again = await batch([op(4, 10, { memo: 'later' })])
    expect(again['data'].results[0]).toMatchObject({ created: false, segment_id: made.segment_id })
    expect(again['data'].change_set_id).toBeNull()
    const { data: segments } = await project.call('list_segments_for_source', { source_id: 1 })
    expect(segments[1]).toMatchObject({ memo: 'mine', importance: 2 })
  })

  it('names overlaps with the same code alone, by the places where they are found', async () => {
    const units = emoji.indexOf('world')
    project.coding({ source: 2, at: [units, units + 5], text: 'world' })
    project.coding({ source: 2, code: 2, at: [3, 8], text: 'hello' })
    const at = [...emoji].length - 5
    const { data } = await batch([op(at + 1, at + 3, { source_id: 2 }), op(at - 3, at, { source_id: 2 })])
    expect(data.results[0].overlaps).toEqual([
      { segment_id: 1, start_position: at, end_position: at + 5, owner: 'ada' },
    ])
    expect(data.results[1].overlaps).toEqual([])
  })

  it('names the first five overlaps, says that there are more, and leaves hidden coders out', async () => {
    project.db.exec("INSERT INTO coder_names (name, visibility) VALUES ('ghost', 0)")
    for (let end = 5; end < 11; end += 1) project.coding({ at: [0, end], text: plain.slice(0, end) })
    project.coding({ at: [0, 4], text: plain.slice(0, 4), owner: 'ghost' })
    const { data } = await batch([op(1, 3), op(9, 10)])
    expect(data.results[0].overlaps.map((each: { segment_id: number }) => each.segment_id)).toEqual([1, 2, 3, 4, 5])
    expect(data.results[0].more_overlaps).toBe(true)
    expect(data.results[1].overlaps).toHaveLength(1)
    expect(data.results[1]).not.toHaveProperty('more_overlaps')
  })

  it('refuses a place that the coder has stored for what stands elsewhere by now', async () => {
    await batch([op(4, 10)])
    project.setText(1, `>> ${plain}`)
    const { data } = await batch([op(4, 10), op(7, 13)])
    expect(data.results[0]).toMatchObject({ error_code: 'INVALID_OPERATION', error: expect.stringMatching(/repair/) })
    expect(data.results[1]).toMatchObject({ created: false, segment_id: 1 })
  })

  it('all_or_nothing: one failure takes everything back, and says so in each row', async () => {
    const answer = await batch([op(0, 3), op(5, 5)], { mode: 'all_or_nothing' })
    expect(answer).toMatchObject({ success: false, error_code: 'BATCH_APPLY_CODES/ROLLED_BACK' })
    expect(answer['data']).toMatchObject({ total: 2, succeeded: 0, failed: 2, all_succeeded: false })
    expect(answer['data'].results.map((row: { error_code: string }) => row.error_code)).toEqual([
      'ROLLED_BACK',
      'INVALID_POSITION',
    ])
    expect(answer['data'].results[0]).not.toHaveProperty('segment_id')
    expect(project.codings()).toEqual([])
  })

  it('tells the reason of each where all fail', async () => {
    const answer = await batch([op(5, 5), 'x'])
    expect(answer).toMatchObject({ success: false, error_code: 'BATCH_APPLY_CODES/ALL_FAILED' })
    expect(answer['data']).toMatchObject({ total: 2, succeeded: 0, failed: 2 })
    expect(answer['data'].results).toMatchObject([
      { index: 0, error_code: 'INVALID_POSITION' },
      { index: 1, error_code: 'INVALID_OPERATION' },
    ])
  })

  it('refuses batches of nothing and of more than 10,000', async () => {
    expect(await batch([])).toMatchObject({ success: false, error_code: 'BATCH_APPLY_CODES/EMPTY_BATCH' })
    const many = Array.from({ length: 10_001 }, () => 0)
    expect(await batch(many)).toMatchObject({ success: false, error_code: 'BATCH_APPLY_CODES/TOO_LARGE' })
  })

  it('stores nothing in a dry run', async () => {
    const { data } = await batch([op(4, 10)], { dry_run: true })
    expect(data).toMatchObject({ succeeded: 1, dry_run: true, change_set_id: null })
    expect(project.codings()).toEqual([])
  })

  it('is undone as one', async () => {
    const { data } = await batch([op(4, 10, { importance: 3 }), op(0, 3)])
    await project.call('undo_change_set', { change_set_id: data.change_set_id })
    expect(project.codings()).toEqual([])
  })

  it('leaves the importance of an earlier coding behind that had the same id', async () => {
    await batch([op(4, 10, { importance: 3 })])
    project.db.exec('DELETE FROM code_text')
    const { data } = await batch([op(4, 10, { importance: 1 })])
    expect(data.results[0].segment_id).toBe(1)
    const { data: segments } = await project.call('list_segments_for_source', { source_id: 1 })
    expect(segments).toMatchObject([{ id: 1, importance: 1 }])
  })

  it('announces what an operation is made of', () => {
    const tool = project.qda.link.definitions.tools!.find(({ name }) => name === 'batch_apply_codes')!
    const { operations } = tool.inputSchema['properties'] as { operations: { items: object } }
    expect(operations.items).toMatchObject({
      type: 'object',
      properties: { code_id: { type: 'integer' }, importance: { minimum: 0, maximum: 3 }, quote: { type: 'string' } },
      required: ['code_id', 'source_id'],
    })
    expect(tool.inputSchema['properties']).toHaveProperty('dry_run')
  })
})
