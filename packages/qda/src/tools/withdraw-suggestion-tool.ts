import { z } from 'zod'
import { alreadyDecided, decideSuggestion } from '../approvals/suggestions.js'
import { suggestionId } from './common-input.js'
import { requireOwn } from './get-suggestion-tool.js'
import { rowsTool, type WriteTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

export function withdrawSuggestionTool({ effects }: Pick<ToolParts, 'effects'>): WriteTool {
  return rowsTool({
    name: 'withdraw_suggestion',
    title: 'Take a suggestion back',
    description: 'Takes one of your suggestions back before a person decides on it.',
    input: z.object({ id: suggestionId }),
    data: z.object({ id: z.string(), status: z.literal('withdrawn') }),
    marks: { destructiveHint: false, idempotentHint: true },
    apply: ({ db }, { id }, call) => {
      const suggestion = requireOwn(id, call)
      if (suggestion.status === 'withdrawn') return { id, status: 'withdrawn' as const }
      if (suggestion.status !== 'pending') throw alreadyDecided(suggestion)
      decideSuggestion(db, id, { status: 'withdrawn', by: call.actor.name }, call.now)
      return { id, status: 'withdrawn' as const }
    },
    afterwards: ({ project }) => effects.mirror(project),
  })
}
