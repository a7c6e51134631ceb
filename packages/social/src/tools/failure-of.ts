import { StoreError } from '@callboard/store'
import type { Context } from '@callboard/worker'
import { failure, SocialFailure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'

/** What a call is told of whatever was thrown; what is our own fault goes to the log, and there alone in its own words. */
export function failureOf(
  error: unknown,
  tool: string,
  { callId }: Pick<Context, 'callId'>,
  { log }: Pick<Foundation, 'log'>,
): SocialFailure {
  if (error instanceof SocialFailure) {
    if (error.code === 'internal_error' || error.code === 'serialization_error')
      log.error({ err: error, tool, callId }, 'tool failed')
    return error
  }
  log.error({ err: error, tool, callId }, 'tool failed')
  if (error instanceof StoreError) return storeFailed(error)
  return failure('internal_error', `${tool} failed for a reason of its own; the log of the social worker tells more.`)
}

/** Its message may name paths and addresses, which are the operator's business. */
function storeFailed({ code }: StoreError): SocialFailure {
  if (code === 'locked' || code === 'unavailable') {
    return failure(
      'db_error',
      'The database of the social worker did not answer in time; try again with the same idempotency key.',
    )
  }
  return failure(
    'db_error',
    `The database of the social worker can't be used (${code}); an operator has to look at its log.`,
    {
      retryable: false,
    },
  )
}
