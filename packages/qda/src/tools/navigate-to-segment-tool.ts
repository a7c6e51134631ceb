import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { requireSource } from '../project/sources.js'
import { dryRun, id, requestId } from './common-input.js'
import { type QdaTool, readTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

export function navigateToSegmentTool({ resources }: ToolParts): QdaTool {
  return readTool({
    name: 'navigate_to_segment',
    title: 'Go to a passage',
    description:
      'Points everybody who watches qda://cursor in this project to a passage of a text. delivered_to tells how many sessions do; with 0, nobody saw it.',
    input: z.object({
      source_id: id('Of list_sources'),
      start_pos: z.int().describe('Code points from 0'),
      end_pos: z.int().describe('The first one after the passage'),
      highlight: z.boolean().default(true),
      dry_run: dryRun,
      request_id: requestId,
    }),
    data: z.object({
      navigated_to: z.object({ source_id: z.int(), start_pos: z.int(), end_pos: z.int(), highlight: z.boolean() }),
      delivered_to: z.int(),
      current_screen: z.null(),
      dry_run: z.literal(true).optional(),
    }),
    // It moves what others look at; no project changes.
    marks: { readOnlyHint: false },
    read: ({ source_id, start_pos, end_pos, highlight, dry_run: isDryRun }, { project }) => {
      const source = requireSource(project.db, source_id)
      const { length } = project.texts.get(source_id)!
      if (start_pos < 0 || end_pos < start_pos || end_pos > length)
        throw new QdaFailure(
          'INVALID_POSITION',
          `Position [${start_pos}:${end_pos}] invalid for source of length ${length}`,
          { details: { source_id, start_pos, end_pos, total_length: length } },
        )
      const navigated_to = { source_id, start_pos, end_pos, highlight }
      return {
        navigated_to,
        delivered_to: isDryRun ? 0 : resources.navigate(project, source, navigated_to),
        current_screen: null,
        ...(isDryRun && { dry_run: true as const }),
      }
    },
  })
}
