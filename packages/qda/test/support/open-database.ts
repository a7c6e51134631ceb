import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { Writer } from '../../src/changes/writer.js'
import { projectStatements } from '../../src/format/project-ddl.js'
import { sideStatements } from '../../src/format/side-schema.js'
import { projectTables } from '../../src/format/tables.js'
import { ProjectDatabase } from '../../src/project/project-database.js'

/** Both files of a project that is empty, without what the worker has around them. */
export function openDatabase(leaveOut: readonly string[] = []): ProjectDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'callboard-qda-'))
  const connection = new Database(join(folder, 'data.qda'))
  // Whoever pulls the plug has no test here.
  connection.pragma('synchronous = OFF')
  connection.prepare('ATTACH ? AS side').run(join(folder, 'callboard.sqlite'))
  connection.pragma('side.synchronous = OFF')
  connection.exec(`BEGIN; ${[...projectStatements(), ...sideStatements('side')].join(';\n')}; COMMIT`)
  const columns = Object.entries(projectTables).map(
    ([table, spec]) =>
      [table, new Set(Object.keys(spec.columns).filter((column) => !leaveOut.includes(`${table}.${column}`)))] as const,
  )
  return new ProjectDatabase(connection, new Map(columns))
}

let sets = 0

export function writerIn(db: ProjectDatabase, actor = 'agent:ada'): Writer {
  sets += 1
  return new Writer(db, {
    changeSetId: `set-${sets}`,
    tool: 'test_tool',
    actor,
    coder: `AI Agent (${actor.slice(6)})`,
    now: 1_700_000_000_000,
    date: '2023-11-14 22:13:20',
  })
}
