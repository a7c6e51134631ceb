import type { RecordedTable } from '../changes/recorded-tables.js'
import type { RowKey } from '../changes/writer.js'
import { type FailureCode, QdaFailure } from '../failure.js'
import { visible } from './coders.js'
import type { ProjectDatabase } from './project-database.js'

export const memoKinds = ['project', 'source', 'code', 'category', 'case', 'coding'] as const
export type MemoKind = (typeof memoKinds)[number]

/** Where a memo is, whole. */
export interface StoredMemo {
  readonly table: RecordedTable
  readonly key: RowKey
  /** With its private part. */
  readonly memo: string | null
  readonly owner: string | null
}

interface Place {
  readonly table: RecordedTable
  readonly key: string
  readonly label: string
  readonly code: FailureCode
}

const places: { readonly [Kind in Exclude<MemoKind, 'project'>]: Place } = {
  source: { table: 'source', key: 'id', label: 'Source', code: 'SOURCE_NOT_FOUND' },
  code: { table: 'code_name', key: 'cid', label: 'Code', code: 'CODE_NOT_FOUND' },
  category: { table: 'code_cat', key: 'catid', label: 'Category', code: 'CATEGORY_NOT_FOUND' },
  case: { table: 'cases', key: 'caseid', label: 'Case', code: 'CASE_NOT_FOUND' },
  coding: { table: 'code_text', key: 'ctid', label: 'Segment', code: 'SEGMENT_NOT_FOUND' },
}

/** Of a text coding, by its id, unless its coder is hidden. `id` is of no account for the project. Throws what is not found. */
export function findMemo(db: ProjectDatabase, kind: MemoKind, id: number | undefined): StoredMemo {
  if (kind === 'project') return { table: 'project', key: 1, memo: projectMemo(db), owner: null }
  if (id === undefined)
    throw new QdaFailure('MISSING_PARAMETER', 'Missing required parameter: id', { details: { path: 'id' } })
  const { table, key, label, code } = places[kind]
  // Old projects have codings without a key of their own.
  const column = db.has(table, key) ? key : 'rowid'
  const row = db.get<{ readonly memo: string | null; readonly owner: string | null }>(
    `SELECT CAST(memo AS TEXT) AS memo, CAST(owner AS TEXT) AS owner FROM main.${table} AS t
     WHERE ${column} = ? AND ${kind === 'coding' ? visible(db, 't') : '1'}`,
    id,
  )
  if (row === undefined) throw new QdaFailure(code, `${label} ${id} not found`, { details: { kind, id } })
  return { table, key: id, ...row }
}

const projectMemo = (db: ProjectDatabase): string | null =>
  db.value<string | null>('SELECT CAST(memo AS TEXT) FROM main.project LIMIT 1') ?? null
