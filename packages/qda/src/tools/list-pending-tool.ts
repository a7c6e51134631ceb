import { z } from 'zod'
import { suggestionsOf } from '../approvals/suggestions.js'
import { type QdaTool, readTool } from './qda-tool.js'
import { shownSuggestion, suggestionData } from './suggestion-data.js'

export function listPendingTool(): QdaTool {
  return readTool({
    name: 'list_pending',
    title: 'My pending suggestions',
    description: 'Your suggestions in this project that wait for a person. get_suggestion tells what became of one.',
    input: z.object({}),
    data: z.object({ total_count: z.int(), suggestions: z.array(suggestionData) }),
    read: (_, { project, actor }) => {
      const suggestions = suggestionsOf(project.db, actor.name, 'pending').map(shownSuggestion)
      return { total_count: suggestions.length, suggestions }
    },
  })
}
