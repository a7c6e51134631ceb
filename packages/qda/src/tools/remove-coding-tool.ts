import { z } from 'zod'
import { deleteCoding, noSegment, requireCoding } from '../project/codings.js'
import { type Segment, SegmentReader } from '../project/segments.js'
import { id } from './common-input.js'
import { type ProjectCall, rowsTool, type WriteTool } from './qda-tool.js'

export function removeCodingTool(): WriteTool {
  return rowsTool({
    name: 'remove_coding',
    title: 'Take a code off a passage',
    description:
      "Removes one coded segment. Your own goes at once; another coder's is shown first and needs confirm: true. undo_change_set brings it back.",
    input: z.object({ segment_id: id('Segment ID') }),
    data: z.object({
      removed: z.literal(true).optional(),
      segment_id: z.int(),
      code_id: z.int().nullable(),
      source_id: z.int().nullable(),
      start_position: z.int(),
      end_position: z.int(),
      selected_text: z.string(),
      owner: z.string().nullable(),
    }),
    isFlat: true,
    marks: { destructiveHint: true, idempotentHint: true },
    prepare: ({ segment_id: segmentId }, call) => segmentOf(segmentId, call),
    level: (_, call, segment) => (isOwn(segment, call) ? 'T2' : 'T3'),
    needsConfirm: (_, call, segment) => !isOwn(segment, call),
    preview: (_, __, segment) => ({
      ...shown(segment),
      message: `This will remove a segment that ${segment.owner || 'somebody else'} coded with '${segment.code_name ?? segment.code_id}'`,
    }),
    apply: (writer, { segment_id: segmentId }, call, seen) => {
      const segment = segmentOf(segmentId, call)
      // Meanwhile the id may have become another one's.
      if (segment.owner !== seen.owner) throw noSegment(segmentId)
      deleteCoding(writer, segmentId)
      writer.summary = `a segment of ${segment.code_name ?? `code ${segment.code_id}`} removed`
      return { removed: true as const, ...shown(segment) }
    },
  })
}

function segmentOf(id: number, { project }: ProjectCall): Segment {
  return new SegmentReader(project).segment(requireCoding(project.db, id))
}

const isOwn = ({ owner }: Segment, { actor }: ProjectCall): boolean => owner === actor.coder

function shown({ id, code_id, source_id, start_position, end_position, selected_text, owner }: Segment) {
  return { segment_id: id, code_id, source_id, start_position, end_position, selected_text, owner }
}
