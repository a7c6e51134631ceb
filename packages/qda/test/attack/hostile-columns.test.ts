import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { columnsOf, projectTables, tableNames } from '../../src/format/tables.js'
import { makeEveryTable } from '../support/every-table.js'
import { openQdaForTest } from '../support/whole-qda.js'
import { everyRead, everyWrite, type NamedCall } from './support/every-call.js'

const oddValues = {
  bytes: Buffer.from([0, 255, 47]),
  nothing: null,
  'a text that is SQL, with a NUL': '\u{1F600} "]; DROP TABLE source; --\0 x',
  'a fraction': 2.5,
  infinity: Number.POSITIVE_INFINITY,
  'the largest integer': 2n ** 63n - 1n,
  'the smallest integer': -(2n ** 63n),
} as const

const ids = { source: 1, code: 1, otherCode: 11, category: 1, segment: 1, journal: 1, case: 1 }
const links = ['cid', 'fid', 'id', 'catid', 'caseid']

describe.each(Object.entries(oddValues))('a project whose columns all hold %s', (_, value) => {
  it.each([
    ['but for ids', links],
    ['in ids, too', []],
  ])('answers every call, %s', async (_, spared) => {
    await using qda = await openQdaForTest()
    const path = makeEveryTable(join(qda.folder, 'Odd.qda'))
    fillWith(path, value, spared)
    expect(await qda.call('open_project', { path })).toMatchObject({ success: true })
    const calls: readonly NamedCall[] = [...everyRead(ids), ...everyWrite(ids)]
    for (const [tool, args] of calls) {
      const answer = await qda.call(tool, args)
      expect([tool, answer?.['success'] === true || answer?.['error_code']]).not.toEqual([tool, 'INTERNAL'])
      expect([tool, typeof answer?.['success']]).toEqual([tool, 'boolean'])
    }
    expect(qda.link.internalErrors).toEqual([])
  })
})

it('a row whose number is longer than a number can be is a reason not to open the project', async () => {
  await using qda = await openQdaForTest()
  const path = makeEveryTable(join(qda.folder, 'Long.qda'))
  const db = new Database(join(path, 'data.qda'))
  db.prepare('UPDATE code_text SET ctid = ? WHERE ctid = 31').run(2n ** 53n + 1n)
  db.close()
  expect(await qda.call('open_project', { path })).toMatchObject({
    error_code: 'PROJECT_NOT_OPENED/UNSUPPORTED_FORMAT',
    error: expect.stringContaining('code_text'),
  })
})

/** Wherever a rule of the table allows it. */
function fillWith(path: string, value: unknown, spared: readonly string[]): void {
  const db = new Database(join(path, 'data.qda'))
  for (const table of tableNames)
    for (const column of columnsOf(table)) {
      const isIdentity = table === 'project' && ['about', 'databaseversion'].includes(column)
      if (isIdentity || table === 'coder_names' || column === projectTables[table].key || spared.includes(column))
        continue
      db.prepare(`UPDATE OR IGNORE ${table} SET ${column} = ?`).run(value)
    }
  db.prepare("UPDATE source SET name = 'whole', fulltext = 'A line. Bob: b\na' WHERE id = 1").run()
  db.close()
}
