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

const doubtIntoTrust = { source_code_id: 2, target_code_id: 1 }
const merge = (args: object = doubtIntoTrust) => qda.call('merge_codes', { ...args, confirm: true })
const tables = ['code_name', 'code_text', 'code_image', 'code_av', 'gr_cdct_text_item', 'gr_free_line_item', 'project']
const everything = () => tables.map((table) => db.prepare(`SELECT * FROM ${table}`).all())
const memoOf = (table: string, key: string, id: number) =>
  db.prepare(`SELECT memo FROM ${table} WHERE ${key} = ?`).pluck().get(id)

test('without confirm it counts what would move and what is there already, and nothing moves', async () => {
  const before = everything()
  expect(await qda.call('merge_codes', doubtIntoTrust)).toMatchObject({
    ...{ preview: true, source_name: 'Doubt', target_name: 'Trust', segments_to_move: 3, duplicates: 3 },
    ...{ by_owner: { ada: 5, bo: 1 }, subcodes: [], requires_approval: true, preview_token: expect.any(String) },
  })
  expect(everything()).toEqual(before)
})

test('codings get the other code, and where both are on one passage, one stays', async () => {
  expect(await merge()).toMatchObject({
    ...{ source_code_id: 2, target_code_id: 1, source_name: 'Doubt', target_name: 'Trust' },
    ...{ segments_moved: 3, duplicates_merged: 3 },
  })
  const codings = (table: string) => db.prepare(`SELECT * FROM ${table} WHERE cid = 1 ORDER BY 1`).pluck().all()
  expect([codings('code_text'), codings('code_image'), codings('code_av')]).toEqual([[1, 3, 4, 5], [1, 3], [1]])
  for (const table of ['code_text', 'code_image', 'code_av', 'code_name'])
    expect(db.prepare(`SELECT count(*) FROM ${table} WHERE cid = 2`).pluck().get()).toBe(0)
})

test('what stays has both memos, private parts last, and the higher importance', async () => {
  await merge()
  expect(memoOf('code_text', 'ctid', 1)).toBe('kept memo\nother memo\n#####hers')
  expect(memoOf('code_image', 'imid', 1)).toBe('picture\nsame picture')
  expect(db.prepare('SELECT important FROM code_text WHERE ctid = 1').pluck().get()).toBe(1)
})

test('a passage that was coded with a recording stays with it', async () => {
  await merge()
  expect(db.prepare('SELECT avid FROM code_text WHERE ctid = 3').pluck().get()).toBe(1)
})

test('importance of our own goes where the coding goes', async () => {
  const path = (await qda.call('get_project_context'))['data'].project_path
  db.prepare('ATTACH ? AS side').run(`${path}/callboard.sqlite`)
  const keep = db.prepare("INSERT INTO side.coding_meta (kind, row_id, fp, importance) VALUES ('text', ?, ?, ?)")
  keep.run(2, JSON.stringify([2, 1, 3, 8, 'ada']), 3)
  keep.run(3, JSON.stringify([2, 1, 22, 27, 'ada']), 2)
  db.exec('UPDATE code_text SET important = 1 WHERE ctid = 3')
  await merge()
  expect(db.prepare('SELECT row_id, fp, importance FROM side.coding_meta ORDER BY row_id').all()).toEqual([
    { row_id: 1, fp: JSON.stringify([1, 1, 3, 8, 'ada']), importance: 3 },
    { row_id: 3, fp: JSON.stringify([1, 1, 22, 27, 'ada']), importance: 2 },
  ])
})

test('codings without a coder in one place are one', async () => {
  db.exec(
    'INSERT INTO code_text (ctid, cid, fid, pos0, pos1) VALUES (20, 1, 1, 0, 1), (21, 2, 1, 0, 1), (22, 2, 1, 0, 1)',
  )
  expect(await qda.call('merge_codes', doubtIntoTrust)).toMatchObject({ segments_to_move: 3, duplicates: 5 })
  expect(await merge()).toMatchObject({ segments_moved: 3, duplicates_merged: 5 })
})

describe('the memo of the code', () => {
  test('says what came from where, and keeps private what is', async () => {
    await merge()
    const memo = memoOf('code_name', 'cid', 1) as string
    expect(memo).toMatch(
      /^what we believe\n\n\[Merged from code: Doubt, Coder: bo, Merger date: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\]\nwhat we do not\n#####private of trust\n#####private of doubt$/,
    )
    expect((await qda.call('get_code', { code_id: 1 }))['data'].memo).not.toContain('private')
  })

  test('starts with it where there was none', async () => {
    db.exec(
      "UPDATE code_name SET memo = NULL WHERE cid < 3; UPDATE code_name SET name = '##########', owner = NULL WHERE cid = 2",
    )
    expect(await merge()).toMatchObject({ success: true, source_name: '##########' })
    expect(memoOf('code_name', 'cid', 1)).toMatch(/^\[Merged from code: ####, Coder: , Merger date: [^\]]+\]$/)
  })
})

test('sub-codes move below the target, which leaves no graph and no list with the other code', async () => {
  expect(await merge({ source_code_id: 1, target_code_id: 2 })).toMatchObject({ success: true })
  expect(db.prepare('SELECT catid, supercid FROM code_name WHERE cid = 3').get()).toEqual({ catid: null, supercid: 2 })
  expect(db.prepare('SELECT gtextid FROM gr_cdct_text_item').pluck().all()).toEqual([2, 3])
  expect(db.prepare('SELECT glineid FROM gr_cdct_line_item').pluck().all()).toEqual([2])
  expect(db.prepare('SELECT gflineid FROM gr_free_line_item').pluck().all()).toEqual([1, 2])
  expect(db.prepare('SELECT recently_used_codes FROM project').pluck().get()).toBe('2 12 3')
})

test('a sub-code can become part of a code above it, but not the other way round', async () => {
  expect(await merge({ source_code_id: 4, target_code_id: 1 })).toMatchObject({ success: true })
  expect((await merge({ source_code_id: 1, target_code_id: 3 }))['error_code']).toBe('CODES_NOT_MERGED/CYCLE')
  expect(await merge({ source_code_id: 3, target_code_id: 1 })).toMatchObject({ success: true })
})

test('a category that was stored beside the code above does not come to count', async () => {
  await merge({ source_code_id: 3, target_code_id: 2 })
  expect(db.prepare('SELECT catid, supercid FROM code_name WHERE cid = 4').get()).toEqual({ catid: null, supercid: 2 })
})

test('undo brings all of it back', async () => {
  const before = everything()
  const { change_set_id } = await merge()
  expect(await qda.call('undo_change_set', { change_set_id })).toMatchObject({ data: { skipped: [] } })
  expect(everything()).toEqual(before)
})

test('what can not be merged', async () => {
  expect((await merge({ source_code_id: 1, target_code_id: 1 }))['error_code']).toBe('CODES_NOT_MERGED/SAME_CODE')
  expect((await merge({ source_code_id: 9, target_code_id: 9 }))['error_code']).toBe('CODE_NOT_FOUND')
  expect((await merge({ source_code_id: 1, target_code_id: 9 }))['error_code']).toBe('CODE_NOT_FOUND')
})
