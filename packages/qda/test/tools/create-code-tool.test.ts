import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { paletteColors } from '../../src/project/colors.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let db: Database

beforeEach(async () => {
  qda = await openQdaForTest()
  db = qda.db(await qda.openProject())
})

afterEach(() => qda[Symbol.asyncDispose]())

const codes = () => db.prepare('SELECT * FROM code_name ORDER BY cid').all()

test('a code is stored as the original stores it, and answered flat', async () => {
  const answer = await qda.call('create_code', { name: '  Fear  of   loss ', color: '#abc', memo: 'dread' })
  expect(answer).toMatchObject({ success: true, code_id: 1, name: 'Fear of loss', color: '#AABBCC', created: true })
  expect(answer).toMatchObject({ memo: 'dread', category_id: null, parent_code_id: null, data: { code_id: 1 } })
  expect(codes()).toEqual([
    {
      cid: 1,
      name: 'Fear of loss',
      memo: 'dread',
      catid: null,
      owner: 'AI Agent (main)',
      date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      color: '#AABBCC',
      supercid: null,
    },
  ])
  expect(db.prepare('SELECT name FROM coder_names').pluck().all()).toEqual(['AI Agent (main)'])
})

test('a code can be undone', async () => {
  const { change_set_id } = await qda.call('create_code', { name: 'Fear' })
  await qda.call('undo_change_set', { change_set_id })
  expect(codes()).toEqual([])
})

describe('colours', () => {
  test('one that is not of the palette is kept, with a warning', async () => {
    const { color, warnings } = await qda.call('create_code', { name: 'Fear', color: '#ff6b6b' })
    expect([color, warnings.length]).toEqual(['#FF6B6B', 1])
    expect(warnings[0]).toContain('#FF6B6B')
  })

  test('without one, those of the palette are taken in turn', async () => {
    const colors: unknown[] = []
    for (let index = 0; index < 9; index += 1) {
      const { color, warnings } = await qda.call('create_code', { name: `code ${index}` })
      expect(warnings).toEqual([])
      colors.push(color)
    }
    expect(colors).toEqual([...paletteColors, paletteColors[0]])
  })

  test.each(['red', '#12', '#12345g', '#1234', 'F7D358', '##12345'])('%s is none', async (color) => {
    const answer = await qda.call('create_code', { name: 'Fear', color })
    expect(answer).toMatchObject({ success: false, error_code: 'CODE_NOT_CREATED/INVALID_COLOR' })
    expect(codes()).toEqual([])
  })
})

describe('names', () => {
  test.each(['fear', ' FEAR ', 'Fear'])('%j is taken by Fear', async (name) => {
    await qda.call('create_code', { name: 'Fear' })
    expect(await qda.call('create_code', { name })).toMatchObject({
      error_code: 'CODE_NOT_CREATED/DUPLICATE_NAME',
      details: { code_id: 1 },
    })
  })

  test('blanks make no other name', async () => {
    await qda.call('create_code', { name: 'Fear of loss' })
    const answer = await qda.call('create_code', { name: 'fear  of loss' })
    expect(answer['error_code']).toBe('CODE_NOT_CREATED/DUPLICATE_NAME')
  })

  test('on_duplicate "return" gives the code that has it, and changes nothing', async () => {
    db.exec("INSERT INTO code_name (cid, name, memo, color) VALUES (5, 'Fear', 'open#####secret', '#123456')")
    const answer = await qda.call('create_code', { name: 'FEAR', color: '#FFFFFF', memo: 'x', on_duplicate: 'return' })
    expect(answer).toMatchObject({ success: true, code_id: 5, name: 'Fear', color: '#123456', memo: 'open' })
    expect(answer).toMatchObject({ created: false, change_set_id: null })
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  test.each([
    ['', 'MISSING_PARAMETER'],
    ['   ', 'MISSING_PARAMETER'],
    ['x'.repeat(101), 'CODE_NOT_CREATED/INVALID_NAME'],
    ['a\u0007b', 'CODE_NOT_CREATED/INVALID_NAME'],
  ])('%j: %s', async (name, code) => {
    expect((await qda.call('create_code', { name }))['error_code']).toBe(code)
  })

  test('a hundred characters are enough for everybody, and are allowed', async () => {
    expect((await qda.call('create_code', { name: '😀'.repeat(100) }))['success']).toBe(true)
  })
})

describe('places', () => {
  beforeEach(() =>
    db.exec("INSERT INTO code_cat (catid, name) VALUES (3, 'C'); INSERT INTO code_name (cid, name) VALUES (1, 'A')"),
  )

  test('in a category, or below a code', async () => {
    expect(await qda.call('create_code', { name: 'B', category_id: '3' })).toMatchObject({ category_id: 3 })
    expect(await qda.call('create_code', { name: 'D', parent_code_id: 1 })).toMatchObject({ parent_code_id: 1 })
    expect(codes().slice(1)).toMatchObject([
      { catid: 3, supercid: null },
      { catid: null, supercid: 1 },
    ])
  })

  test('not in both', async () => {
    const answer = await qda.call('create_code', { name: 'B', category_id: 3, parent_code_id: 1 })
    expect(answer['error_code']).toBe('INVALID_ARGUMENT')
  })

  test('not in what is not there', async () => {
    expect((await qda.call('create_code', { name: 'B', category_id: 9 }))['error_code']).toBe('CATEGORY_NOT_FOUND')
    expect((await qda.call('create_code', { name: 'B', parent_code_id: 9 }))['error_code']).toBe('CODE_NOT_FOUND')
  })
})

test('a project that is older than sub-codes takes codes, and says why not below another', async () => {
  const path = qda.makeProject('Old')
  qda.db(path).exec("ALTER TABLE code_name DROP COLUMN supercid; UPDATE project SET databaseversion = 'v8'")
  await qda.call('open_project', { path })
  expect(await qda.call('create_code', { name: 'A', parent_code_id: null })).toMatchObject({
    success: true,
    code_id: 1,
  })
  const answer = await qda.call('create_code', { name: 'B', parent_code_id: 1 })
  expect(answer).toMatchObject({ error_code: 'INVALID_ARGUMENT', error: expect.stringContaining('no sub-codes') })
  expect((await qda.call('list_codes'))['data']).toMatchObject([{ id: 1, parent_code_id: null }])
})

test('an agent can give no memo a private part', async () => {
  expect((await qda.call('create_code', { name: 'A', memo: 'x#####y' }))['error_code']).toBe('INVALID_ARGUMENT')
  expect(codes()).toEqual([])
})

test('a dry run checks it all, and leaves nothing', async () => {
  expect(await qda.call('create_code', { name: 'A', dry_run: true })).toMatchObject({ created: true, dry_run: true })
  expect(codes()).toEqual([])
})
