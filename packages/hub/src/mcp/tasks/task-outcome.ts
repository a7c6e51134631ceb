import type { RoutingFailure } from '@callboard/protocol'
import { parseBody } from '../agent-result.js'
import type { FinalOutcome } from './task.js'

/** Of a call that the hub ends. */
export function failure(code: RoutingFailure['code'], message: string): FinalOutcome {
  return { kind: 'failure', failure: { code, message, retryable: false } }
}

/** Why it did not go well, for people. */
export function messageOf(outcome: FinalOutcome): string | undefined {
  switch (outcome.kind) {
    case 'result':
      return outcome.isError ? 'The tool reported an error; the result says which.' : undefined
    case 'error': {
      const message = parseBody(outcome.body)?.['message']
      return typeof message === 'string' ? message : undefined
    }
    case 'failure':
      return outcome.failure.message
    case 'unknown':
      return 'There is no such tool any more.'
    default:
      return outcome satisfies never
  }
}
