import type { Call } from './calls.js'
import type { PeerId } from './events.js'
import { FairQueue } from './fair-queue.js'
import {
  attemptsMax,
  drainGraceMs,
  graceMs,
  queuedBytesMax,
  queuedPerServiceMax,
  queuedPerSessionMax,
} from './limits.js'
import { takeCredit, usedCredits, type WorkerPeer } from './peers.js'
import type { BrokerState } from './state.js'

/** What became of a call that was to be handed over. */
export type Submission = 'handed_over' | 'queued' | 'full' | 'busy_ancestor' | 'worn_out'

/** Chooses workers for calls, and keeps the calls that must wait. */
export class Dispatcher {
  readonly #state: BrokerState
  readonly #queues = new Map<string, FairQueue<Call>>()
  /** Which worker a session or principal belongs to, by service. */
  readonly #bindings = new Map<string, Map<string, PeerId>>()
  /** Services of which a call left the queue that may have kept others from their turn. */
  readonly #freed = new Set<string>()
  #useSerial = 0
  #queuedBytes = 0

  constructor(state: BrokerState) {
    this.#state = state
  }

  get queuedCount(): number {
    let count = 0
    for (const queue of this.#queues.values()) count += queue.size
    return count
  }

  /** What waits for a service. */
  waiting(service: string): { readonly queued: number; readonly oldestQueuedMs: number } {
    const queue = this.#queues.get(service)
    let oldest = this.#state.now
    for (const call of queue ?? []) oldest = Math.min(oldest, call.startedAt)
    return { queued: queue?.size ?? 0, oldestQueuedMs: this.#state.now - oldest }
  }

  /** Hands the call to a worker, or lets it wait for one. */
  submit(call: Call, isAncestor: (service: string) => boolean): Submission {
    const worker = this.#choose(call)
    if (worker !== undefined) return this.#handOver(call, worker)
    const { service } = call.definition
    // Whoever waits for a credit that only its own ancestor could return waits for itself. [CB-64]
    if (isAncestor(service) && this.#isServed(call)) return 'busy_ancestor'
    const queue = this.#queueOf(service)
    if (queue.size >= queuedPerServiceMax || queue.laneSize(laneOf(call)) >= queuedPerSessionMax) return 'full'
    if (this.#queuedBytes + call.body.byteLength > queuedBytesMax) return 'full'
    this.#queuedBytes += call.body.byteLength
    queue.push(laneOf(call), call)
    call.state = { kind: 'queued' }
    if (!this.#isServed(call)) this.#state.schedule('grace', call.id, graceMs)
    return 'queued'
  }

  /** For a call that was handed over and certainly, or harmlessly, came back. */
  resubmit(call: Call): Submission {
    if (call.attempts >= attemptsMax) return 'worn_out'
    const { service } = call.definition
    this.#queuedBytes += call.body.byteLength
    this.#queueOf(service).pushFirst(laneOf(call), call)
    call.state = { kind: 'queued' }
    if (!this.#isServed(call)) this.#state.schedule('grace', call.id, graceMs)
    return 'queued'
  }

  dequeue(call: Call): void {
    const { service } = call.definition
    const queue = this.#queues.get(service)
    if (queue?.remove(laneOf(call), call) !== true) return
    this.#queuedBytes -= call.body.byteLength
    if (queue.size === 0) this.#queues.delete(service)
    else this.#freed.add(service)
  }

  /** The end of a step: whoever waited behind a call that has ended unstarted has its turn. */
  pumpFreed(): void {
    for (const service of this.#freed) this.pump(service)
    this.#freed.clear()
  }

  /** Hands over what waits for a service, as far as credits go. */
  pump(service: string): void {
    const queue = this.#queues.get(service)
    if (queue === undefined) return
    for (;;) {
      let worker: WorkerPeer | undefined
      const call = queue.take((waiting) => {
        worker = this.#choose(waiting)
        return worker !== undefined
      })
      if (call === undefined || worker === undefined) break
      this.#queuedBytes -= call.body.byteLength
      this.#handOver(call, worker)
    }
    if (queue.size === 0) this.#queues.delete(service)
  }

  /** Whether the grace of a waiting call is over for good: no worker came. */
  isForsaken(call: Call): boolean {
    return !this.#isServed(call)
  }

  /** A service lost a worker, or a worker a definition: what waits for it may wait for nobody. */
  startGrace(service: string): void {
    for (const call of this.#queues.get(service) ?? []) {
      if (!this.#isServed(call) && !this.#state.timers.has(`grace ${call.id}`))
        this.#state.schedule('grace', call.id, graceMs)
    }
  }

  /** From now on the worker finishes what it holds and gets nothing new. */
  startDraining(worker: WorkerPeer, drainMs: number): void {
    worker.state = 'draining'
    this.#state.schedule('drain_overdue', worker.peer, drainMs + drainGraceMs)
    this.startGrace(worker.service)
  }

  unbindPeer(peer: PeerId, service: string): void {
    const bindings = this.#bindings.get(service)
    if (bindings === undefined) return
    for (const [key, bound] of bindings) if (bound === peer) bindings.delete(key)
    if (bindings.size === 0) this.#bindings.delete(service)
  }

  /** Forgets where a session was, and its principal too when that has no other. */
  unbindSession(session: string, principal: string | undefined): void {
    for (const bindings of this.#bindings.values()) {
      bindings.delete(`session ${session}`)
      if (principal !== undefined) bindings.delete(`principal ${principal}`)
    }
  }

  #handOver(call: Call, worker: WorkerPeer): 'handed_over' {
    const state = this.#state
    takeCredit(worker, call.id, call.caller.depth)
    worker.usedAt = ++this.#useSerial
    worker.sessions.add(call.caller.session)
    call.state = { kind: 'running', peer: worker.peer }
    call.attempts++
    this.#bind(call, worker.peer)
    state.unschedule('grace', call.id)
    state.send(worker.peer, {
      type: 'request',
      id: call.id,
      method: call.method,
      name: call.workerName,
      deadline: call.deadline,
      idempotencyKey: call.idempotencyKey,
      caller: call.caller,
      client: call.client,
      ...(call.traceparent === undefined ? {} : { traceparent: call.traceparent }),
      ...(call.tracestate === undefined ? {} : { tracestate: call.tracestate }),
      body: call.body,
    })
    return 'handed_over'
  }

  /** Least outstanding, then least recently used; a bound call has one candidate only. */
  #choose(call: Call): WorkerPeer | undefined {
    const { service } = call.definition
    const workers = this.#state.peers.of(service)
    const bound = this.#boundPeer(call)
    if (bound !== undefined) {
      const worker = workers.get(bound)
      if (worker?.state === 'ready') return this.#canTake(worker, call) ? worker : undefined
    }
    let best: WorkerPeer | undefined
    for (const worker of workers.values()) {
      if (!this.#canTake(worker, call)) continue
      if (best === undefined || isBetter(worker, best)) best = worker
    }
    return best
  }

  #canTake(worker: WorkerPeer, call: Call): boolean {
    return (
      worker.state === 'ready' &&
      !worker.suspect &&
      // It may still run the call from before its connection broke, and that answer would be taken for this one's. [CB-37]
      !worker.held.has(call.id) &&
      usedCredits(worker, call.caller.depth) < worker.concurrency &&
      this.#offers(worker, call)
    )
  }

  #offers(worker: WorkerPeer, call: Call): boolean {
    const { definition } = call
    if (definition.keeper !== undefined) return definition.keeper === worker.keeper
    if (definition.own !== true) return this.#state.catalogue.offers(worker.peer, definition)
    // Without the one that gave it to the session any other says in its own way that it has no such tool.
    const giver = this.#giverOf(call)
    return giver === undefined || giver === worker
  }

  /** The instance that gave the caller's session a tool of its own. [CB-28] */
  #giverOf({ definition: { own, service }, caller: { session } }: Call): WorkerPeer | undefined {
    if (own !== true) return undefined
    const sender = this.#state.catalogue.views.senderOf(service, session)
    for (const worker of this.#state.peers.of(service).values()) {
      if (worker.instance === sender && worker.state === 'ready') return worker
    }
    return undefined
  }

  /** Whether some worker that offers it is up, busy or not. */
  #isServed(call: Call): boolean {
    for (const worker of this.#state.peers.of(call.definition.service).values()) {
      const isUp = worker.state === 'ready' && !worker.suspect
      if (isUp && this.#offers(worker, call)) return true
    }
    return false
  }

  #boundPeer(call: Call): PeerId | undefined {
    const key = this.#bindingKey(call)
    return key === undefined ? undefined : this.#bindings.get(call.definition.service)?.get(key)
  }

  #bind(call: Call, peer: PeerId): void {
    const key = this.#bindingKey(call)
    if (key === undefined) return
    const bindings = this.#bindings.get(call.definition.service) ?? new Map<string, PeerId>()
    this.#bindings.set(call.definition.service, bindings.set(key, peer))
  }

  #bindingKey(call: Call): string | undefined {
    // Where a result is kept, or a tool of this session's own, has nothing to do with where its other calls go. [CB-101]
    if (call.definition.keeper !== undefined || this.#giverOf(call) !== undefined) return undefined
    const affinity = this.#state.catalogue.affinityOf(call.definition.service)
    if (affinity === 'session') return `session ${call.caller.session}`
    if (affinity === 'principal') return `principal ${call.caller.onBehalfOf ?? call.caller.principal}`
    return undefined
  }

  #queueOf(service: string): FairQueue<Call> {
    const queue = this.#queues.get(service) ?? new FairQueue<Call>()
    this.#queues.set(service, queue)
    return queue
  }
}

/** Depths have credits of their own, so a call at one depth must not wait behind one at another. */
const laneOf = (call: Call): string => `${call.caller.depth} ${call.caller.session}`

function isBetter(worker: WorkerPeer, best: WorkerPeer): boolean {
  if (worker.held.size !== best.held.size) return worker.held.size < best.held.size
  return worker.usedAt < best.usedAt
}
