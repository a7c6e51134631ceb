import type { Dispatcher } from './dispatcher.js'
import { forgetServiceMs, verdictsMax } from './limits.js'
import type { Verdict } from './refusals.js'
import type { BrokerState } from './state.js'
import { stateOf, type WorkerState } from './statistics.js'

/** What operators see of the hub at one moment. Times are UTC ms. */
export interface BrokerSnapshot {
  readonly epoch: string
  readonly workers: readonly {
    readonly service: string
    readonly instance: string
    readonly version: string
    readonly state: WorkerState
    readonly trusted: boolean
    /** Whose key it signed in with; absent: without one. */
    readonly key?: string
    /** Which of the keys of that name, in Z85. */
    readonly publicKey?: string
    readonly joinedAt: number
    readonly inFlight: number
    readonly suspended: number
    readonly concurrency: number
    readonly holdUntil?: number
    readonly refused: readonly Pick<Verdict, 'name' | 'code' | 'message'>[]
  }[]
  readonly services: readonly {
    readonly service: string
    readonly version: string
    /** By the names that agents see. */
    readonly tools: readonly string[]
    /** Of tools whose own name is not one that every client takes: by the name that agents see, the worker's. */
    readonly renamed: Readonly<Record<string, string>>
    /** Tools that single sessions have of their own: how many sessions have one of that name. */
    readonly ownTools: Readonly<Record<string, number>>
    /** Definitions that no operator has accepted; absent: none. */
    readonly held?: number
    readonly isServed: boolean
    /** While no worker of it is signed in: since when, and when it will be forgotten. */
    readonly away?: { readonly since: number; readonly keptUntil: number }
  }[]
  readonly calls: readonly {
    readonly id: string
    readonly name: string
    readonly service: string
    readonly principal: string
    readonly state: 'queued' | 'running' | 'suspended'
    readonly depth: number
    readonly startedAt: number
  }[]
  readonly queued: number
  readonly sessions: number
  readonly connections: number
  readonly conversations: number
  readonly timers: number
  readonly counters: Readonly<Record<string, number>>
  /** The latest time before which a worker asks not to be left. */
  readonly holdUntil?: number
}

export function snapshot(state: BrokerState, dispatcher: Dispatcher): BrokerSnapshot {
  const workers = [...state.peers.workers()]
  const holds = workers.flatMap(({ holdUntil }) => (holdUntil === undefined ? [] : [holdUntil]))
  return {
    epoch: state.options.epoch,
    workers: workers.map((worker) => ({
      service: worker.service,
      instance: worker.instance,
      version: worker.version,
      state: stateOf(worker),
      trusted: worker.trusted,
      ...(worker.signedInBy === undefined
        ? {}
        : { key: worker.signedInBy.authorization.name, publicKey: worker.signedInBy.key }),
      joinedAt: worker.joinedAt,
      inFlight: worker.held.size,
      suspended: worker.suspended.size,
      concurrency: worker.concurrency,
      ...(worker.holdUntil === undefined ? {} : { holdUntil: worker.holdUntil }),
      refused: [...worker.unauthorized, ...state.catalogue.refusedOf(worker.peer, worker.service)]
        .slice(0, verdictsMax)
        .map(({ name, code, message }) => ({ name, code, message })),
    })),
    services: state.catalogue.store(state.now).map(({ service, version, lastSeenAt }) => {
      const isServed = state.peers.of(service).size > 0
      const away = { since: lastSeenAt, keptUntil: lastSeenAt + forgetServiceMs }
      return { service, version, ...namesOf(service, state), isServed, ...(isServed ? {} : { away }) }
    }),
    calls: [...state.calls.values()].map((call) => ({
      id: call.id,
      name: call.definition.key,
      service: call.definition.service,
      principal: call.caller.principal,
      state: call.state.kind,
      depth: call.caller.depth,
      startedAt: call.startedAt,
    })),
    queued: dispatcher.queuedCount,
    sessions: state.sessions.size,
    connections: [...state.sessions.connections()].length,
    conversations: state.calls.conversationCount,
    timers: state.timers.size,
    counters: state.counters.snapshot(),
    ...(holds.length === 0 ? {} : { holdUntil: Math.max(...holds) }),
  }
}

function namesOf(service: string, { catalogue, options }: BrokerState) {
  const tools = catalogue.toolsOf(service)
  const held = catalogue.held(service).length
  const plain = (workerKey: string) => (options.namespace === 'always' ? `${service}_${workerKey}` : workerKey)
  const renamed = tools.filter(({ key, workerKey }) => key !== plain(workerKey))
  return {
    tools: tools.map(({ key }) => key),
    renamed: Object.fromEntries(renamed.map(({ key, workerKey }) => [key, workerKey])),
    ownTools: catalogue.views.ownCounts(service),
    ...(held > 0 && { held }),
  }
}
