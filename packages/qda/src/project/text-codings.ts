import { QdaFailure } from '../failure.js'
import { codingsComparedMax, codingsPerPage } from '../limits.js'
import { placeCoding } from '../text/place-coding.js'
import { TextIndex } from '../text/text-index.js'
import type { ProjectDatabase } from './project-database.js'
import { readText } from './search-sources.js'
import { numberIn, textIn } from './segments.js'
import type { TimeSlices } from './time-slices.js'

/** A coding of text, at the place where its text is found; code points, half-open. */
export interface PlacedTextCoding {
  readonly coder: string
  readonly codeId: number
  readonly sourceId: number
  readonly start: number
  readonly end: number
}

/** Which codings there are; rowids, by source. What is not a row of a real code and source is left out. */
export type CodingsBySource = ReadonlyMap<number, number[]>

/** Whether a coding counts. */
export type CodingFilter = (coding: {
  readonly codeId: number
  readonly sourceId: number
  readonly coder: string
}) => boolean

/** Reads no texts. Throws INVALID_ARGUMENT for more codings than can be held. */
export async function listCodings(
  db: ProjectDatabase,
  filter: CodingFilter,
  slices: TimeSlices,
): Promise<CodingsBySource> {
  const found = new Map<number, number[]>()
  let count = 0
  for await (const page of pagesOfCodings(db, slices))
    for (const { id, cid, fid, owner } of page) {
      if (!filter({ codeId: cid, sourceId: fid, coder: owner })) continue
      count += 1
      if (count > codingsComparedMax) throw tooMany()
      const ids = found.get(fid)
      if (ids === undefined) found.set(fid, [id])
      else ids.push(id)
    }
  return found
}

export interface PlacedCodings {
  readonly codings: readonly PlacedTextCoding[]
  /** Without a place: their text is not where it is said to be, nor near it. */
  readonly broken: readonly Omit<PlacedTextCoding, 'start' | 'end'>[]
  /** Of the texts of the sources, in code points. */
  readonly lengths: ReadonlyMap<number, number>
}

/** Source by source, so that one text is held at a time. */
export async function placeCodings(
  db: ProjectDatabase,
  bySource: CodingsBySource,
  slices: TimeSlices,
): Promise<PlacedCodings> {
  const codings: PlacedTextCoding[] = []
  const broken: Omit<PlacedTextCoding, 'start' | 'end'>[] = []
  const lengths = new Map<number, number>()
  for (const [sourceId, ids] of bySource) {
    const index = new TextIndex(readText(db, sourceId) ?? '')
    lengths.set(sourceId, index.length)
    for (const row of storedCodings(db, ids)) {
      const coding = { coder: row.owner, codeId: row.cid, sourceId }
      const { verified, start, end } = placeCoding({
        index,
        pos0: numberIn(row.pos0),
        pos1: numberIn(row.pos1),
        seltext: textIn(row.seltext),
      })
      if (verified === 'broken') broken.push(coding)
      else codings.push({ ...coding, start, end })
    }
    await slices.pause()
  }
  return { codings, broken, lengths }
}

type CodingRow = { readonly id: number; readonly cid: number; readonly fid: number; readonly owner: string }

type StoredCoding = CodingRow & {
  readonly pos0: string | number | null
  readonly pos1: string | number | null
  readonly seltext: string | null
}

async function* pagesOfCodings(db: ProjectDatabase, slices: TimeSlices): AsyncGenerator<readonly CodingRow[]> {
  for (let last = Number.MIN_SAFE_INTEGER; ; ) {
    const rows = db.all<CodingRow>(
      `SELECT rowid AS id, cid, fid, CAST(coalesce(owner, '') AS TEXT) AS owner FROM main.code_text
       WHERE rowid > ? ORDER BY rowid LIMIT ${codingsPerPage}`,
      last,
    )
    yield rows
    if (rows.length < codingsPerPage) return
    last = rows.at(-1)!.id
    await slices.pause()
  }
}

function storedCodings(db: ProjectDatabase, ids: readonly number[]): readonly StoredCoding[] {
  return db.all<StoredCoding>(
    `SELECT t.cid AS cid, t.pos0 AS pos0, t.pos1 AS pos1, t.seltext AS seltext, CAST(coalesce(t.owner, '') AS TEXT) AS owner
     FROM json_each(?) AS wanted CROSS JOIN main.code_text AS t ON t.rowid = wanted.value`,
    JSON.stringify(ids),
  )
}

const tooMany = (): QdaFailure =>
  new QdaFailure('INVALID_ARGUMENT', `At most ${codingsComparedMax} codings can be compared in one call`, {
    suggestions: ['Choose fewer codes or sources.'],
  })
