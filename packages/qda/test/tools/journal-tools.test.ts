import type { Database } from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { textHash } from '../../src/text/text-hash.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'

let qda: QdaForTest
let db: Database

beforeEach(async () => {
  qda = await openQdaForTest()
  db = qda.db(await qda.openProject())
  db.exec(`INSERT INTO journal (jid, name, jentry, date, owner) VALUES
    (1, 'Week 2', 'We 😀 met.', '2026-01-08 10:00:00', 'ada'), (2, 'Week 1', NULL, NULL, NULL)`)
})

afterEach(() => qda[Symbol.asyncDispose]())

const add = (args: object) => qda.call('add_journal', args)

test('journals by name', async () => {
  expect((await qda.call('list_journals'))['data'].journals).toEqual([
    { id: 2, name: 'Week 1', owner: null, created_at: null, total_length: 0 },
    { id: 1, name: 'Week 2', owner: 'ada', created_at: '2026-01-08 10:00:00', total_length: 9 },
  ])
})

test('a journal is read in pages of code points', async () => {
  const { data } = await qda.call('read_journal', { journal_id: 1, max_length: 4 })
  expect(data).toEqual({
    ...{ journal_id: 1, name: 'Week 2', content: 'We 😀', start_pos: 0, end_pos: 4, total_length: 9, has_more: true },
    text_hash: textHash('We 😀 met.'),
  })
  const { data: rest } = await qda.call('read_journal', { journal_id: 1, start_pos: 4, max_length: 0 })
  expect(rest).toMatchObject({ content: ' met.', start_pos: 4, end_pos: 9, has_more: false })
  expect((await qda.call('read_journal', { journal_id: 2 }))['data']).toMatchObject({ content: '', total_length: 0 })
})

test('what can not be read', async () => {
  expect((await qda.call('read_journal', { journal_id: 9 }))['error_code']).toBe('JOURNAL_NOT_FOUND')
  for (const start_pos of [-1, 10])
    expect((await qda.call('read_journal', { journal_id: 1, start_pos }))['error_code']).toBe('INVALID_POSITION')
})

test('a new entry has line ends of one kind, and its writer', async () => {
  const { data } = await add({ name: ' Week 3 ', content: '\ufeffone\r\ntwo' })
  expect(data).toMatchObject({ journal_id: 3, name: 'Week 3', total_length: 7 })
  expect(db.prepare('SELECT * FROM journal WHERE jid = 3').get()).toMatchObject({
    ...{ name: 'Week 3', jentry: 'one\ntwo', owner: 'AI Agent (main)' },
    date: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  })
})

test.each([
  [{ name: 'WEEK 1', content: 'x' }, 'JOURNAL_NOT_ADDED/DUPLICATE_NAME'],
  [{ name: 'a/b', content: 'x' }, 'JOURNAL_NOT_ADDED/INVALID_NAME'],
  [{ name: 'x'.repeat(256), content: 'x' }, 'JOURNAL_NOT_ADDED/INVALID_NAME'],
  [{ name: ' ', content: 'x' }, 'MISSING_PARAMETER'],
  [{ name: 'New', content: '' }, 'MISSING_PARAMETER'],
  [{ name: 'New', content: 'a\0b' }, 'INVALID_CONTENT'],
  [{ name: 'New', content: 'a\ud800b' }, 'INVALID_CONTENT'],
])('%j is refused: %s', async (args, code) => {
  expect((await add(args))['error_code']).toBe(code)
  expect(db.prepare('SELECT count(*) FROM journal').pluck().get()).toBe(2)
})
