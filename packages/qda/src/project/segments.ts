import { z } from 'zod'
import { placeCoding } from '../text/place-coding.js'
import { publicPart } from '../text/private-memo.js'
import { TextIndex } from '../text/text-index.js'
import { codingMeta } from './coding-meta.js'
import type { Coding } from './codings.js'
import type { OpenProject } from './open-project.js'
import type { ProjectDatabase, SqlValue } from './project-database.js'

/** A coding of text as tools show it. */
export const segmentData = z.object({
  id: z.int(),
  source_id: z.int().nullable(),
  code_id: z.int().nullable(),
  code_name: z.string().nullable(),
  start_position: z.int(),
  end_position: z.int(),
  selected_text: z.string(),
  memo: z.string().nullable(),
  importance: z.int(),
  owner: z.string().nullable(),
  created_at: z.string().nullable(),
  verified: z
    .enum(['exact', 'utf16', 'shifted', 'broken'])
    .describe(
      'How the stored positions fit the text: utf16 and shifted ones were corrected here, broken ones could not be',
    ),
  raw_start: z.number().nullable().describe('As it is stored'),
  raw_end: z.number().nullable(),
})

export type Segment = z.output<typeof segmentData>

/** Shows codings of a project; made anew for each call, as it knows the names of codes. */
export class SegmentReader {
  readonly #project: OpenProject
  readonly #codeNames: ReadonlyMap<number, string>

  constructor(project: OpenProject) {
    this.#project = project
    this.#codeNames = codeNames(project.db)
  }

  segment(coding: Coding): Segment {
    const { db, texts } = this.#project
    const { id, owner, date } = coding
    const [cid, fid] = [idIn(coding.cid), idIn(coding.fid)]
    const index = (fid === null ? undefined : texts.get(fid)) ?? noText
    const [pos0, pos1] = [numberIn(coding.pos0), numberIn(coding.pos1)]
    const seltext = textIn(coding.seltext)
    const { verified, start, end } = placeCoding({ index, pos0, pos1, seltext })
    return {
      id,
      source_id: fid,
      code_id: cid,
      code_name: this.codeName(cid),
      start_position: start,
      end_position: end,
      selected_text: verified === 'broken' ? (seltext ?? '') : index.slice(start, end),
      memo: publicPart(textIn(coding.memo)),
      importance: codingMeta(db, 'text', coding).importance,
      owner: textIn(owner),
      created_at: textIn(date) || null,
      verified,
      raw_start: pos0,
      raw_end: pos1,
    }
  }

  codeName(cid: number | null): string | null {
    return cid === null ? null : (this.#codeNames.get(cid) ?? null)
  }
}

/** By place, then by id. */
export function compareSegments(one: Segment, other: Segment): number {
  return one.start_position - other.start_position || one.end_position - other.end_position || one.id - other.id
}

/** SQLite keeps what it is given, whatever the column's type. */
export const numberIn = (value: SqlValue): number | null => (Number.isFinite(value) ? (value as number) : null)
/** Or a page, or anything else that is whole and can be said exactly. */
export const idIn = (value: SqlValue): number | null => (Number.isSafeInteger(value) ? (value as number) : null)
export const textIn = (value: SqlValue): string | null => (typeof value === 'string' ? value : null)

const noText = new TextIndex('')

function codeNames(db: ProjectDatabase): ReadonlyMap<number, string> {
  const rows = db.all<{ readonly cid: number; readonly name: string }>(
    "SELECT cid, coalesce(CAST(name AS TEXT), '') AS name FROM main.code_name",
  )
  return new Map(rows.map(({ cid, name }) => [cid, name]))
}
