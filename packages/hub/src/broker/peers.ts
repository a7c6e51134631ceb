import { type CallId, keeperOf, type Ready, TransientMap } from '@callboard/protocol'
import type { Authorization } from './authorization.js'
import type { PeerId } from './events.js'
import { logsPerSecondMax } from './limits.js'
import { goodHealth, type Health } from './outliers.js'
import type { Verdict } from './refusals.js'
import { ReplicaOrder } from './replica-order.js'

/** A connection that said HELLO and has not proved itself yet. */
export interface Stranger {
  readonly state: 'challenged'
  readonly peer: PeerId
  readonly nonce: Uint8Array
}

/** A signed-in worker. */
export interface WorkerPeer {
  /** A draining worker finishes what it holds and gets nothing new. */
  state: 'ready' | 'draining'
  readonly peer: PeerId
  readonly service: string
  readonly version: string
  readonly instance: string
  /** The instance's name in the URIs of results that it keeps. [CB-100] */
  readonly keeper: string
  readonly workerEpoch: number
  readonly trusted: boolean
  /** What the key allows that it signed in with; undefined: it has none. */
  readonly signedInBy: { readonly key: string; readonly authorization: Authorization } | undefined
  /** The name of that key. */
  readonly key: string | undefined
  /** What it offers and its key does not allow. */
  unauthorized: readonly Verdict[]
  readonly concurrency: number
  readonly heartbeatMs: number
  readonly joinedAt: number
  lastHeardAt: number
  suspect: boolean
  readonly health: Health
  holdUntil: number | undefined
  /** Calls that use a credit here, with their depth: until the final frame, or the loss of the connection. [CB-18] */
  readonly held: TransientMap<CallId, number>
  /** Credits in use, by depth: the sizes of `held`, kept so that choosing a worker costs nothing. */
  readonly used: number[]
  /** Calls that wait for a person; they use no credit. */
  readonly suspended: Set<CallId>
  /** Its own CALLs that have no RESULT yet. */
  readonly calls: Set<CallId>
  /** When definitions were last judged, and the newest that wait for it. */
  updatedAt: number
  nextUpdate: Uint8Array | undefined
  /** Sessions that it has heard of: they get its SESSION_CLOSED. */
  readonly sessions: Set<string>
  /** Order of the last hand-over; the least recently used worker comes first among equals. */
  usedAt: number
  /** Order of sign-in. */
  serial: number
  /** Set while it is signed in; told of every change of `held`. */
  order: ReplicaOrder | undefined
  /** Where the order has it: its own affair. */
  place: number
  /** Log frames in the second that began at `since`. */
  logWindow: { since: number; count: number }
}

/** Everyone connected, by connection, service and instance. */
export class Peers {
  readonly #strangers = new Map<PeerId, Stranger>()
  readonly #workers = new Map<PeerId, WorkerPeer>()
  readonly #byService = new Map<string, Map<PeerId, WorkerPeer>>()
  readonly #orders = new Map<string, ReplicaOrder>()
  #serial = 0

  get strangerCount(): number {
    return this.#strangers.size
  }

  get workerCount(): number {
    return this.#workers.size
  }

  stranger(peer: PeerId): Stranger | undefined {
    return this.#strangers.get(peer)
  }

  worker(peer: PeerId): WorkerPeer | undefined {
    return this.#workers.get(peer)
  }

  workers(): IterableIterator<WorkerPeer> {
    return this.#workers.values()
  }

  of(service: string): ReadonlyMap<PeerId, WorkerPeer> {
    return this.#byService.get(service) ?? none
  }

  /** Of the service's workers the one whose turn it is, be it up or not. */
  firstOf(service: string): WorkerPeer | undefined {
    return this.#orders.get(service)?.first
  }

