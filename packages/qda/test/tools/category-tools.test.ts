import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

const create = (args: object) => qda.call('create_category', args)
const update = (args: object) => qda.call('update_category', args)
const category = (id: number) => db.prepare('SELECT * FROM code_cat WHERE catid = ?').get(id)

test('categories by name, with their paths and the codes directly in them', async () => {
  const answer = await qda.call('list_categories')
  expect(Object.keys(answer)).toEqual(['success', 'data'])
  expect(answer['data'].categories).toEqual([
    { id: 1, name: 'Feelings', parent_id: null, path: 'Feelings', memo: 'open', owner: 'ada', code_count: 0 },
    { id: 2, name: 'Good ones', parent_id: 1, path: 'Feelings > Good ones', memo: null, owner: 'ada', code_count: 1 },
  ])
})

test('a new one, at the top or in another', async () => {
  const { data } = await create({ name: ' Bad  ones ', parent_id: 1, memo: 'm' })
  expect(data).toMatchObject({ category_id: 3, name: 'Bad ones', parent_id: 1, memo: 'm' })
  expect(category(3)).toMatchObject({ name: 'Bad ones', owner: 'AI Agent (main)', memo: 'm', supercatid: 1 })
  expect((await create({ name: 'Top', parent_id: null }))['data']).toMatchObject({ parent_id: null, memo: null })
})

test.each([
  [{ name: 'good ONES' }, 'CATEGORY_NOT_CREATED/DUPLICATE_NAME'],
  [{ name: 'x'.repeat(101) }, 'CATEGORY_NOT_CREATED/INVALID_NAME'],
  [{ name: ' ' }, 'MISSING_PARAMETER'],
  [{ name: 'New', parent_id: 9 }, 'CATEGORY_NOT_FOUND'],
  [{ name: 'New', memo: '#####' }, 'INVALID_ARGUMENT'],
])('%j is refused: %s', async (args, code) => {
  expect((await create(args))['error_code']).toBe(code)
  expect(category(3)).toBeUndefined()
})

test('what is given changes, and what it was is told', async () => {
  const { data } = await update({ category_id: 2, name: 'Best ones', parent_id: null, memo: 'new' })
  expect(data).toMatchObject({ category_id: 2, name: 'Best ones', parent_id: null, memo: 'new' })
  expect(data).toMatchObject({
    changed: ['name', 'parent_id', 'memo'],
    old: { name: 'Good ones', parent_id: 1, memo: null },
  })
  expect(category(2)).toMatchObject({ name: 'Best ones', supercatid: null, memo: 'new' })
})

test('the private part of a memo stays', async () => {
  await update({ category_id: 1, memo: null })
  expect(category(1)).toMatchObject({ memo: '\n#####secret' })
})

test('without a difference, nothing changes', async () => {
  const { data } = await update({ category_id: 2, name: 'Good ones', parent_id: 1, memo: '' })
  expect(data).toMatchObject({ changed: [], old: {}, change_set_id: null })
})

test.each([
  [{ category_id: 1, parent_id: 2 }, 'CATEGORY_NOT_UPDATED/CYCLE'],
  [{ category_id: 1, parent_id: 1 }, 'CATEGORY_NOT_UPDATED/CYCLE'],
  [{ category_id: 1, name: 'good ones' }, 'CATEGORY_NOT_UPDATED/DUPLICATE_NAME'],
  [{ category_id: 1, name: '' }, 'CATEGORY_NOT_UPDATED/INVALID_NAME'],
  [{ category_id: 1, parent_id: 9 }, 'CATEGORY_NOT_FOUND'],
  [{ category_id: 9, name: 'x' }, 'CATEGORY_NOT_FOUND'],
])('%j is refused: %s', async (args, code) => {
  expect((await update(args))['error_code']).toBe(code)
})

test('a ring that is there can be opened', async () => {
  db.exec('UPDATE code_cat SET supercatid = 2 WHERE catid = 1')
  expect((await update({ category_id: 1, parent_id: null }))['data']).toMatchObject({ changed: ['parent_id'] })
})
