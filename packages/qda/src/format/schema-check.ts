import { addedIn, schemaOf, schemaVersionNewest, schemaVersionOldestWritable } from './schema-history.js'
import type { TableName } from './tables.js'

/** What may be done with a project, and if it may only be read, why, in a sentence for the agent. */
export type Access =
  | { readonly kind: 'write' }
  | { readonly kind: 'read'; readonly code: 'PROJECT_READ_ONLY' | 'SCHEMA_TOO_NEW'; readonly reason: string }

type Columns = ReadonlyMap<TableName, ReadonlySet<string>>

interface Found {
  readonly columns: Columns
  /** That the file claims. */
  readonly version: number | null
  readonly encoding: string
  readonly journalMode: string
  readonly hasTriggers: boolean
}

/** Without these there is nothing to show. */
const readTables: readonly TableName[] = ['project', 'source', 'code_cat', 'code_name', 'code_text']

export function accessOf(found: Found): Access | { readonly kind: 'refuse'; readonly reason: string } {
  const unreadable = lacking(found.columns, 1).find(({ table }) => readTables.includes(table))
  if (unreadable !== undefined) return { kind: 'refuse', reason: `has no ${nameOf(unreadable)}` }
  if (found.version !== null && found.version > schemaVersionNewest)
    return {
      kind: 'read',
      code: 'SCHEMA_TOO_NEW',
      reason: `The project has version ${found.version} of the format, and ${schemaVersionNewest} is the newest that can be written, so it can only be read. Update Callboard.`,
    }
  const reason = whyReadOnly(found)
  return reason === null ? { kind: 'write' } : { kind: 'read', code: 'PROJECT_READ_ONLY', reason }
}

function whyReadOnly({ columns, version, encoding, journalMode, hasTriggers }: Found): string | null {
  const only = 'so it can only be read'
  const upgrade = 'Open it once in a current QualCoder, which upgrades it'
  if (version === null) return `The project does not say which version of the format it has, ${only}. ${upgrade}.`
  if (version < schemaVersionOldestWritable)
    return `The project has version ${version} of the format, which is older than ${schemaVersionOldestWritable}, ${only}. ${upgrade}.`
  const missing = lacking(columns, schemaVersionOldestWritable).find(({ table }) => table !== 'stored_sql')
  if (missing !== undefined)
    return `The project says that it has version ${version} of the format but has no ${nameOf(missing)}, ${only}. ${upgrade}.`
  if (encoding !== 'UTF-8') return `The project's database is in ${encoding} instead of UTF-8, ${only}.`
  if (journalMode === 'wal')
    return `The project's database is in WAL mode, in which QualCoder never writes, ${only}. Set its journal_mode to DELETE.`
  if (hasTriggers) return `The project's database has triggers, which QualCoder never makes, ${only}. Drop them first.`
  return null
}

/** What is not as the version says that the file claims. */
export function columnWarnings(columns: Columns, version: number | null): string[] {
  if (version === null || version > schemaVersionNewest) return []
  const missing = lacking(columns, version).map(nameOf)
  const early = extra(columns, version)
  const misspelt = [...(columns.get('project') ?? [])].includes('avbookmarktext')
  return [
    ...(missing.length === 0 ? [] : [`The project says v${version} but has no ${listed(missing)}.`]),
    ...(early.length === 0 ? [] : [`The project says v${version} but has what came later: ${listed(early)}.`]),
    ...(misspelt ? ['The column project.avbookmarktextpos is misspelt as avbookmarktext in this file.'] : []),
  ]
}

interface Place {
  readonly table: TableName
  /** None: the whole table. */
  readonly column?: string
}

function lacking(columns: Columns, version: number): Place[] {
  return [...schemaOf(version)].flatMap(([table, names]): Place[] => {
    const found = columns.get(table)
    if (found === undefined) return [{ table }]
    return names.filter((column) => !found.has(column)).map((column) => ({ table, column }))
  })
}

function extra(columns: Columns, version: number): string[] {
  return [...columns].flatMap(([table, names]) =>
    addedIn(table) > version
      ? [nameOf({ table })]
      : [...names].filter((column) => addedIn(table, column) > version).map((column) => nameOf({ table, column })),
  )
}

function nameOf({ table, column }: Place): string {
  return column === undefined ? `table ${table}` : `${table}.${column}`
}

function listed(names: readonly string[]): string {
  const shownMax = 5
  const more = names.length - shownMax
  return more > 0 ? `${names.slice(0, shownMax).join(', ')} and ${more} more` : names.join(', ')
}
