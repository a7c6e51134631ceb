import { StoreError } from '@callboard/store'
import { CallFailure, type Context, ToolError } from '@callboard/worker'
import type { Log } from '../log.js'
import { refusal } from '../refusal.js'

/** What the caller is told of whatever a tool threw. What is not the caller's to know goes to the log, whole. */
export function failureOf(error: unknown, tool: string, { signal, callId }: Context, log: Log): unknown {
  // An aborted call is answered by the SDK: it knows why.
  if (error instanceof ToolError || signal.aborted) return error
  if (error instanceof CallFailure) return callFailed(error)
  log.error({ err: error, tool, callId }, 'tool failed')
  if (error instanceof StoreError) return storeFailed(error)
  return refusal('INTERNAL', `${tool} failed for a reason of its own; the log of the scheduler tells more.`)
}

function callFailed({ message, retryAfterMs }: CallFailure): ToolError {
  return refusal('UPSTREAM_ERROR', message, { ...(retryAfterMs !== undefined && { retryAfterMs }) })
}

/** Its message may name paths and addresses, which are the operator's business. */
function storeFailed({ code }: StoreError): ToolError {
  if (code === 'locked' || code === 'unavailable') {
    return refusal('UPSTREAM_ERROR', 'The database of the scheduler did not answer in time.', {
      hint: 'Try again with the same idempotency key: what was done already is not done twice.',
    })
  }
  return refusal(
    'INTERNAL',
    `The database of the scheduler can't be used (${code}); an operator has to look at its log.`,
  )
}
