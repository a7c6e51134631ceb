import { z } from 'zod'
import { type Suggestion, suggestionStatuses } from '../approvals/suggestions.js'
import { suggestionsListedMax } from '../limits.js'
import { listSuggestions } from '../records/suggestions.js'
import { freeTool, type QdaTool } from './qda-tool.js'
import { shownSuggestion, suggestionData } from './suggestion-data.js'
import type { ToolParts } from './tool-parts.js'

export function listSuggestionsTool({ store }: Pick<ToolParts, 'store'>): QdaTool {
  return freeTool({
    name: 'list_suggestions',
    title: 'Suggestions of all agents',
    description:
      'What agents suggest in all projects that were opened here, oldest first. approve_suggestion and reject_suggestion decide.',
    access: 'operator',
    input: z.object({
      status: z.enum([...suggestionStatuses, 'all']).default('pending'),
      project_path: z.string().min(1).optional().describe('Of one project only'),
      limit: z.int().min(1).max(suggestionsListedMax).default(suggestionsListedMax),
      cursor: z.string().min(1).max(1_000).optional().describe('next_cursor of the page before'),
    }),
    data: z.object({
      total_count: z.int(),
      suggestions: z.array(suggestionData.extend({ project_path: z.string() })),
      next_cursor: z.string().nullable(),
    }),
    answer: async ({ status, project_path: projectPath, limit, cursor }) => {
      const page = await listSuggestions(store.db, {
        status: status === 'all' ? undefined : status,
        projectPath,
        limit,
        cursor,
      })
      return {
        total_count: page.totalCount,
        suggestions: page.suggestions.map(({ record, projectPath: path }) => ({
          ...shownSuggestion(record as unknown as Suggestion),
          project_path: path,
        })),
        next_cursor: page.nextCursor ?? null,
      }
    },
  })
}
