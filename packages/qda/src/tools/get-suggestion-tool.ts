import { z } from 'zod'
import { findSuggestion, type Suggestion } from '../approvals/suggestions.js'
import { QdaFailure } from '../failure.js'
import { suggestionId } from './common-input.js'
import { type ProjectCall, type QdaTool, readTool } from './qda-tool.js'
import { shownSuggestion, suggestionData } from './suggestion-data.js'

export function getSuggestionTool(): QdaTool {
  return readTool({
    name: 'get_suggestion',
    title: 'One of my suggestions',
    description: 'What became of one of your suggestions in this project: its status, and the result or the reason.',
    input: z.object({ id: suggestionId }),
    data: suggestionData,
    read: ({ id }, call) => shownSuggestion(requireOwn(id, call)),
  })
}

/** Of others' an agent knows nothing. Throws SUGGESTION_NOT_FOUND. */
export function requireOwn(id: string, { project, actor }: ProjectCall): Suggestion {
  const suggestion = findSuggestion(project.db, id)
  if (suggestion !== undefined && (suggestion.actor === actor.name || actor.isOperator)) return suggestion
  throw new QdaFailure('SUGGESTION_NOT_FOUND', `You have no suggestion ${id} in this project`, {
    suggestions: ['list_pending shows those that wait.'],
  })
}
