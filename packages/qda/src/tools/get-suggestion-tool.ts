import { z } from 'zod'
import { findSuggestion, type Suggestion } from '../approvals/suggestions.js'
import { QdaFailure } from '../failure.js'
import type { Actor } from './actor.js'
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
    read: ({ id }, { project, actor }) => {
      const suggestion = actor.isOperator ? findSuggestion(project.db, id) : findOwn(id, project, actor)
      return shownSuggestion(suggestion ?? refuse(id))
    },
  })
}

/** Of others' an agent knows nothing. Throws SUGGESTION_NOT_FOUND. */
export function requireOwn(id: string, { project, actor }: ProjectCall): Suggestion {
  return findOwn(id, project, actor) ?? refuse(id)
}

function findOwn(id: string, { db }: ProjectCall['project'], { name }: Actor): Suggestion | undefined {
  const suggestion = findSuggestion(db, id)
  return suggestion?.actor === name ? suggestion : undefined
}

function refuse(id: string): never {
  throw new QdaFailure('SUGGESTION_NOT_FOUND', `You have no suggestion ${id} in this project`, {
    suggestions: ['list_pending shows those that wait.'],
  })
}
