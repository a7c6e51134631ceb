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

const tables = [
  ...['code_name', 'code_text', 'code_image', 'code_av'],
  ...['gr_cdct_text_item', 'gr_cdct_line_item', 'gr_free_line_item', 'project'],
]
const everything = () => tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all())
const ids = (table: string) => db.prepare(`SELECT * FROM ${table} ORDER BY 1`).pluck().all()

test('without confirm it counts what would go, of hidden coders too, and nothing goes', async () => {
  const before = everything()
  const answer = await qda.call('delete_code', { code_id: 2 })
  expect(answer).toMatchObject({
    ...{ success: true, preview: true, code_id: 2, name: 'Doubt', segment_count: 6, by_owner: { ada: 5, bo: 1 } },
    ...{ subcodes: [], requires_approval: true, preview_token: expect.any(String) },
    message: "This will delete code 'Doubt' and 6 coded segment(s)",
  })
  expect(everything()).toEqual(before)
})

test('with confirm its codings, its places in graphs and its mention among recent codes go with it', async () => {
  const answer = await qda.call('delete_code', { code_id: 2, confirm: true })
  expect(answer).toMatchObject({ deleted: true, code_id: 2, name: 'Doubt', segments_removed: 6, subcodes_removed: 0 })
  expect(ids('code_name')).toEqual([1, 3, 4])
  expect([ids('code_text'), ids('code_image'), ids('code_av')]).toEqual([[1, 5, 6], [1], [1]])
  expect([ids('gr_cdct_text_item'), ids('gr_cdct_line_item'), ids('gr_free_line_item')]).toEqual([[1, 3], [3], [3]])
  expect(db.prepare('SELECT recently_used_codes FROM project').pluck().get()).toBe('1 12 3')
  expect((await qda.call('delete_code', { code_id: 2, confirm: true }))['error_code']).toBe('CODE_NOT_FOUND')
})

test('undo brings all of it back', async () => {
  const before = everything()
  const { change_set_id } = await qda.call('delete_code', { code_id: 1, subcodes: 'delete', confirm: true })
  expect(ids('code_name')).toEqual([2])
  expect(await qda.call('undo_change_set', { change_set_id })).toMatchObject({ data: { skipped: [] } })
  expect(everything()).toEqual(before)
})

test('sub-codes move up to where the code was', async () => {
  expect(await qda.call('delete_code', { code_id: 1 })).toMatchObject({
    ...{ segment_count: 4, subcodes: [{ id: 3, name: 'Deep trust' }] },
  })
  await qda.call('delete_code', { code_id: 1, confirm: true })
  expect(db.prepare('SELECT cid, catid, supercid FROM code_name WHERE cid > 2').all()).toEqual([
    { cid: 3, catid: 2, supercid: null },
    { cid: 4, catid: 1, supercid: 3 },
  ])
  await qda.call('delete_code', { code_id: 3, confirm: true })
  expect(db.prepare('SELECT catid, supercid FROM code_name WHERE cid = 4').get()).toEqual({ catid: 2, supercid: null })
})

test('the whole branch goes where that is asked for', async () => {
  const preview = await qda.call('delete_code', { code_id: 1, subcodes: 'delete' })
  expect(preview).toMatchObject({ segment_count: 5, by_owner: { ada: 5 }, subcodes: [{ id: 3 }, { id: 4 }] })
  expect(preview['message']).toBe("This will delete code 'Trust', 2 sub-code(s) and 5 coded segment(s)")
  const answer = await qda.call('delete_code', { code_id: 1, subcodes: 'delete', confirm: true })
  expect(answer).toMatchObject({ segments_removed: 5, subcodes_removed: 2 })
  expect(ids('code_name')).toEqual([2])
})

test('a ring of codes can be deleted, in part or whole', async () => {
  db.exec('UPDATE code_name SET supercid = 4 WHERE cid = 3; UPDATE code_name SET supercid = 2 WHERE cid = 2')
  expect(await qda.call('delete_code', { code_id: 2, confirm: true })).toMatchObject({ deleted: true })
  expect(await qda.call('delete_code', { code_id: 3, subcodes: 'delete' })).toMatchObject({ subcodes: [{ id: 4 }] })
  expect(await qda.call('delete_code', { code_id: 3, confirm: true })).toMatchObject({ deleted: true })
  expect(db.prepare('SELECT cid, supercid FROM code_name').all()).toEqual([
    { cid: 1, supercid: null },
    { cid: 4, supercid: null },
  ])
})

test('a preview that is no longer true is not confirmed', async () => {
  const { preview_token } = await qda.call('delete_code', { code_id: 2 })
  db.exec("INSERT INTO code_text (cid, fid, pos0, pos1, owner) VALUES (2, 1, 0, 2, 'ada')")
  const answer = await qda.call('delete_code', { code_id: 2, confirm: true, preview_token })
  expect(answer['error_code']).toBe('PREVIEW_STALE')
  expect(ids('code_name')).toContain(2)
})

test('passages that were coded with a recording lose no more than that', async () => {
  db.exec("INSERT INTO code_text (ctid, cid, fid, pos0, pos1, owner, avid) VALUES (9, 1, 1, 0, 2, 'ada', 2)")
  await qda.call('delete_code', { code_id: 2, confirm: true })
  expect(db.prepare('SELECT avid FROM code_text WHERE ctid = 9').get()).toEqual({ avid: null })
})

test('a project of an old version', async () => {
  const path = qda.makeProject('Old')
  const old = qda.db(path)
  old.exec(`ALTER TABLE code_name DROP COLUMN supercid; ALTER TABLE project DROP COLUMN recently_used_codes;
    DROP TABLE gr_free_line_item; DROP TABLE coder_names; UPDATE project SET databaseversion = 'v6';
    INSERT INTO code_name (cid, name) VALUES (1, 'A'); INSERT INTO code_text (cid, fid, pos0, pos1) VALUES (1, 1, 0, 2)`)
  await qda.call('open_project', { path })
  const answer = await qda.call('delete_code', { code_id: 1, confirm: true })
  expect(answer).toMatchObject({ deleted: true, segments_removed: 1 })
})
