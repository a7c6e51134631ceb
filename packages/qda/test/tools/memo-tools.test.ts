import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { codebookRows } from '../support/codebook.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let db: Database

beforeEach(async () => {
  qda = await openQdaForTest()
  db = qda.db(await qda.openProject())
  db.exec(codebookRows)
})

afterEach(() => qda[Symbol.asyncDispose]())

const get = async (kind: string, id?: number) => (await qda.call('get_memo', { kind, id }))['data']
const set = (args: object) => qda.call('set_memo', args)

const all = [
  ['project', undefined, 'the study', 'SELECT memo FROM project'],
  ['source', 1, 'about a', 'SELECT memo FROM source WHERE id = 1'],
  ['code', 1, 'what we believe', 'SELECT memo FROM code_name WHERE cid = 1'],
  ['category', 1, 'open', 'SELECT memo FROM code_cat WHERE catid = 1'],
  ['case', 1, 'a case', 'SELECT memo FROM cases WHERE caseid = 1'],
  ['coding', 2, 'other memo', 'SELECT memo FROM code_text WHERE ctid = 2'],
] as const

describe.each(all)('the memo of a %s', (kind, id, open, sql) => {
  const stored = () => db.prepare(sql).pluck().get() as string

  test('is read without its private part', async () => {
    expect(await get(kind, id)).toEqual({ kind, id: id ?? null, memo: open })
  })

  test('is replaced, and added to, with its private part kept', async () => {
    const hidden = stored().slice(open.length)
    const replaced = await set({ kind, id, memo: 'new', confirm: kind === 'coding' ? true : undefined })
    expect(replaced['data']).toMatchObject({ kind, id: id ?? null, memo: 'new', changed: true })
    expect(stored()).toBe(`new${hidden}`)
    await set({ kind, id, memo: 'more', append: true, confirm: kind === 'coding' ? true : undefined })
    expect(stored()).toBe(`new\nmore${hidden}`)
    expect(await get(kind, id)).toMatchObject({ memo: 'new\nmore' })
  })
})

test.each([
  ['source', 'SOURCE_NOT_FOUND'],
  ['code', 'CODE_NOT_FOUND'],
  ['category', 'CATEGORY_NOT_FOUND'],
  ['case', 'CASE_NOT_FOUND'],
  ['coding', 'SEGMENT_NOT_FOUND'],
])('a %s that is not there: %s', async (kind, code) => {
  expect((await qda.call('get_memo', { kind, id: 99 }))['error_code']).toBe(code)
  expect((await set({ kind, id: 99, memo: 'x' }))['error_code']).toBe(code)
  const { error_code, error } = await qda.call('get_memo', { kind })
  expect([error_code, error]).toEqual(['MISSING_PARAMETER', 'Missing required parameter: id'])
})

test('a memo of blanks alone empties it', async () => {
  expect((await set({ kind: 'case', id: 1, memo: ' ' }))['data']).toMatchObject({ memo: null, changed: true })
  expect((await set({ kind: 'case', id: 1, memo: '\n', append: true }))['data']).toMatchObject({ changed: false })
})

test('the same memo again changes nothing', async () => {
  expect((await set({ kind: 'code', id: 1, memo: 'what we believe' }))['data']).toMatchObject({
    changed: false,
    change_set_id: null,
  })
})

test('no private part can be written', async () => {
  expect((await set({ kind: 'case', id: 1, memo: 'a#####b' }))['error_code']).toBe('INVALID_ARGUMENT')
})

test('what a hidden coder coded is not there', async () => {
  expect((await qda.call('get_memo', { kind: 'coding', id: 4 }))['error_code']).toBe('SEGMENT_NOT_FOUND')
  expect((await set({ kind: 'coding', id: 4, memo: 'x', confirm: true }))['error_code']).toBe('SEGMENT_NOT_FOUND')
})

test('what another coder coded is shown first, and changed on confirm', async () => {
  const answer = await set({ kind: 'coding', id: 1, memo: 'mine' })
  expect(answer['data']).toMatchObject({ preview: true, requires_approval: true, memo: 'mine' })
  expect(await get('coding', 1)).toMatchObject({ memo: 'kept memo' })
})

test('what one coded oneself is changed at once', async () => {
  db.exec("UPDATE code_text SET owner = 'AI Agent (main)' WHERE ctid = 1")
  expect((await set({ kind: 'coding', id: 1, memo: 'mine' }))['data']).toMatchObject({ changed: true })
  expect(await get('coding', 1)).toMatchObject({ memo: 'mine' })
})

test('undo brings a memo back', async () => {
  const { data } = await set({ kind: 'project', memo: 'new' })
  await qda.call('undo_change_set', { change_set_id: data.change_set_id })
  expect(db.prepare('SELECT memo FROM project').pluck().get()).toBe('the study\n#####mine')
})
