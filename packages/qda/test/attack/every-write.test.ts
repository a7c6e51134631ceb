import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { makeEveryTable } from '../support/every-table.js'
import { openQdaForTest, type QdaForTest } from '../support/whole-qda.js'
import { everyWrite } from './support/every-call.js'
import { projectSchema, projectState, sideState } from './support/project-state.js'

const ids = { source: 1, code: 1, otherCode: 11, category: 1, segment: 1, journal: 1, case: 1 }

/** Which tables a call may change; all else must not differ in a byte. */
const touched: { readonly [tool: string]: readonly string[] } = {
  create_code: ['code_name', 'coder_names'],
  update_code: ['code_name'],
  create_category: ['code_cat', 'coder_names'],
  update_category: ['code_cat'],
  add_text_source: ['source', 'attribute', 'coder_names'],
  batch_apply_codes: ['code_text', 'coder_names'],
  set_memo: ['project', 'source', 'code_name', 'code_cat', 'cases', 'code_text'],
  add_journal: ['journal', 'coder_names'],
  auto_code_pattern: ['code_text', 'coder_names'],
  auto_code_speaker: ['code_text', 'code_name', 'code_cat', 'coder_names'],
  remove_coding: ['code_text'],
}
const deleting = ['merge_codes', 'delete_code', 'remove_source']

describe('every writing tool, once, on a project with rows in every table', () => {
  it.each(everyWrite(ids).map((call) => [`${call[0]} ${JSON.stringify(call[1])}`, call] as const))(
    '%s',
    async (_, call) => {
      await using qda = await openQdaForTest({ config: { levels: { repair_positions: 'T2' } } })
      const path = await openEveryTable(qda)
      const [schema, before, sideBefore] = [projectSchema(path), projectState(path), sideState(path)]
      const [tool] = call
      const answer = await qda.call(...call)
      expect(answer).toMatchObject({ success: true })
      expect(projectSchema(path)).toEqual(schema)
      const after = projectState(path)
      if (!deleting.includes(tool))
        for (const [table, rows] of Object.entries(before))
          if (!touched[tool]?.includes(table)) expect([table, after[table]]).toEqual([table, rows])
      const id = changeSetOf(answer)
      if (id === null) return expect(after).toEqual(before)
      expect(await qda.call('undo_change_set', { change_set_id: id })).toMatchObject({
        success: true,
        data: { skipped: [], id_map: [] },
      })
      expect(withoutCoders(projectState(path))).toEqual(withoutCoders(before))
      expect(sideState(path)).toEqual(sideBefore)
      // Undone twice, it is done again.
      const [undo] = (await qda.call('list_changes'))['data'].changes
      expect(await qda.call('undo_change_set', { change_set_id: undo.change_set_id })).toMatchObject({
        data: { skipped: [] },
      })
      expect(withoutCoders(projectState(path))).toEqual(withoutCoders(after))
      expect(projectSchema(path)).toEqual(schema)
    },
  )
})

/** With a text that has something to find, a folder, and a row of each kind of oddity in every table. */
async function openEveryTable(qda: QdaForTest): Promise<string> {
  const path = makeEveryTable(join(qda.folder, 'Every.qda'))
  const db = new Database(join(path, 'data.qda'))
  db.prepare('UPDATE source SET fulltext = ?, mediapath = NULL WHERE id = 1').run(
    'Ada: one a\nBob: \u{1F600} two\nAda: three\nBob: four',
  )
  db.prepare('UPDATE source SET av_text_id = 9223372036854775807 WHERE id = 31').run()
  db.prepare('UPDATE code_text SET memo = ?, important = ? WHERE ctid = 1').run(Buffer.from([1, 2]), 2n ** 62n + 1n)
  db.exec('UPDATE gr_cdct_line_item SET linewidth = 9e999; UPDATE code_text SET avid = -9e999')
  db.close()
  expect(await qda.call('open_project', { path })).toMatchObject({ success: true })
  await qda.call('create_folder', { name: 'First' })
  return path
}

const changeSetOf = (answer: NonNullable<unknown>): string | null => {
  const { data } = answer as { readonly data: { readonly change_set_id?: string | null } }
  return data.change_set_id ?? null
}

/** A name that has once stood among the coders stays. */
function withoutCoders({ coder_names: _, ...rest }: { readonly [table: string]: readonly string[] }) {
  return rest
}
