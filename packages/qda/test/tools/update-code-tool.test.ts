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

const code = (id: number) => db.prepare('SELECT * FROM code_name WHERE cid = ?').get(id)
const update = (args: object) => qda.call('update_code', args)

test('what is given changes, and what it was is told', async () => {
  const answer = await update({ code_id: 1, name: ' Faith', color: '#81bef7', memo: 'new' })
  expect(answer).toMatchObject({ success: true, name: 'Faith', color: '#81BEF7', memo: 'new', category_id: 2 })
  expect(answer).toMatchObject({ changed: ['name', 'color', 'memo'], warnings: [] })
  expect(answer['old']).toEqual({ name: 'Trust', color: '#F7D358', memo: 'what we believe' })
  expect(code(1)).toMatchObject({ name: 'Faith', color: '#81BEF7', memo: 'new\n#####private of trust', catid: 2 })
})

test('without a difference, nothing changes', async () => {
  const given = { name: 'Trust', color: '#F7D358', memo: 'what we believe', category_id: 2, parent_code_id: null }
  const answer = await update({ code_id: 1, ...given })
  expect(answer).toMatchObject({ success: true, changed: [], old: {}, change_set_id: null })
  expect(await update({ code_id: 1 })).toMatchObject({ success: true, changed: [] })
})

test('null clears the memo, but for its private part', async () => {
  expect(await update({ code_id: 1, memo: null })).toMatchObject({ memo: null, changed: ['memo'] })
  expect(code(1)).toMatchObject({ memo: '\n#####private of trust' })
})

test('a colour that is not of the palette is stored with a warning', async () => {
  expect((await update({ code_id: 1, color: '#abcdef' }))['warnings']).toHaveLength(1)
  expect((await update({ code_id: 1, color: 'blue' }))['error_code']).toBe('CODE_NOT_UPDATED/INVALID_COLOR')
})

describe('names', () => {
  test('the case of a name alone may change', async () => {
    expect(await update({ code_id: 1, name: 'TRUST' })).toMatchObject({ name: 'TRUST', changed: ['name'] })
  })

  test.each([
    ['doubt', 'CODE_NOT_UPDATED/DUPLICATE_NAME'],
    [' ', 'CODE_NOT_UPDATED/INVALID_NAME'],
    ['x'.repeat(101), 'CODE_NOT_UPDATED/INVALID_NAME'],
  ])('%j: %s', async (name, errorCode) => {
    expect((await update({ code_id: 1, name }))['error_code']).toBe(errorCode)
    expect(code(1)).toMatchObject({ name: 'Trust' })
  })
})

describe('places', () => {
  test('a category takes a code from below another one, and a code takes it from its category', async () => {
    const answer = await update({ code_id: 3, category_id: 1 })
    expect(answer).toMatchObject({ category_id: 1, parent_code_id: null, changed: ['category_id', 'parent_code_id'] })
    expect(answer['old']).toEqual({ category_id: null, parent_code_id: 1 })
    expect(code(3)).toMatchObject({ catid: 1, supercid: null })
    expect(await update({ code_id: 1, parent_code_id: 2 })).toMatchObject({ category_id: null, parent_code_id: 2 })
    expect(code(1)).toMatchObject({ catid: null, supercid: 2 })
  })

  test('a code that leaves the one above it is at the top, whatever category was stored beside', async () => {
    expect(await update({ code_id: 4, parent_code_id: null })).toMatchObject({
      category_id: null,
      parent_code_id: null,
    })
    expect(code(4)).toMatchObject({ catid: null, supercid: null })
  })

  test.each([1, 3, 4])('Trust can not be below code %i', async (parent_code_id) => {
    expect((await update({ code_id: 1, parent_code_id }))['error_code']).toBe('CODE_NOT_UPDATED/CYCLE')
    expect(code(1)).toMatchObject({ supercid: null })
  })

  test('a ring that is there can be opened, and codes can be placed below it', async () => {
    db.exec('UPDATE code_name SET supercid = 4 WHERE cid = 3')
    expect(await update({ code_id: 2, parent_code_id: 4 })).toMatchObject({ success: true, parent_code_id: 4 })
    expect(await update({ code_id: 3, parent_code_id: null })).toMatchObject({ success: true, parent_code_id: null })
  })

  test('what is not there', async () => {
    expect((await update({ code_id: 9, name: 'x' }))['error_code']).toBe('CODE_NOT_FOUND')
    expect((await update({ code_id: 1, category_id: 9 }))['error_code']).toBe('CATEGORY_NOT_FOUND')
    expect((await update({ code_id: 1, parent_code_id: 9 }))['error_code']).toBe('CODE_NOT_FOUND')
    expect((await update({ code_id: 1, category_id: 1, parent_code_id: 2 }))['error_code']).toBe('INVALID_ARGUMENT')
  })
})
