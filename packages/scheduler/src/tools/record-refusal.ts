import { type Context, ToolError } from '@callboard/worker'
import { type EventType, eventTypes, recordActivity } from '../activity/record-activity.js'
import type { Foundation } from '../foundation.js'

/** Writes the activity row of a refusal. Never throws: the caller is to hear of the refusal, not of this. */
export async function recordRefusal(
  error: unknown,
  tool: string,
  caller: Context['caller'],
  { store, clock, groups, log }: Foundation,
): Promise<void> {
  if (!(error instanceof ToolError)) return
  const { group: folder, run, principal, onBehalfOf } = caller
  const isRegistered = folder !== undefined && groups.byFolder(folder) !== undefined
  try {
    await recordActivity(store.db, {
      at: clock.now(),
      type: eventOf(error),
      ...(isRegistered && { group: folder }),
      ...(run !== undefined && { runId: run.id }),
      summary: `${tool}: ${error.code}: ${error.message}`,
      details: {
        tool,
        code: error.code,
        message: error.message,
        principal: onBehalfOf ?? principal,
        ...(folder !== undefined && !isRegistered && { unregistered_group: folder }),
      },
    })
  } catch (err) {
    log.warn({ err, tool, code: error.code }, 'refusal not recorded')
  }
}

/** Which row a refusal makes is no business of the agent. */
export function withoutEvent(error: unknown): unknown {
  if (!(error instanceof ToolError) || error.details?.['event'] === undefined) return error
  const { event: _, ...details } = error.details
  const { code, message, retryable, retryAfterMs } = error
  const when = retryAfterMs === undefined ? {} : { retryAfterMs }
  return new ToolError(code, message, { retryable, ...when, details, cause: error })
}

function eventOf({ details }: ToolError): EventType {
  return eventTypes.find((type) => type === details?.['event']) ?? 'tool_refused'
}
