import type { Writer } from '../changes/writer.js'
import { parsedJson } from './parsed-json.js'
import type { ProjectDatabase, Row } from './project-database.js'
import { type SourceRow, sourceFingerprint } from './sources.js'

export const sourceStatuses = [
  'importing',
  'imported',
  'queued',
  'transcribing',
  'transcribed',
  'ready',
  'in_progress',
  'coded',
  'error',
] as const
export type SourceStatus = (typeof sourceStatuses)[number]

/** What the original's format has no place for. */
export interface SourceMeta {
  readonly folder_id: number | null
  readonly status: SourceStatus
  readonly origin: string | null
  readonly language: string | null
  readonly topics: readonly string[]
  /** Of a source that came from elsewhere. */
  readonly guid: string | null
}

const defaults: SourceMeta = {
  folder_id: null,
  status: 'imported',
  origin: null,
  language: null,
  topics: [],
  guid: null,
}

type MetaRow = {
  readonly source_id: number
  readonly fp: string
  readonly folder_id: number | null
  readonly status: string | null
  readonly origin: string | null
  readonly language: string | null
  readonly topics: string | null
  readonly guid: string | null
}

/** A folder that is gone is the root. */
const selectMeta = `SELECT source_id, fp, status, CAST(origin AS TEXT) AS origin, CAST(language AS TEXT) AS language, topics,
  CAST(guid AS TEXT) AS guid,
  CASE WHEN folder_id IN (SELECT id FROM side.folder) THEN folder_id END AS folder_id FROM side.source_meta`

/** Of a source without any, or of an earlier one that had its id: the defaults. */
export function metaOf(db: ProjectDatabase, source: SourceRow): SourceMeta {
  const row = db.get<MetaRow>(`${selectMeta} WHERE source_id = ?`, source.id)
  return row === undefined || row.fp !== sourceFingerprint(source) ? defaults : metaIn(row)
}

/** Of all sources at once, by id; those without any are not in it. */
export function allMeta(db: ProjectDatabase): (source: SourceRow) => SourceMeta {
  const rows = new Map(db.all<MetaRow>(selectMeta).map((row) => [row.source_id, row]))
  return (source) => {
    const row = rows.get(source.id)
    return row === undefined || row.fp !== sourceFingerprint(source) ? defaults : metaIn(row)
  }
}

/** What is not given stays as it is. */
export function setMeta(writer: Writer, source: SourceRow, given: Partial<SourceMeta>): void {
  const { topics, ...rest } = given
  const values: Row = { ...rest, ...(topics !== undefined && { topics: JSON.stringify(topics) }) }
  const fp = sourceFingerprint(source)
  const row = writer.row('source_meta', source.id)
  if (row?.['fp'] === fp) writer.update('source_meta', source.id, values)
  else {
    if (row !== undefined) writer.delete('source_meta', source.id)
    writer.insert('source_meta', { source_id: source.id, fp, ...values })
  }
}

function metaIn({ folder_id, status, origin, language, topics, guid }: MetaRow): SourceMeta {
  const known = sourceStatuses.find((each) => each === status)
  return { folder_id, status: known ?? defaults.status, origin, language, topics: topicsIn(topics), guid }
}

function topicsIn(json: string | null): readonly string[] {
  const topics = json === null ? [] : parsedJson(json)
  return Array.isArray(topics) ? topics.filter((topic) => typeof topic === 'string') : []
}
