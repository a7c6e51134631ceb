import { z } from 'zod'
import { QdaFailure } from '../failure.js'
import { projectAt } from '../format/project-path.js'
import { reasonLengthMax } from '../limits.js'
import type { OpenProject } from '../project/open-project.js'
import { findSuggestion } from '../records/suggestions.js'
import { suggestionId } from './common-input.js'
import { freeTool, type QdaTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

const marks = { readOnlyHint: false, destructiveHint: true, idempotentHint: true }

export function approveSuggestionTool(parts: ToolParts): QdaTool {
  return freeTool({
    name: 'approve_suggestion',
    title: 'Approve a suggestion',
    description:
      'Does what an agent suggested, in its name. If what it is about is gone or has changed since, nothing is done, and its status is stale.',
    access: 'operator',
    input: z.object({
      id: suggestionId,
      as_attributes: z
        .boolean()
        .default(false)
        .describe("Of metadata: also as QualCoder's own file attributes, which QualCoder shows"),
    }),
    data: z.object({ id: z.string(), status: z.enum(['approved', 'stale']), result: z.unknown() }),
    marks,
    answer: ({ id, as_attributes: asAttributes }, call) =>
      withProjectOf(id, parts, async (project) => {
        const more = asAttributes ? { as_attributes: true } : {}
        const { status, result } = await parts.decisions.approve(project, id, call, more)
        return { id, status: status as 'approved' | 'stale', result }
      }),
  })
}

export function rejectSuggestionTool(parts: ToolParts): QdaTool {
  return freeTool({
    name: 'reject_suggestion',
    title: 'Reject a suggestion',
    description: 'Says no to what an agent suggested. The agent reads the reason.',
    access: 'operator',
    input: z.object({
      id: suggestionId,
      reason: z.string().min(1).max(reasonLengthMax).describe('Why, for the agent'),
    }),
    data: z.object({ id: z.string(), status: z.literal('rejected') }),
    marks,
    answer: ({ id, reason }, call) =>
      withProjectOf(id, parts, async (project) => {
        await parts.decisions.reject(project, id, call, reason)
        return { id, status: 'rejected' as const }
      }),
  })
}

/** The suggestion's project is opened for the call, whatever the operator's session has open. */
async function withProjectOf<Value>(
  id: string,
  { store, desk, config }: ToolParts,
  decide: (project: OpenProject) => Promise<Value>,
): Promise<Value> {
  const known = await findSuggestion(store.db, id)
  if (known === undefined)
    throw new QdaFailure('SUGGESTION_NOT_FOUND', `There is no suggestion ${id} in any project that was opened here`, {
      suggestions: ['list_suggestions shows those there are.'],
    })
  return desk.use(await projectAt(known.projectPath, config.roots), async (project) => {
    project.refresh()
    return decide(project)
  })
}
