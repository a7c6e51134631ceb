import { z } from 'zod'
import { tryOut } from '../approvals/affected.js'
import { addSuggestion } from '../approvals/suggestions.js'
import { QdaFailure } from '../failure.js'
import { requireSource } from '../project/sources.js'
import { rowsTool, type WriteTool } from './qda-tool.js'
import { setSourceMetadataTool, sourceMetadataInput } from './set-source-metadata-tool.js'
import type { ToolParts } from './tool-parts.js'

export function suggestSourceMetadataTool({ effects }: Pick<ToolParts, 'effects'>): WriteTool {
  const hidden = setSourceMetadataTool()
  return rowsTool({
    name: 'suggest_source_metadata',
    title: 'Suggest metadata of a source',
    description:
      'Suggests language, topics or a place for a source; a person decides. get_suggestion tells what became of it.',
    input: z.object(sourceMetadataInput),
    data: z.object({
      suggestion_id: z.string(),
      source_id: z.int(),
      source_name: z.string(),
      suggested: z.object({
        language: z.string().optional(),
        topics: z.array(z.string()).optional(),
        organization_suggestion: z.string().optional(),
      }),
      status: z.literal('pending_approval'),
      requires_approval: z.literal(true),
    }),
    marks: { destructiveHint: false, idempotentHint: true },
    prepare: ({ language, topics, organization_suggestion }) => {
      const given = { language, topics, organization_suggestion }
      const suggested = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      if (Object.keys(suggested).length > 0) return suggested
      throw new QdaFailure('INVALID_ARGUMENT', 'Give language, topics or organization_suggestion', {
        details: { path: 'language' },
      })
    },
    apply: ({ db }, { source_id }, call, suggested) => {
      const { name: source_name } = requireSource(db, source_id)
      const payload = { source_id, ...suggested }
      const input = { ...payload, as_attributes: false }
      const { affectedHash: fingerprint } = tryOut({ tool: hidden, input, call, prepared: undefined })
      const proposed = { kind: 'source_metadata', tool: hidden.name, payload, fingerprint, about: { source_name } }
      const { id: suggestion_id } = addSuggestion(db, proposed, call.actor.name, call.now)
      return {
        ...{ suggestion_id, source_id, source_name, suggested },
        ...{ status: 'pending_approval' as const, requires_approval: true as const },
      }
    },
    afterwards: ({ project }) => effects.mirror(project),
  })
}
