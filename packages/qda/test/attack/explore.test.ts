import { it } from 'vitest'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { makeEveryTable } from '../support/every-table.js'
import { columnsOf, projectTables, tableNames } from '../../src/format/tables.js'
import { openQdaForTest } from '../support/whole-qda.js'
import { everyRead, everyWrite } from './support/every-call.js'
const ids = [{ source: 1, code: 1, otherCode: 11, category: 1, segment: 1, journal: 1, case: 1 },{ source: 21, code: 21, otherCode: 31, category: 21, segment: 21, journal: 21, case: 21 }]
const odd: [string, unknown][] = [['blob', Buffer.from([0, 255, 47])], ['null', null], ['empty', ''], ['text', '\ud83d\ude00 "]; DROP TABLE source; --\0 x'], ['real', 2.5], ['inf', Infinity], ['2^63-1', 2n ** 63n - 1n], ['-2^63', -(2n ** 63n)], ['int1', 1n], ['int21', 21n], ['proto','__proto__'], ['path','/docs/../../x'], ['badutf8', 'BADUTF8']]
it('explore', async () => {
  for (const [label, value] of odd) for (const these of ids) {
    await using qda = await openQdaForTest()
    const path = makeEveryTable(join(qda.folder, 'Every.qda'))
    const db = new Database(join(path, 'data.qda'))
    for (const table of tableNames) for (const column of columnsOf(table)) {
      if (table === 'project' && ['about', 'databaseversion'].includes(column) || column === projectTables[table].key || table === 'coder_names' ) continue
      if (value === 'BADUTF8') db.exec(`UPDATE OR IGNORE ${table} SET ${column} = CAST(x'ff41c3' AS TEXT)`)
      else db.prepare(`UPDATE OR IGNORE ${table} SET ${column} = ?`).run(value)
    }
    db.prepare("UPDATE source SET name='ok', fulltext='A line. Bob: b\na' where id=1").run()
    db.close()
    const opened = await qda.call('open_project', { path })
    if (!opened.success) console.log(label, JSON.stringify(opened))
    for (const [tool, args] of [...everyRead(these), ...everyWrite(these)]) {
      const t0 = performance.now()
      const a = await qda.call(tool, args).catch((e) => ({ success: false, thrown: String(e), error_code: '' }))
      if (!a.success && (a.error_code === 'INTERNAL' || a.thrown)) console.log('FAIL', label, these.source, tool, JSON.stringify(args), a.thrown)
      if (performance.now() - t0 > 1000) console.log('SLOW', tool, performance.now() - t0)
    }
    for (const e of qda.link.internalErrors) console.log('INTERNALERR', e)
  }
}, 100000)
