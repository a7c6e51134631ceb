import { basename, extname } from 'node:path'
import { QdaFailure } from '../failure.js'
import { sourceNameKey } from '../text/name-key.js'
import { visible } from './coders.js'
import { codingTables } from './coding-meta.js'
import { wholeColumn } from './column-values.js'
import type { ProjectDatabase } from './project-database.js'

export const sourceTypes = ['text', 'audio', 'video', 'image', 'pdf'] as const
export type SourceType = (typeof sourceTypes)[number]

/** Of the main table; the text only where it is asked for. */
export interface SourceRow {
  readonly id: number
  readonly name: string
  readonly mediapath: string | null
  readonly memo: string | null
  readonly owner: string | null
  readonly date: string | null
  readonly av_text_id: number | null
}

const mediaKinds: Readonly<Record<string, SourceType>> = { images: 'image', audio: 'audio', video: 'video' }

/** By where its file is: inside the project's folder (`/images/x.png`) or linked (`images:/home/x.png`). */
export function sourceType(mediapath: string | null): SourceType {
  const kind = /^\/?([a-z]+)[/:]/.exec(mediapath ?? '')?.[1] ?? 'docs'
  if (Object.hasOwn(mediaKinds, kind)) return mediaKinds[kind]!
  return extname(mediapath ?? '').toLowerCase() === '.pdf' ? 'pdf' : 'text'
}

const folders: Readonly<Record<string, string>> = {
  docs: 'documents',
  images: 'images',
  audio: 'audio',
  video: 'video',
}

/** Of a source's file inside the project folder, relative to it. Undefined: it has none, or is linked. */
export function innerPath(mediapath: string | null): string | undefined {
  const [, kind = '', name = ''] = /^\/([a-z]+)\/(.+)$/s.exec(mediapath ?? '') ?? []
  const folder = Object.hasOwn(folders, kind) ? folders[kind] : undefined
  // A name with a way in it is not the original's.
  return folder === undefined || name !== basename(name) || name === '..' ? undefined : `${folder}/${name}`
}

export function findSource(db: ProjectDatabase, id: number): SourceRow | undefined {
  return db.get<SourceRow>(`SELECT ${columnsIn(db)} FROM main.source WHERE id = ?`, id)
}

/** By name, then by id. */
export function allSources(db: ProjectDatabase): readonly SourceRow[] {
  return db.all<SourceRow>(`SELECT ${columnsIn(db)} FROM main.source ORDER BY name, id`)
}

/** With what a list tells of its text, and its codings. */
export interface MeasuredSource extends SourceRow {
  /** Of the text, in code points and in bytes of UTF-8. */
  readonly length: number
  readonly bytes: number
  /** Of text, images, audio and video, by visible coders. */
  readonly codings: number
}

/** By name, then by id. No text leaves the database. */
export function measuredSources(db: ProjectDatabase): readonly MeasuredSource[] {
  const codings = codingCounts(db)
  return db
    .all<Omit<MeasuredSource, 'codings'>>(
      `SELECT ${columnsIn(db)}, coalesce(length(fulltext), 0) AS length, coalesce(octet_length(fulltext), 0) AS bytes
       FROM main.source ORDER BY name, id`,
    )
    .map((source) => ({ ...source, codings: codings.get(source.id) ?? 0 }))
}

function codingCounts(db: ProjectDatabase): ReadonlyMap<number, number> {
  const counts = new Map<number, number>()
  for (const { table, source } of Object.values(codingTables)) {
    const rows = db.all<{ readonly id: number; readonly n: number }>(
      `SELECT t.${source} AS id, count(*) AS n FROM main.${table} AS t WHERE ${visible(db, 't')} GROUP BY t.${source}`,
    )
    for (const { id, n } of rows) counts.set(id, (counts.get(id) ?? 0) + n)
  }
  return counts
}

/** The source that has this name already, however it is written. */
export function sourceNamed(db: ProjectDatabase, name: string): number | undefined {
  const key = sourceNameKey(name)
  const names = db.all<{ readonly id: number; readonly name: string }>(
    "SELECT id, coalesce(CAST(name AS TEXT), '') AS name FROM main.source",
  )
  return names.find((source) => sourceNameKey(source.name) === key)?.id
}

/** A name that is missing is empty: the column takes NULL, and bytes, and what is no number where one belongs. */
const columnsIn = (db: ProjectDatabase): string => {
  const transcript = db.has('source', 'av_text_id') ? wholeColumn('av_text_id') : 'NULL'
  return `id, coalesce(CAST(name AS TEXT), '') AS name, CAST(mediapath AS TEXT) AS mediapath, CAST(memo AS TEXT) AS memo,
    CAST(owner AS TEXT) AS owner, CAST(date AS TEXT) AS date, ${transcript} AS av_text_id`
}

/** Throws SOURCE_NOT_FOUND. */
export function requireSource(db: ProjectDatabase, id: number): SourceRow {
  const source = findSource(db, id)
  if (source !== undefined) return source
  throw new QdaFailure('SOURCE_NOT_FOUND', `Source ${id} not found`, {
    details: { source_id: id },
    suggestions: ['list_sources shows the sources there are.'],
  })
}

/** Tells a source from a later one that SQLite gave the same id. */
export const sourceFingerprint = ({ name, date }: Pick<SourceRow, 'name' | 'date'>): string => `${name}\n${date ?? ''}`
