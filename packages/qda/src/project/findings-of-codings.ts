import { codingIdsPerSliceMax, codingsPerSliceMax } from '../limits.js'
import { type PlacedCoding, placeCoding } from '../text/place-coding.js'
import { TextIndex } from '../text/text-index.js'
import { visible } from './coders.js'
import { type Coding, selectCodings } from './codings.js'
import type { OpenProject } from './open-project.js'
import type { ProjectDatabase, SqlValue } from './project-database.js'
import { numberIn, textIn } from './segments.js'
import type { TimeSlices } from './time-slices.js'

/** A coding, and where its text is. */
export interface FoundCoding {
  readonly coding: Coding
  readonly placed: PlacedCoding
}

export interface CodingFilter {
  readonly segmentIds?: readonly number[] | undefined
  readonly sourceIds?: readonly number[] | undefined
}

/** Codings of text of visible coders, source by source, placed a few at a time. Between them the project may change. */
export async function* placedCodings(
  project: OpenProject,
  slices: TimeSlices,
  filter: CodingFilter = {},
): AsyncGenerator<readonly FoundCoding[]> {
  for (const ids of await idsBySource(project.db, slices, filter))
    for (let from = 0; from < ids.length; from += codingsPerSliceMax) {
      yield placeById(project, ids.slice(from, from + codingsPerSliceMax))
      await slices.pause()
    }
}

/** Those that are still there, by source. */
export function placeById({ db, texts }: OpenProject, ids: readonly number[]): readonly FoundCoding[] {
  const rows = db.all<Coding>(
    `${selectCodings(db)} WHERE ${visible(db, 't')} AND ${keyIn(db)} IN (SELECT value FROM json_each(?)) ORDER BY fid, ${keyIn(db)}`,
    JSON.stringify(ids),
  )
  return rows.map((coding) => {
    const fid = numberIn(coding.fid)
    const index = (fid === null ? undefined : texts.get(fid)) ?? noText
    const stored = { pos0: numberIn(coding.pos0), pos1: numberIn(coding.pos1), seltext: textIn(coding.seltext) }
    return { coding, placed: placeCoding({ index, ...stored }) }
  })
}

const noText = new TextIndex('')

const keyIn = (db: ProjectDatabase): string => (db.has('code_text', 'ctid') ? 'ctid' : 'rowid')

/** In the order of sources, so that each text is read once. */
async function idsBySource(
  db: ProjectDatabase,
  slices: TimeSlices,
  filter: CodingFilter,
): Promise<readonly (readonly number[])[]> {
  const bySource = new Map<number, number[]>()
  for (let after = 0; ; ) {
    const rows = nextIds(db, filter, after)
    if (rows.length === 0) return [...bySource].toSorted(([one], [other]) => one - other).map(([, ids]) => ids)
    for (const { id, fid } of rows) {
      const source = numberIn(fid) ?? 0
      const ids = bySource.get(source)
      if (ids === undefined) bySource.set(source, [id])
      else ids.push(id)
    }
    after = rows.at(-1)!.id
    await slices.pause()
  }
}

function nextIds(db: ProjectDatabase, { segmentIds, sourceIds }: CodingFilter, after: number) {
  const key = keyIn(db)
  const conditions = [
    `${key} > ?`,
    visible(db, 't'),
    ...(segmentIds === undefined ? [] : [`${key} IN (SELECT value FROM json_each(?))`]),
    ...(sourceIds === undefined ? [] : ['fid IN (SELECT value FROM json_each(?))']),
  ]
  const values = [segmentIds, sourceIds].flatMap((ids) => (ids === undefined ? [] : [JSON.stringify(ids)]))
  return db.all<{ readonly id: number; readonly fid: SqlValue }>(
    `SELECT ${key} AS id, fid FROM main.code_text AS t WHERE ${conditions.join(' AND ')} ORDER BY ${key} LIMIT ?`,
    ...[after, ...values, codingIdsPerSliceMax],
  )
}
