import type { Dispatcher } from './dispatcher.js'
import type { WorkerPeer } from './peers.js'
import type { CountedService } from './service-statistics.js'
import type { BrokerState } from './state.js'

/** What metrics say of the hub at one moment: bounded by the number of services, with nobody's name or argument in it. */
export interface BrokerStatistics {
  readonly services: readonly ServiceLoad[]
  /** By what they count and by reason, e.g. `frames_dropped.late`. */
  readonly counters: Readonly<Record<string, number>>
  readonly sessions: number
  readonly connections: number
  readonly calls: number
  readonly timers: number
}

export interface ServiceLoad extends CountedService {
  readonly service: string
  readonly version: string
  readonly workers: Readonly<Record<WorkerState, number>>
  /** Calls at workers, each of which uses a credit; calls that wait for a person use none. */
  readonly inFlight: number
  readonly suspended: number
  /** What its ready workers take at once, of calls of agents. */
  readonly credits: number
  /** Definitions that no operator has accepted. */
  readonly definitionsHeld: number
  readonly queued: number
  /** Age of the call that waits longest. */
  readonly oldestQueuedMs: number
}

export type WorkerState = 'ready' | 'suspect' | 'draining' | 'ejected'

export function stateOf({ state, suspect, health }: WorkerPeer): WorkerState {
  if (suspect) return 'suspect'
  return state === 'ready' && health.ejectedUntil !== undefined ? 'ejected' : state
}

export function statistics(state: BrokerState, dispatcher: Dispatcher): BrokerStatistics {
  const known = state.catalogue.store(state.now)
  return {
    services: known.map(({ service, version }) => loadOf(service, version, state, dispatcher)),
    counters: state.counters.snapshot(),
    sessions: state.sessions.size,
    connections: [...state.sessions.connections()].length,
    calls: state.calls.size,
    timers: state.timers.size,
  }
}

function loadOf(service: string, version: string, state: BrokerState, dispatcher: Dispatcher): ServiceLoad {
  const workers: Record<WorkerState, number> = { ready: 0, suspect: 0, draining: 0, ejected: 0 }
  let [inFlight, suspended, credits] = [0, 0, 0]
  for (const worker of state.peers.of(service).values()) {
    const standing = stateOf(worker)
    workers[standing]++
    inFlight += worker.held.size
    suspended += worker.suspended.size
    if (standing === 'ready') credits += worker.concurrency
  }
  return {
    ...state.statisticsOf(service).read(),
    service,
    version,
    workers,
    inFlight,
    suspended,
    credits,
    definitionsHeld: state.catalogue.held(service).length,
    ...dispatcher.waiting(service),
  }
}
