import type { Way } from './patient-agent.js'
import { type Check, none } from './scenario.js'
import type { PatientCall } from './steady-asking.js'

/** One end and new beginning of the hub. UTC ms. */
export interface Restart {
  readonly killedAt: number
  /** When the new process was started, and when it said that it is up. */
  readonly startedAt: number
  readonly upAt: number
  /** When each worker was signed in again, by the hub's own word; a worker that never was has none. */
  readonly joinedAt: readonly number[]
  readonly workers: number
}

/** From when on nothing excuses a failure; never, if a worker stayed away. */
export const backAt = ({ upAt, joinedAt, workers }: Restart): number =>
  joinedAt.length < workers ? Number.POSITIVE_INFINITY : Math.max(upAt, ...joinedAt)

/** How long after the new hub's start each worker was signed in, in ms. */
export const signInMs = ({ startedAt, joinedAt }: Restart): number[] => joinedAt.map((at) => at - startedAt)

/** Open when a hub was killed. */
export function inFlight(calls: readonly PatientCall[], restarts: readonly Restart[]): PatientCall[] {
  return calls.filter(({ sentAt, settledAt = Number.POSITIVE_INFINITY }) => {
    return restarts.some(({ killedAt }) => sentAt <= killedAt && settledAt > killedAt)
  })
}

/** Asked while there was no hub. */
export function askedInBetween(calls: readonly PatientCall[], restarts: readonly Restart[]): PatientCall[] {
  return calls.filter(({ sentAt }) => restarts.some(({ killedAt, upAt }) => sentAt > killedAt && sentAt < upAt))
}

/** How long after the kill the last call was asked that ended as unknown, in ms. */
export function latestUnknownMs(calls: readonly PatientCall[], restarts: readonly Restart[]): number {
  const unknown = calls.filter(({ outcome }) => outcome === 'outcome_unknown')
  return Math.max(
    0,
    ...unknown.map(({ sentAt }) => sentAt - restarts.findLast(({ killedAt }) => killedAt < sentAt)!.killedAt),
  )
}

/** Asked when everybody was back, and not open when the next hub was killed. */
export function askedAfterwards(calls: readonly PatientCall[], restarts: readonly Restart[]): PatientCall[] {
  const open = new Set(inFlight(calls, restarts))
  return calls.filter((call) => {
    const last = restarts.findLast(({ killedAt }) => killedAt < call.sentAt)
    return last !== undefined && call.sentAt >= backAt(last) && !open.has(call)
  })
}

/** How long after each new hub said that it is up the first result of each agent came, in ms; infinite if none did. */
export function firstResultMs(calls: readonly PatientCall[], restarts: readonly Restart[], agents: readonly string[]) {
  return restarts.flatMap(({ upAt }, index) => {
    const until = restarts[index + 1]?.killedAt ?? Number.POSITIVE_INFINITY
    return agents.map((agent) => {
      const first = calls.find((call) => {
        return call.agent === agent && call.outcome === 'result' && call.settledAt! > upAt && call.settledAt! < until
      })
      return first === undefined ? Number.POSITIVE_INFINITY : first.settledAt! - upAt
    })
  })
}

/** What each way's agents were told, without results, when nothing excused it. */
export function failuresByWay(calls: readonly PatientCall[], ways: readonly Way[]): Check[] {
  return ways.map((way) => {
    const failed = calls.filter((call) => call.way === way && call.outcome !== 'result')
    return none(`${way}: failed calls when all were back`, failed.length, failed.slice(0, 2).map(describe))
  })
}

export function describe({ canary, outcome = 'no answer', message = '' }: PatientCall): string {
  return `${canary}: ${outcome} ${message}`.trim()
}
