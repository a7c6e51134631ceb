import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { type Suggestion, suggestionStatuses } from '../approvals/suggestions.js'

/** A suggestion as tools show it. */
export const suggestionData = z.object({
  id: z.string(),
  kind: z.string(),
  tool: z.string(),
  payload: z.record(z.string(), z.unknown()).describe('The arguments of the tool'),
  actor: z.string(),
  rationale: z.string().nullable(),
  about: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('What it would change, by names and texts, as it was then'),
  created_at: z.string().describe('UTC'),
  status: z.enum(suggestionStatuses),
  decided_by: z.string().nullable(),
  decided_at: z.string().nullable(),
  reason: z.string().nullable(),
  result: z.unknown(),
})

export function shownSuggestion(suggestion: Suggestion): z.input<typeof suggestionData> {
  const { id, kind, tool, payload, actor, rationale, about, status, decided_by, decided_at, reason, result } =
    suggestion
  return {
    id,
    kind,
    tool,
    payload: { ...payload },
    actor,
    rationale,
    about: about ?? null,
    created_at: utcText(suggestion.created_at),
    status,
    decided_by,
    decided_at: decided_at === null ? null : utcText(decided_at),
    reason,
    result: result ?? null,
  }
}
