import { z } from 'zod'
import { hitContextLengthDefault, hitContextLengthMax, hitsListedDefault, hitsListedMax } from '../limits.js'
import { hitData } from '../project/search-hit.js'
import { chosenSources } from '../project/search-sources.js'
import { searchTexts } from '../project/search-texts.js'
import { readCursor, writeCursor } from '../project/segments-cursor.js'
import { TimeSlices } from '../project/time-slices.js'
import { id } from './common-input.js'
import { type QdaTool, readTool } from './qda-tool.js'
import { caseSensitiveInput, matchInput, pageCursor, patternInput, sourceIdsInput } from './search-input.js'
import type { ToolParts } from './tool-parts.js'

export function searchTextTool({ patterns, clock }: Pick<ToolParts, 'patterns' | 'clock'>): QdaTool {
  return readTool({
    name: 'search_text',
    title: 'Search the texts',
    description:
      'Finds a text, a word or a regular expression in the sources, by source id and place; narrow it by folder, case or source_ids. Positions are code points, as batch_apply_codes takes them.',
    input: z.object({
      pattern: patternInput,
      match: matchInput,
      case_sensitive: caseSensitiveInput,
      source_ids: sourceIdsInput,
      folder_id: id('Only sources of this folder and its sub-folders; 0: those in no folder').optional(),
      case_id: id('Only what belongs to this case').optional(),
      context_length: z
        .int()
        .min(0)
        .max(hitContextLengthMax)
        .default(hitContextLengthDefault)
        .describe('Characters before and after each hit'),
      limit: z.int().min(1).max(hitsListedMax).default(hitsListedDefault),
      cursor: pageCursor,
    }),
    data: z.object({
      total_count: z.int().describe('Hits of all pages'),
      is_complete: z.boolean().describe('false: there are more hits than are counted; narrow the search'),
      source_count: z.int().describe('Sources with hits'),
      searched_count: z.int().describe('Sources that were searched'),
      hits: z.array(hitData.extend({ source_name: z.string(), line_number: z.int().describe('From 1') })),
      next_cursor: z.string().nullable(),
    }),
    read: async (input, { project: { db }, context: { signal } }) => {
      const after = input.cursor === undefined ? undefined : readCursor(input.cursor, 2)
      const sources = chosenSources(db, {
        sourceIds: input.source_ids,
        folderId: input.folder_id,
        caseId: input.case_id,
      })
      const page = await searchTexts(
        db,
        patterns,
        {
          pattern: input.pattern,
          match: input.match,
          caseSensitive: input.case_sensitive,
          sources,
          contextLength: input.context_length,
          limit: input.limit,
          after,
          signal,
        },
        new TimeSlices(clock, signal),
      )
      const last = page.hits.at(-1)
      return {
        total_count: page.total,
        is_complete: page.isComplete,
        source_count: page.sourceCount,
        searched_count: sources.length,
        hits: [...page.hits],
        next_cursor: page.hasMore && last !== undefined ? writeCursor([last.source_id, last.start_position]) : null,
      }
    },
  })
}
