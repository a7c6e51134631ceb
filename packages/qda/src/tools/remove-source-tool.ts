import { z } from 'zod'
import type { ProjectDatabase } from '../project/project-database.js'
import { removeSource, useOf } from '../project/remove-source.js'
import { findSource, requireSource, type SourceRow, sourceType } from '../project/sources.js'
import { id } from './common-input.js'
import { rowsTool, type WriteTool } from './qda-tool.js'

export function removeSourceTool(): WriteTool {
  return rowsTool({
    name: 'remove_source',
    title: 'Remove a source',
    description:
      'Removes a source with its codings, annotations, case links and attributes; a file in the project folder goes to its trash. Without confirm it only counts them. undo_change_set brings all of it back.',
    input: z.object({
      source_id: id('Of list_sources'),
      include_transcript: z.boolean().default(false).describe('Removes the transcript of a recording, too'),
    }),
    data: z.object({
      removed: z.literal(true).optional(),
      source_id: z.int(),
      source_name: z.string(),
      source_type: z.string(),
      segments_removed: z.int().optional(),
      coded_segments_count: z.int().optional().describe('Of text, images, audio and video, by all coders'),
      by_owner: z.record(z.string(), z.int()).optional().describe('How many of them each coder made'),
      case_links: z.int().optional(),
      annotations: z.int().optional(),
      transcript_source_id: z.int().nullable().describe('Stays, unless include_transcript says otherwise'),
    }),
    isFlat: true,
    level: 'T3',
    marks: { destructiveHint: true, idempotentHint: true },
    prepare: ({ source_id }, { project }) => requireSource(project.db, source_id),
    preview: ({ source_id, include_transcript }, { project: { db } }) => {
      const { source, transcript, all } = concerned(db, source_id, include_transcript)
      const { codings, byOwner, caseLinks, annotations } = useOf(db, all)
      return {
        ...named(source, transcript),
        coded_segments_count: codings,
        by_owner: byOwner,
        case_links: caseLinks,
        annotations,
        message: `This will delete source '${source.name}' and ${codings} coded segment(s)`,
      }
    },
    apply: (writer, { source_id, include_transcript }) => {
      const { source, transcript, all } = concerned(writer.db, source_id, include_transcript)
      const { codings } = useOf(writer.db, all)
      for (const each of all) removeSource(writer, each)
      writer.summary = `Removed source '${source.name}' and ${codings} coded segment(s)`
      return { removed: true as const, ...named(source, transcript), segments_removed: codings }
    },
  })
}

function concerned(db: ProjectDatabase, id: number, isTranscriptIncluded: boolean) {
  const source = requireSource(db, id)
  const linked = source.av_text_id === null ? undefined : findSource(db, source.av_text_id)
  const transcript = linked?.id === id ? undefined : linked
  return { source, transcript, all: isTranscriptIncluded && transcript !== undefined ? [source, transcript] : [source] }
}

const named = (source: SourceRow, transcript: SourceRow | undefined) => ({
  source_id: source.id,
  source_name: source.name,
  source_type: sourceType(source.mediapath),
  transcript_source_id: transcript?.id ?? null,
})