  byInstance(instance: string): WorkerPeer | undefined {
    for (const worker of this.#workers.values()) if (worker.instance === instance) return worker
    return undefined
  }

  /** The instance of that name, unless it is about to leave. */
  keeper(service: string, keeper: string): WorkerPeer | undefined {
    for (const worker of this.of(service).values()) {
      if (worker.keeper === keeper && worker.state === 'ready') return worker
    }
    return undefined
  }

  /** Adds a stranger; returns the one dropped to keep their number bounded. */
  challenge(stranger: Stranger, countMax: number): Stranger | undefined {
    this.#strangers.delete(stranger.peer)
    this.#strangers.set(stranger.peer, stranger)
    if (this.#strangers.size <= countMax) return undefined
    const oldest = this.#strangers.values().next().value!
    this.#strangers.delete(oldest.peer)
    return oldest
  }

  dropStranger(peer: PeerId): void {
    this.#strangers.delete(peer)
  }

  add(worker: WorkerPeer): void {
    this.#workers.set(worker.peer, worker)
    const replicas = this.#byService.get(worker.service) ?? new Map<PeerId, WorkerPeer>()
    replicas.set(worker.peer, worker)
    this.#byService.set(worker.service, replicas)
    const order = this.#orders.get(worker.service) ?? new ReplicaOrder()
    this.#orders.set(worker.service, order)
    worker.serial = ++this.#serial
    order.add(worker)
  }

  remove(peer: PeerId): void {
    const worker = this.#workers.get(peer)
    if (worker === undefined) return
    this.#workers.delete(peer)
    const replicas = this.#byService.get(worker.service)!
    replicas.delete(peer)
    worker.order?.remove(worker)
    if (replicas.size > 0) return
    this.#byService.delete(worker.service)
    this.#orders.delete(worker.service)
  }
}

const none: ReadonlyMap<PeerId, WorkerPeer> = new Map()

/** Makes the record of a worker whose READY was accepted. */
export function workerPeer(
  peer: PeerId,
  ready: Ready,
  { trusted, signedInBy }: Pick<WorkerPeer, 'trusted' | 'signedInBy'>,
  now: number,
): WorkerPeer {
  return {
    state: 'ready',
    peer,
    service: ready.service,
    version: ready.version,
    instance: ready.instance,
    keeper: keeperOf(ready.instance),
    workerEpoch: ready.workerEpoch,
    trusted,
    signedInBy,
    key: signedInBy?.authorization.name,
    unauthorized: [],
    concurrency: ready.concurrency,
    heartbeatMs: ready.heartbeatMs,
    joinedAt: now,
    lastHeardAt: now,
    suspect: false,
    health: goodHealth(now),
    holdUntil: undefined,
    held: new TransientMap(),
    used: [],
    suspended: new Set(),
    calls: new Set(),
    updatedAt: Number.NEGATIVE_INFINITY,
    nextUpdate: undefined,
    sessions: new Set(),
    usedAt: 0,
    serial: 0,
    order: undefined,
    place: 0,
    logWindow: { since: now, count: 0 },
  }
}

export function takeCredit(worker: WorkerPeer, id: CallId, depth: number): void {
  if (worker.held.has(id)) return
  worker.held.set(id, depth)
  worker.used[depth] = usedCredits(worker, depth) + 1
  worker.order?.moved(worker)
}

/** False when the worker did not hold that call. */
export function returnCredit(worker: WorkerPeer, id: CallId): boolean {
  const depth = worker.held.get(id)
  if (depth === undefined) return false
  worker.held.delete(id)
  worker.used[depth] = usedCredits(worker, depth) - 1
  worker.order?.moved(worker)
  return true
}

export function usedCredits(worker: WorkerPeer, depth: number): number {
  return worker.used[depth] ?? 0
}

/** Counts a LOG of the worker; false: it has sent as many in this second as it may. */
export function mayLog(worker: WorkerPeer, now: number): boolean {
  const { since, count } = worker.logWindow
  worker.logWindow = now - since >= 1_000 ? { since: now, count: 1 } : { since, count: count + 1 }
  return worker.logWindow.count <= logsPerSecondMax
}
