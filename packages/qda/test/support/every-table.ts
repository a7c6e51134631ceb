import { join } from 'node:path'
import Database from 'better-sqlite3'
import { createProjectFolder } from '../../src/format/create-project-folder.js'
import { columnsOf, projectTables, type Table, type TableName, tableNames } from '../../src/format/tables.js'

/** What a careless or hostile program may have written into a column, whatever its type. */
const oddValues = [
  "O'Brien \u{1F469}\u200D\u{1F4BB} e\u0301\u2029\r\n",
  '',
  null,
  'NULL',
  -1,
  2.5,
  Buffer.from([0, 255]),
]

/** A project of version 17 with rows in every table: ordinary ones, and ones of NULL, '' and values that do not fit. */
export function makeEveryTable(path: string): string {
  createProjectFolder(
    { path, name: 'Every' },
    { coder: 'Ana', now: Date.parse('2026-03-02T12:00:00Z'), timeZone: 'UTC' },
  )
  const db = new Database(join(path, 'data.qda'))
  try {
    db.transaction(() => {
      for (const table of tableNames) if (table !== 'project') fill(db, table)
    })()
  } finally {
    db.close()
  }
  return path
}

const rowsPerTable = 4

function fill(db: Database.Database, table: TableName): void {
  for (let row = 0; row < rowsPerTable; row += 1) {
    const columns = columnsOf(table)
    const values = columns.map((column, index) => valueFor(table, column, row, index))
    db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`).run(values)
  }
}

function valueFor(table: TableName, column: string, row: number, index: number): unknown {
  const { key, unique, columns }: Table = projectTables[table]
  const isText = columns[column]?.type === 'TEXT'
  // Gaps between the keys, so that a table that was written anew would show.
  if (column === key) return isText ? `${table} ${row}` : row * 10 + 1
  if (table === 'coder_names') return column === 'name' ? `Coder ${row}` : row % 2
  if (unique.some((group) => group.includes(column))) return isText ? `${column} ${row}` : row + 1
  if (row < 2) return isText ? `${table}.${column} ${row}` : row + index
  return oddValues[(row + index) % oddValues.length]
}

/** Every row of every table as `rowid` and `type:literal` of each column: equal only if not a byte has changed. */
export function dumpRows(database: string): ReadonlyMap<string, readonly string[]> {
  const db = new Database(database, { readonly: true })
  try {
    const tables = db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .pluck()
      .all() as string[]
    return new Map(tables.map((table) => [table, rowsOf(db, table)]))
  } finally {
    db.close()
  }
}

function rowsOf(db: Database.Database, table: string): string[] {
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table) as string[]
  const literals = columns.map((column) => `'${column}=' || typeof("${column}") || ':' || ${exact(column)}`)
  const hasRowid = db.prepare('SELECT wr = 0 FROM pragma_table_list WHERE name = ?').pluck().get(table) === 1
  const parts = hasRowid ? ['rowid', ...literals] : literals
  return db
    .prepare(`SELECT ${parts.join(" || ' ' || ")} FROM "${table}" ORDER BY ${hasRowid ? 'rowid' : '1'}`)
    .pluck()
    .all() as string[]
}

/** quote() ends a text at its first NUL character. */
function exact(column: string): string {
  return `CASE typeof("${column}") WHEN 'text' THEN hex("${column}") ELSE quote("${column}") END`
}
