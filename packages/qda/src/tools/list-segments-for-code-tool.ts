import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import { visible } from '../project/coders.js'
import { requireCode } from '../project/codes.js'
import { visibleCodings } from '../project/codings.js'
import type { ProjectDatabase } from '../project/project-database.js'
import { compareSegments, type Segment, SegmentReader, segmentData } from '../project/segments.js'
import { compareCursors, readCursor, type SegmentsCursor, writeCursor } from '../project/segments-cursor.js'
import { TimeSlices } from '../project/time-slices.js'
import { id } from './common-input.js'
import { segmentsCursor, segmentsLimit } from './list-segments-for-source-tool.js'
import { Answer, type QdaTool, readTool } from './qda-tool.js'

export function listSegmentsForCodeTool({ clock }: Pick<Foundation, 'clock'>): QdaTool {
  return readTool({
    name: 'list_segments_for_code',
    title: 'Coded segments of a code',
    description:
      'What is coded with a code, in all sources: by source id, then by place. Sub-codes have segments of their own. Give a limit where a code is used much.',
    input: z.object({ code_id: id('Code ID'), limit: segmentsLimit, cursor: segmentsCursor }),
    data: z.array(segmentData),
    beside: { total_count: z.int(), next_cursor: z.string().nullable() },
    read: async ({ code_id: codeId, limit = Number.POSITIVE_INFINITY, cursor }, { project, context }) => {
      requireCode(project.db, codeId)
      const after = cursor === undefined ? undefined : readCursor(cursor, 4)
      const slices = new TimeSlices(clock, context.signal)
      const counts = segmentsBySource(project.db, codeId)
      const reader = new SegmentReader(project)
      const found: Segment[] = []
      for (const { fid } of counts) {
        // One more than the page shows whether there is another page.
        if (found.length > limit) break
        if (after !== undefined && fid < after[0]!) continue
        found.push(...segmentsOf(project.db, reader, codeId, fid).filter((each) => isBehind(each, after)))
        await slices.pause()
      }
      const shown = found.slice(0, limit)
      const last = shown.at(-1)
      return new Answer(shown, {
        total_count: counts.reduce((sum, { count }) => sum + count, 0),
        next_cursor: found.length > shown.length && last !== undefined ? writeCursor(orderOf(last)) : null,
      })
    },
  })
}

function segmentsOf(db: ProjectDatabase, reader: SegmentReader, codeId: number, fid: number): readonly Segment[] {
  const codings = visibleCodings(db, 't.cid = ? AND t.fid = ?', codeId, fid)
  return codings.map((coding) => reader.segment(coding)).sort(compareSegments)
}

function segmentsBySource(db: ProjectDatabase, codeId: number) {
  return db.all<{ readonly fid: number; readonly count: number }>(
    `SELECT t.fid AS fid, count(*) AS count FROM main.code_text AS t
     WHERE t.cid = ? AND t.fid IS NOT NULL AND ${visible(db, 't')} GROUP BY t.fid ORDER BY t.fid`,
    codeId,
  )
}

const isBehind = (segment: Segment, after: SegmentsCursor | undefined): boolean =>
  after === undefined || compareCursors(orderOf(segment), after) > 0

const orderOf = ({ source_id, start_position, end_position, id }: Segment): SegmentsCursor => [
  source_id ?? 0,
  start_position,
  end_position,
  id,
]
