import { accessSync, constants, lstatSync } from 'node:fs'
import { basename, join } from 'node:path'
import Database from 'better-sqlite3'
import { QdaFailure } from '../failure.js'
import { lockedReadMs } from '../limits.js'
import { mediaFolders } from './create-project-folder.js'
import { databaseFileName } from './project-path.js'
import { type Access, accessOf, columnWarnings } from './schema-check.js'
import { sideFileName } from './side-schema.js'
import { keyOf, type TableName, tableNames } from './tables.js'

export type { Access } from './schema-check.js'

/** What a project folder turned out to be. */
export interface Inspection {
  /** Of each table of the format that the file has. */
  readonly columns: ReadonlyMap<TableName, ReadonlySet<string>>
  /** By what a row of each table is found: its key, or `rowid` where the file has no such column. */
  readonly keys: ReadonlyMap<TableName, string>
  /** That the file claims; null where it claims none. */
  readonly schemaVersion: number | null
  /** Whom QualCoder knows as the coder at that machine. */
  readonly coderName: string | null
  readonly sourceCount: number
  readonly access: Access
  /** Sentences. */
  readonly warnings: readonly string[]
}

/**
 * Looks at a project folder without changing anything in it, except that SQLite takes back a write which a crash left
 * unfinished. What tables and columns there are is read from the database; the version that it claims only counts where
 * it is too old or too new. Reads no texts. Throws a QdaFailure PROJECT_NOT_OPENED or PROJECT_BUSY.
 */
export function inspectProject(path: string): Inspection {
  const hadJournal = hasJournal(path)
  const db = openDatabase(path, hadJournal)
  try {
    const found = readDatabase(db, path)
    const unwritable = whyUnwritable(path)
    return {
      ...found,
      access:
        found.access.kind === 'write' && unwritable !== null
          ? { kind: 'read', code: 'PROJECT_READ_ONLY', reason: unwritable }
          : found.access,
      warnings: [
        ...found.warnings,
        ...(hadJournal && !hasJournal(path) ? ['A write that was interrupted by a crash has been taken back.'] : []),
        ...folderWarnings(path),
      ],
    }
  } catch (error) {
    throw explained(error, path)
  } finally {
    db.close()
  }
}

/** Then a write goes on, or has to be taken back first, which a connection that only reads can't. */
function hasJournal(path: string): boolean {
  const journal = lstatSync(join(path, `${databaseFileName}-journal`), { throwIfNoEntry: false })
  return journal !== undefined && journal.size > 0
}

function openDatabase(path: string, hasJournal: boolean): Database.Database {
  const file = join(path, databaseFileName)
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true) throw notQualCoder(`${path} has no file ${databaseFileName}`)
  const side = lstatSync(join(path, sideFileName), { throwIfNoEntry: false })
  if (side !== undefined && !side.isFile())
    throw new QdaFailure(
      'PROJECT_NOT_OPENED/DB_OPEN_FAILED',
      `${sideFileName} in ${path} is a link or no file at all. Move it away; what it held is then missing.`,
    )
  try {
    return new Database(file, { readonly: !hasJournal, fileMustExist: true, timeout: lockedReadMs })
  } catch (error) {
    throw explained(error, path)
  }
}

function readDatabase(db: Database.Database, path: string) {
  db.pragma('trusted_schema = OFF')
  const columns = readColumns(db)
  const project = readProject(db, columns, path)
  const storage = readStorage(db)
  const access = accessOf({ columns, version: project.version, ...storage })
  if (access.kind === 'refuse') throw notQualCoder(`${basename(path)} ${access.reason}`)
  requireNameableKeys(db, columns, path)
  return {
    columns,
    keys: new Map([...columns].map(([table, names]) => [table, rowKey(table, names)])),
    schemaVersion: project.version,
    coderName: project.coderName,
    sourceCount: db.prepare('SELECT count(*) FROM source').pluck().get() as number,
    access,
    warnings: [...project.warnings, ...columnWarnings(columns, project.version)],
  }
}

/** Of real tables only: a view or a module's table of that name is none of the format. */
function readColumns(db: Database.Database): Map<TableName, ReadonlySet<string>> {
  const isTable = db
    .prepare("SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND wr = 0 AND name = ?")
    .pluck()
  const columnsOf = db.prepare('SELECT name FROM pragma_table_info(?)').pluck()
  return new Map(
    tableNames
      .filter((table) => isTable.get(table) === 1)
      .map((table) => [table, new Set(columnsOf.all(table) as string[])]),
  )
}

