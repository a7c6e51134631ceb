import type { FromHub, RoutingFailure } from '@callboard/protocol'
import type { CallOutcome } from '../port.js'
import type { Call } from './calls.js'
import type { OutcomeName, ShedReason } from './service-statistics.js'
import { failure } from './state.js'

/** What callers are told of calls that end without an answer, and what such ends are counted as. */

/** It was certainly not started, to keep what waits short. */
export function shedFailure(call: Call, reason: ShedReason, retryAfterMs: number): RoutingFailure {
  if (call.mayHaveRun) return lostFailure(call)
  const { key, service } = call.definition
  const wait = `${Math.max(0.1, retryAfterMs / 1_000).toFixed(1)} s`
  return failure(
    'overloaded',
    `${shedReasons[reason](key, service)} It was not started; try again in ${wait}.`,
    retryAfterMs,
  )
}

export function lateFailure({ definition: { key }, state: { kind }, mayHaveRun }: Call): RoutingFailure {
  const message =
    kind === 'queued' && !mayHaveRun
      ? `${key} was not started before its deadline: its workers are busy.`
      : `${key} did not answer before its deadline; it may have had an effect: look before you try again.`
  return failure('deadline_exceeded', message)
}

export function lostFailure({ definition: { key } }: Call): RoutingFailure {
  const message = `The worker of ${key} was lost while it ran; it may have had an effect: look before you try again.`
  return failure('outcome_unknown', message)
}

export function deadlockFailure({ definition: { key, service } }: Call): RoutingFailure {
  return failure(
    'deadlock',
    `${key} was not started in half of its time: ${service} is busy with calls that this one belongs to. Make fewer such calls at a time, or give ${service} more concurrency.`,
  )
}

export function awayFailure(call: Call): RoutingFailure {
  if (call.mayHaveRun) return lostFailure(call)
  const { key, service } = call.definition
  return failure('unavailable', `No worker of ${service} can take ${key} now; it was not started.`, 1_000)
}

export const shuttingDown = failure('unavailable', 'The hub is shutting down; try again when it is back.', 1_000)

export const unrecordable = failure(
  'unavailable',
  'The hub can’t write its audit journal, and calls that nobody could trace are not made; try again when an operator has mended that.',
  5_000,
)

export const notConnected = failure(
  'cancelled',
  'The connection is closed, or the hub had no room for its session: connect again.',
)

/** RESULT of a worker's own CALL. */
export function resultMessage(id: string, outcome: CallOutcome): FromHub {
  switch (outcome.kind) {
    case 'result':
    case 'error':
      return { type: 'result', id, outcome: outcome.kind, body: outcome.body }
    case 'failure':
      return { type: 'result', id, outcome: 'failure', failure: outcome.failure }
    case 'unknown': {
      const gone = failure('not_found', 'There is no such resource here any more.')
      return { type: 'result', id, outcome: 'failure', failure: gone }
    }
    case 'input_required':
      throw new Error('a worker’s call sends its questions to the agent at the root')
    default:
      return outcome satisfies never
  }
}

export function nameOf(outcome: CallOutcome): OutcomeName {
  switch (outcome.kind) {
    case 'failure':
      return outcome.failure.code
    case 'result':
      return outcome.isError ? 'tool_error' : 'result'
    case 'error':
    case 'unknown':
      return outcome.kind
    case 'input_required':
      throw new Error('a question is no end of a call')
    default:
      return outcome satisfies never
  }
}

const shedReasons: Readonly<Record<ShedReason, (key: string, service: string) => string>> = {
  queue_full: (_, service) => `Too many calls wait for ${service}.`,
  share_used: (_, service) => `Too many calls of this caller wait for ${service}.`,
  memory_full: () => 'The arguments of the calls that wait fill what the hub has for them.',
  too_slow: (key, service) => `${key} would not be started in time: more calls wait for ${service} than it takes.`,
  expired: (key) => `${key} has waited for half of its time: its workers are busy.`,
  retry_budget: (_, service) => `Too many calls of ${service} are on their second try.`,
}
