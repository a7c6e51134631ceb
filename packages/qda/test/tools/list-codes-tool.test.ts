import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { segmentCountSql } from '../../src/project/codes.js'
import { ProjectDatabase } from '../../src/project/project-database.js'
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

test('an array of codes by name, with what visible coders coded in all three tables', async () => {
  const answer = await qda.call('list_codes')
  expect(Object.keys(answer)).toEqual(['success', 'data'])
  const rows = answer['data'].map((code: object) => Object.values(code).slice(0, 4))
  expect(rows).toEqual([
    [4, 'Blind trust', '#F78181', 0],
    [3, 'Deep trust', '#FA8258', 1],
    [2, 'Doubt', '#FAAC58', 5],
    [1, 'Trust', '#F7D358', 4],
  ])
})

test('codes of one name are in the order of their ids', async () => {
  db.exec('INSERT INTO code_name (cid, name) VALUES (9, NULL), (8, NULL)')
  const { data } = await qda.call('list_codes')
  expect(data.slice(0, 2)).toMatchObject([
    { id: 8, name: '' },
    { id: 9, name: '' },
  ])
})

test('a code has its place, its coder and the open part of its memo', async () => {
  const { data } = await qda.call('list_codes')
  expect(data[3]).toEqual({
    id: 1,
    name: 'Trust',
    color: '#F7D358',
    segment_count: 4,
    memo: 'what we believe',
    category_id: 2,
    category_path: 'Feelings > Good ones',
    parent_code_id: null,
    owner: 'ada',
    created_at: '2026-01-02 10:00:00',
  })
  expect(data[2]).toMatchObject({ memo: 'what we do not', category_id: null, category_path: null })
})

test('below a code, no category counts but that of the topmost code', async () => {
  const { data } = await qda.call('list_codes')
  expect(data[0]).toMatchObject({ category_id: null, parent_code_id: 3, category_path: 'Feelings > Good ones' })
})

test('rings and lost parents of other programs do not hold anything up', async () => {
  db.exec(`UPDATE code_name SET supercid = 4 WHERE cid = 1; UPDATE code_cat SET supercatid = 2 WHERE catid = 1;
    UPDATE code_name SET supercid = 2 WHERE cid = 2; UPDATE code_name SET catid = 2, supercid = '' WHERE cid = 4;
    INSERT INTO code_name (cid, name, supercid) VALUES (7, 'Lost', 99), (8, 'Ring', 8)`)
  const { success, data } = await qda.call('list_codes')
  expect([success, data.length]).toEqual([true, 6])
  expect(data.find(({ id }: { id: number }) => id === 4)).toMatchObject({ parent_code_id: null })
  expect(data.find(({ id }: { id: number }) => id === 7)).toMatchObject({ parent_code_id: 99, category_path: null })
  const { data: ring } = await qda.call('get_code', { code_id: 8 })
  expect(ring).toMatchObject({ parent_code_id: 8, children: [{ id: 8 }] })
  const { data: categories } = await qda.call('list_categories')
  expect(categories.categories[0]).toMatchObject({ id: 1, path: 'Good ones > Feelings' })
})

test('bytes where texts belong are read as texts', async () => {
  db.exec("INSERT INTO code_name (cid, name, memo, color, catid) VALUES (7, x'5A', x'61', x'', 'none')")
  const { data } = await qda.call('list_codes')
  expect(data.at(-1)).toMatchObject({ id: 7, name: 'Z', memo: 'a', color: null, category_id: null })
})

test.each([0, 1])(
  'codings are counted from their index, without a look at their texts (all visible: %i)',
  (visibility) => {
    db.prepare('UPDATE coder_names SET visibility = max(visibility, ?)').run(visibility)
    const columns = new Map([['coder_names', new Set(['name', 'visibility'])]])
    const sql = segmentCountSql(new ProjectDatabase(db, columns), 'code_text')
    const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]
    expect(plan[0]?.detail).toContain('USING COVERING INDEX')
  },
)

test('with no coder hidden, all codings count', async () => {
  db.exec('UPDATE coder_names SET visibility = 1')
  expect((await qda.call('list_codes'))['data'][2]).toMatchObject({ name: 'Doubt', segment_count: 6 })
})

test('one code tells its sub-codes and which sources it is in', async () => {
  const { data } = await qda.call('get_code', { code_id: '2' })
  expect(data).toMatchObject({
    id: 2,
    segment_count: 5,
    children: [],
    by_source: [{ source_id: 1, source_name: 'a.txt', count: 5 }],
  })
  const { data: parent } = await qda.call('get_code', { code_id: 1 })
  expect(parent).toMatchObject({
    children: [{ id: 3, name: 'Deep trust' }],
    by_source: [
      { source_id: 1, count: 3 },
      { source_id: 2, count: 1 },
    ],
  })
})

test('a code that is not there', async () => {
  expect(await qda.call('get_code', { code_id: 9 })).toMatchObject({
    success: false,
    error: 'Code 9 not found',
    error_code: 'CODE_NOT_FOUND',
  })
})
