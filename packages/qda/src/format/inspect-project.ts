import { join } from 'node:path'
import Database from 'better-sqlite3'
import { QdaFailure } from '../failure.js'

export type Access =
  | { readonly kind: 'write' }
  | { readonly kind: 'read'; readonly code: 'PROJECT_READ_ONLY' | 'SCHEMA_TOO_NEW'; readonly reason: string }

export interface Inspection {
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>
  readonly schemaVersion: number | null
  readonly access: Access
  readonly warnings: readonly string[]
}

/** Reads what tables and columns there are, never trusting the version that the file claims. */
export function inspectProject(path: string): Inspection {
  let db: Database.Database
  try {
    db = new Database(join(path, 'data.qda'), { readonly: true, fileMustExist: true })
  } catch {
    throw new QdaFailure('PROJECT_NOT_OPENED/DB_OPEN_FAILED', `${path} can't be opened`)
  }
  try {
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all() as { name: string }[]
    const columns = new Map(
      tables.map(({ name }) => [
        name,
        new Set((db.pragma(`table_info("${name}")`) as { name: string }[]).map((column) => column.name)),
      ]),
    )
    const row = db.prepare('SELECT databaseversion AS v FROM project').get() as { v: string | null } | undefined
    const version = Number(/\d+/.exec(row?.v ?? '')?.[0] ?? Number.NaN)
    return { columns, schemaVersion: Number.isNaN(version) ? null : version, access: { kind: 'write' }, warnings: [] }
  } finally {
    db.close()
  }
}
