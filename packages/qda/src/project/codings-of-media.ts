import { z } from 'zod'
import { publicPart } from '../text/private-memo.js'
import { visible } from './coders.js'
import { type CodingIdentity, codingMeta, codingTables, identityColumns } from './coding-meta.js'
import type { ProjectDatabase } from './project-database.js'
import { idIn, numberIn, type SegmentReader, textIn } from './segments.js'

/** A coding of an image, or of a time of audio or video, as tools show it. */
export const mediaCodingData = z.object({
  kind: z.enum(['image', 'av']),
  id: z.int(),
  code_id: z.int().nullable(),
  code_name: z.string().nullable(),
  memo: z.string().nullable(),
  importance: z.int(),
  owner: z.string().nullable(),
  created_at: z.string().nullable(),
  area: z
    .object({
      x: z.number().nullable(),
      y: z.number().nullable(),
      width: z.number().nullable(),
      height: z.number().nullable(),
      pdf_page: z.int().nullable(),
    })
    .optional()
    .describe('Of an image; pixels'),
  start_ms: z.number().nullable().optional().describe('Of audio and video'),
  end_ms: z.number().nullable().optional(),
})

export type MediaCoding = z.output<typeof mediaCodingData>

/** Of a source, of visible coders, by id: images first. */
export function mediaCodings(
  db: ProjectDatabase,
  reader: SegmentReader,
  sourceId: number,
  codeId: number | undefined,
): MediaCoding[] {
  return (['image', 'av'] as const).flatMap((kind) =>
    rowsOf(db, kind, sourceId, codeId).map((row) => ({
      kind,
      id: row.id,
      code_id: idIn(row.cid),
      code_name: reader.codeName(idIn(row.cid)),
      memo: publicPart(textIn(row.memo)),
      importance: codingMeta(db, kind, row).importance,
      owner: textIn(row.owner),
      created_at: textIn(row.date) || null,
      ...(kind === 'image' ? { area: areaOf(row) } : { start_ms: numberIn(row.pos0), end_ms: numberIn(row.pos1) }),
    })),
  )
}

const areaOf = ({ x1, y1, width, height, pdf_page }: MediaRow) => ({
  ...{ x: numberIn(x1), y: numberIn(y1), width: numberIn(width), height: numberIn(height) },
  pdf_page: idIn(pdf_page),
})

interface MediaRow extends CodingIdentity {
  readonly memo: string | null
  readonly date: string | null
  readonly x1: number | null
  readonly y1: number | null
  readonly width: number | null
  readonly height: number | null
  readonly pdf_page: number | null
}

function rowsOf(
  db: ProjectDatabase,
  kind: 'image' | 'av',
  sourceId: number,
  codeId: number | undefined,
): readonly MediaRow[] {
  const { table, key } = codingTables[kind]
  if (!db.has(table)) return []
  const page = db.has(table, 'pdf_page') ? 'pdf_page' : 'NULL AS pdf_page'
  const area = kind === 'image' ? `, x1, y1, width, height, ${page}` : ''
  return db.all<MediaRow>(
    `SELECT ${identityColumns(db, kind)}, memo, date${area} FROM main.${table} AS t
     WHERE t.id = ? AND t.cid = coalesce(?, t.cid) AND ${visible(db, 't')} ORDER BY t.${key}`,
    sourceId,
    codeId ?? null,
  )
}
