import { type FailedOutcome, ForumFailure } from '../failure/forum-failure.js'
import type { ForumTool } from '../tools/forum-tool.js'

/** Why a write never left; what is no failure of ours stays what it is. */
export function unsentWrite(error: unknown, signal: AbortSignal): unknown {
  if (error instanceof ForumFailure) return error.with({ outcome: 'rejected' })
  return signal.aborted ? cancelledWrite('rejected') : error
}

export function cancelledWrite(outcome: FailedOutcome): ForumFailure {
  const words =
    outcome === 'rejected'
      ? 'The call was cancelled before anything was sent; nothing has happened.'
      : 'The call was cancelled while the write was under way; it may have had its effect. Do not send it again: look first.'
  return new ForumFailure('cancelled', words, { outcome })
}

/** `cause` is absent where an earlier call has sent it. */
export function unknownOutcome(tool: ForumTool, cause: ForumFailure | undefined): ForumFailure {
  const why =
    cause === undefined
      ? 'This write was sent by an earlier call, and no answer came; it was not sent again.'
      : `The write was sent, but how it ended is not known: ${plainCause(cause).message}`
  const how = ('lookFirst' in tool ? tool.lookFirst : undefined) ?? 'Read what it should have changed.'
  return new ForumFailure(
    'outcome_unknown',
    `${why} Its effect was looked for and not found yet, but it may come. Do not send it again. Look first: ${how} Only if it is not there, call again, with another idempotency_key.`,
    { ...cause?.details, outcome: 'unknown' },
    cause,
  )
}

/** What the client says of an unknown outcome goes without saying here. */
function plainCause(failure: ForumFailure): ForumFailure {
  return failure.code === 'outcome_unknown' && failure.cause instanceof ForumFailure ? failure.cause : failure
}