/** No number here can hold a longer one: its row could not be named, and a walk along the keys would never get past it. */
function requireNameableKeys(
  db: Database.Database,
  columns: ReadonlyMap<TableName, ReadonlySet<string>>,
  path: string,
): void {
  for (const [table, names] of columns) {
    const key = rowKey(table, names)
    if (table === 'attribute_type') continue
    // Each of the two is one look into the tree of keys; a comparison of all rows would read them all.
    const ends = `(SELECT max(${key}) FROM ${table}) > ${Number.MAX_SAFE_INTEGER} OR (SELECT min(${key}) FROM ${table}) < -${Number.MAX_SAFE_INTEGER}`
    if (db.prepare(`SELECT ${ends}`).pluck().get() === 1)
      throw new QdaFailure(
        'PROJECT_NOT_OPENED/UNSUPPORTED_FORMAT',
        `The table ${table} in ${path} has rows whose numbers are longer than QualCoder ever makes them. Open one of its backups.`,
      )
  }
}

function readProject(db: Database.Database, columns: ReadonlyMap<TableName, ReadonlySet<string>>, path: string) {
  const names = columns.get('project')
  if (names === undefined || !names.has('about')) throw notQualCoder(`${path} has no table of a QualCoder project`)
  const column = (name: string) => (names.has(name) ? `substr(CAST(${name} AS TEXT), 1, 255)` : 'NULL')
  const rows = db
    .prepare(
      `SELECT ${column('databaseversion')} AS version, ${column('codername')} AS coderName,
        instr(CAST(about AS TEXT), 'QualCoder') > 0 AS isQualCoder FROM project LIMIT 2`,
    )
    .all() as { version: string | null; coderName: string | null; isQualCoder: number }[]
  const row = rows[0]
  if (row?.isQualCoder !== 1) throw notQualCoder(`${path} does not say that it is a QualCoder project`)
  const version = /^\s*v?(\d{1,4})\s*$/i.exec(row.version ?? '')?.[1]
  return {
    version: version === undefined ? null : Number(version),
    coderName: row.coderName === '' ? null : row.coderName,
    warnings: rows.length > 1 ? ['The project describes itself more than once; the first description counts.'] : [],
  }
}

function readStorage(db: Database.Database) {
  return {
    encoding: db.pragma('encoding', { simple: true }) as string,
    journalMode: db.pragma('journal_mode', { simple: true }) as string,
    hasTriggers: db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'trigger' LIMIT 1").get() !== undefined,
  }
}

function rowKey(table: TableName, names: ReadonlySet<string>): string {
  const key = keyOf(table)
  return key !== null && names.has(key) ? key : 'rowid'
}

function whyUnwritable(path: string): string | null {
  const places = [path, join(path, databaseFileName), join(path, sideFileName)]
  const locked = places.find((place) => !isWritable(place))
  return locked === undefined
    ? null
    : `${locked} can't be written, so the project can only be read. Change its permissions, then open the project again.`
}

function isWritable(place: string): boolean {
  try {
    accessSync(place, constants.W_OK)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function folderWarnings(path: string): string[] {
  const missing = mediaFolders.filter(
    (folder) => lstatSync(join(path, folder), { throwIfNoEntry: false }) === undefined,
  )
  return missing.length === 0 ? [] : [`The project has no folder ${missing.join(', ')}.`]
}

function notQualCoder(what: string): QdaFailure {
  return new QdaFailure(
    'PROJECT_NOT_OPENED/NOT_QUALCODER',
    `${what}. Give the path of a project folder that QualCoder made.`,
  )
}

function explained(error: unknown, path: string): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message: string }
  if (error instanceof QdaFailure || typeof code !== 'string' || !code.startsWith('SQLITE_')) return error
  if (code === 'SQLITE_NOTADB') return notQualCoder(`${databaseFileName} in ${path} is no SQLite database`)
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
    return new QdaFailure('PROJECT_BUSY', `Another program is writing to ${path}. Try again in a moment.`)
  return new QdaFailure(
    'PROJECT_NOT_OPENED/DB_OPEN_FAILED',
    `${databaseFileName} in ${path} can't be read (${message}). Check its permissions, or open one of its backups.`,
  )
}
