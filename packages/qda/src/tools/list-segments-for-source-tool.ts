import { z } from 'zod'
import { segmentsListedMax } from '../limits.js'
import { requireCode } from '../project/codes.js'
import { inSource, visibleCodings } from '../project/codings.js'
import { mediaCodingData, mediaCodings } from '../project/codings-of-media.js'
import { compareSegments, type Segment, SegmentReader, segmentData } from '../project/segments.js'
import { compareCursors, readCursor, type SegmentsCursor, writeCursor } from '../project/segments-cursor.js'
import { requireSource } from '../project/sources.js'
import { id } from './common-input.js'
import { Answer, type QdaTool, readTool } from './qda-tool.js'

export const segmentsLimit = z
  .int()
  .min(1)
  .max(segmentsListedMax)
  .optional()
  .describe('Segments of a page. Without it: all of them')
export const segmentsCursor = z.string().min(1).max(200).optional().describe('next_cursor of the page before')

export function listSegmentsForSourceTool(): QdaTool {
  return readTool({
    name: 'list_segments_for_source',
    title: 'Coded segments of a source',
    description:
      'What is coded in a source, by place. Positions are code points and point at the text that was found; verified tells how the stored ones fit. Codings of its image, audio or video stand in media_codings (first page only).',
    input: z.object({
      source_id: id('Source ID'),
      code_id: id('Only segments of this code').optional(),
      limit: segmentsLimit,
      cursor: segmentsCursor,
    }),
    data: z.array(segmentData),
    beside: {
      total_count: z.int(),
      next_cursor: z.string().nullable(),
      media_codings: z.array(mediaCodingData).describe('Read-only here'),
    },
    read: ({ source_id: sourceId, code_id: codeId, limit, cursor }, { project }) => {
      const { db } = project
      requireSource(db, sourceId)
      if (codeId !== undefined) requireCode(db, codeId)
      const after = cursor === undefined ? undefined : readCursor(cursor, 3)
      const reader = new SegmentReader(project)
      const codings =
        codeId === undefined
          ? visibleCodings(db, inSource(db), sourceId)
          : visibleCodings(db, 't.cid = ? AND t.fid = ?', codeId, sourceId)
      const segments = codings.map((coding) => reader.segment(coding)).sort(compareSegments)
      const page = pageOf(segments, after, limit)
      return new Answer(page.shown, {
        total_count: segments.length,
        next_cursor: page.next,
        media_codings: after === undefined ? mediaCodings(db, reader, sourceId, codeId) : [],
      })
    },
  })
}

function pageOf(segments: readonly Segment[], after: SegmentsCursor | undefined, limit = segments.length) {
  const rest =
    after === undefined ? segments : segments.filter((segment) => compareCursors(orderOf(segment), after) > 0)
  const shown = rest.slice(0, limit)
  const last = shown.at(-1)
  return { shown, next: rest.length > shown.length && last !== undefined ? writeCursor(orderOf(last)) : null }
}

const orderOf = ({ start_position, end_position, id }: Segment): SegmentsCursor => [start_position, end_position, id]
