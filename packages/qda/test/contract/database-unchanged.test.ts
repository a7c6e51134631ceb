import type Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createProjectFolder } from '../../src/format/create-project-folder.js'
import { batchOperationsMax } from '../../src/limits.js'
import { operator } from '../support/coded-project.js'
import { openQdaForTest } from '../support/whole-qda.js'

const passage = { code_id: 1, source_id: 1, start_position: 0, end_position: 3 }

/** Of each kind of write one, in the order in which they find what they need. */
const writes: readonly (readonly [tool: string, args: object])[] = [
  ['add_text_source', { name: 'a', content: 'Ann: yes\nBob: no\nAnn: yes\nBob: no', origin: 'talk' }],
  ['add_text_source', { name: 'b', content: 'Another text.' }],
  ['create_folder', { name: 'Folder' }],
  ['create_folder', { name: 'Empty' }],
  ['rename_folder', { folder_id: 1, new_name: 'Renamed' }],
  ['move_source_to_folder', { source_id: 1, folder_id: 1 }],
  ['delete_folder', { folder_id: 2 }],
  ['create_category', { name: 'Category' }],
  ['update_category', { category_id: 1, memo: 'm' }],
  ['create_code', { name: 'Code', category_id: 1 }],
  ['create_code', { name: 'Sub-code', parent_code_id: 1 }],
  ['create_code', { name: 'Third' }],
  ['update_code', { code_id: 1, color: '#abc' }],
  [
    'batch_apply_codes',
    {
      operations: [
        { ...passage, memo: 'm', importance: 3 },
        { ...passage, code_id: 3 },
      ],
    },
  ],
  ['remove_coding', { segment_id: 1 }],
  ['auto_code_pattern', { code_id: 1, pattern: 'yes', confirm: true }],
  ['auto_code_speaker', { confirm: true }],
  ['set_memo', { kind: 'source', id: 1, memo: 'm' }],
  ['add_journal', { name: 'Diary', content: 'x' }],
  ['suggest_source_metadata', { source_id: 1, language: 'en' }],
  [
    'suggest_codings',
    { source_id: 1, items: [{ code_id: 1, quote: 'Ann', occurrence: 1, rationale: 'r', confidence: 1 }] },
  ],
  ['navigate_to_segment', { source_id: 1, start_pos: 0, end_pos: 1 }],
  ['merge_codes', { source_code_id: 3, target_code_id: 1, confirm: true }],
  ['delete_code', { code_id: 1, confirm: true }],
  ['remove_source', { source_id: 1, confirm: true }],
]

/** What QualCoder goes by when it opens a project, without its rows. */
function formOf(database: Database.Database) {
  const pragmas = ['user_version', 'application_id', 'journal_mode', 'encoding', 'page_size', 'auto_vacuum']
  return {
    schema: database.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name').all(),
    pragmas: pragmas.map((name) => database.pragma(name, { simple: true })),
    version: database.prepare('SELECT databaseversion FROM project').pluck().all(),
  }
}

it('all writes together leave the form of data.qda as it was', async () => {
  await using qda = await openQdaForTest()
  const path = `${qda.folder}/Study.qda`
  createProjectFolder({ path, name: 'Study' }, { coder: 'ada', now: 0 })
  const before = formOf(qda.db(path))
  await qda.call('open_project', { path })
  for (const [tool, args] of writes) {
    const answer = await qda.call(tool, args)
    expect(answer, tool).toMatchObject({ success: true })
    const changeSet = answer['data'].change_set_id
    if (typeof changeSet !== 'string') continue
    // And back, and done again.
    for (let turn = 0, id = changeSet; turn < 2; turn += 1) {
      const undone = await qda.call('undo_change_set', { change_set_id: id })
      expect(undone, `undo of ${tool}`).toMatchObject({ success: true, data: { skipped: [] } })
      id = undone['data'].change_set_id
    }
  }
  const { data } = await qda.call('list_suggestions', {}, operator)
  for (const { id } of data.suggestions) await qda.call('approve_suggestion', { id }, operator)
  await qda.call('close_project')
  expect(formOf(qda.db(path))).toEqual(before)
  expect(qda.db(path).pragma('integrity_check', { simple: true })).toBe('ok')
})

it('ten thousand codings at once have as many ids, and change none that was there', async () => {
  await using qda = await openQdaForTest()
  const path = await qda.openProject()
  await qda.call('add_text_source', { name: 'a', content: 'x'.repeat(batchOperationsMax + 10) })
  await qda.call('create_code', { name: 'Code' })
  const kept = await qda.call('batch_apply_codes', { operations: [{ ...passage, memo: 'mine' }] })
  const operations = Array.from({ length: batchOperationsMax }, (_, at) => ({
    ...{ ...passage, start_position: at, end_position: at + 2 },
  }))
  const { data } = await qda.call('batch_apply_codes', { operations })
  expect(data).toMatchObject({ total: batchOperationsMax, succeeded: batchOperationsMax, all_succeeded: true })
  const ids = new Set(data.results.map((row: { segment_id: number }) => row.segment_id))
  expect(ids.size).toBe(batchOperationsMax)
  expect(ids).not.toContain(kept['data'].results[0].segment_id)
  const rows = qda.db(path).prepare('SELECT ctid, pos1, memo FROM code_text ORDER BY ctid').all()
  expect(rows).toHaveLength(batchOperationsMax + 1)
  expect(rows[0]).toEqual({ ctid: kept['data'].results[0].segment_id, pos1: 3, memo: 'mine' })
})
