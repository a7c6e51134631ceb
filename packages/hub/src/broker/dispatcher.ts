import { type Request, suspectAfterMs } from '@callboard/protocol'
import type { Call } from './calls.js'
import type { PeerId } from './events.js'
import { attemptsMax, drainGraceMs } from './limits.js'
import { Outliers } from './outliers.js'
import { takeCredit, usedCredits, type WorkerPeer } from './peers.js'
import type { PerService } from './per-service.js'
import { comesBefore } from './replica-order.js'
import { RetryBudget } from './retry-budget.js'
import type { BrokerState } from './state.js'
import { type Refusal, WaitingCalls } from './waiting-calls.js'

/** What became of a call that was to be handed over. */
export type Submission = 'handed_over' | 'queued' | 'worn_out' | Refusal

/** Why a call that was handed over is to be handed over again. */
export type Return = 'lost' | 'not_started' | 'draining'

/** Chooses workers for calls, and lets calls wait for them. */
export class Dispatcher {
  readonly outliers: Outliers
  readonly #state: BrokerState
  readonly #waiting: WaitingCalls
  /** Which worker a session or principal belongs to, by service. */
  readonly #bindings = new Map<string, Map<string, PeerId>>()
  readonly #retryBudgets: PerService<RetryBudget>
  /** Services of which a call left the queue that may have kept others from their turn. */
  readonly #freed = new Set<string>()
  #useSerial = 0

  constructor(state: BrokerState) {
    this.#state = state
    this.outliers = new Outliers(state)
    this.#waiting = new WaitingCalls(state)
    this.#retryBudgets = state.perService(() => new RetryBudget(state.now))
  }

  get queuedCount(): number {
    return this.#waiting.count
  }

  /** What waits for a service. */
  waiting(service: string): { readonly queued: number; readonly oldestQueuedMs: number } {
    return this.#waiting.load(service)
  }

  /** What a caller who is refused is told to wait, in ms. */
  retryAfterMs(service: string): number {
    return this.#waiting.retryAfterMs(service)
  }

  /** Hands the call to a worker, or lets it wait for one. */
  submit(call: Call): Submission {
    const worker = this.#choose(call)
    if (worker !== undefined) return this.#handOver(call, worker)
    const refusal = this.#waiting.refusalOf(call)
    if (refusal !== undefined) return refusal
    this.enqueue(call)
    return 'queued'
  }

  /**
   * For a call that was handed over and certainly, or harmlessly, came back. A worker that drains says so once, and is not
   * chosen again: that costs nothing.
   */
  resubmit(call: Call, why: Return): Submission {
    if (why !== 'draining') {
      if (call.attempts >= attemptsMax) return 'worn_out'
      if (!this.#retryBudgets.of(call.definition.service).spend(this.#state.now)) return 'retry_budget'
    }
    this.#state.statisticsOf(call.definition.service).retried()
    this.#waiting.addFirst(call)
    if (!this.#isServed(call)) this.#waiting.startGrace(call)
    return 'queued'
  }

  /** Of those that wait, the call that gives way to one that found the queue full; undefined: none has a larger share. */
  excessOver(call: Call): Call | undefined {
    return this.#waiting.excessOver(call)
  }

  /** Room was made for it. */
  enqueue(call: Call): void {
    this.#waiting.add(call)
    if (!this.#isServed(call)) this.#waiting.startGrace(call)
  }

  dequeue(call: Call): void {
    this.#waiting.remove(call)
    this.#freed.add(call.definition.service)
  }

  /** The end of a step: whoever waited behind a call that has ended unstarted has its turn. */
  pumpFreed(): void {
    if (this.#freed.size === 0) return
    for (const service of this.#freed) this.pump(service)
    this.#freed.clear()
  }

  /** A call of the service has ended at its worker. */
  ended(service: string): void {
    this.#waiting.ended(service)
  }

  /** Hands over what waits for a service, as far as credits go. */
  pump(service: string): void {
    if (!this.#waiting.has(service)) return
    for (;;) {
      const room = this.#roomAt(service)
      let worker: WorkerPeer | undefined
      const call = this.#waiting.take(service, (waiting) => {
        // Several timers may be due at once, and its deadline be among those that are still to run.
        if (waiting.deadline <= this.#state.now || !room(waiting.caller.depth)) return false
        worker = this.#choose(waiting)
        return worker !== undefined
      })
      if (call === undefined || worker === undefined) return
      this.#handOver(call, worker)
    }
  }

  /** Whether the grace of a waiting call is over for good: no worker came. */
  isForsaken(call: Call): boolean {
    return !this.#isServed(call)
  }

  /** A service lost a worker, or a worker a definition: what waits for it may wait for nobody. */
  startGrace(service: string): void {
    for (const call of this.#waiting.of(service)) if (!this.#isServed(call)) this.#waiting.startGrace(call)
  }

  /** From now on the workers finish what they hold and get nothing new; what waits for one does not go to another of them. */
  startDraining(workers: readonly WorkerPeer[], drainMs: number): void {
    for (const worker of workers) {
      worker.state = 'draining'
      this.#state.schedule('drain_overdue', worker.peer, drainMs + drainGraceMs)
    }
    for (const service of new Set(workers.map((worker) => worker.service))) {
      const peers = workers.filter((worker) => worker.service === service).map(({ peer }) => peer)
      this.#state.catalogue.leaving(service, peers, this.#state.now)
      this.outliers.review(service)
      this.offersChanged(service)
    }
  }

  /** Who offers what of a service is not as it was: what waits may have a worker now, or none. */
  offersChanged(service: string): void {
    const { catalogue, now } = this.#state
    const reviewAt = catalogue.reviewAt(service, now)
    if (reviewAt === undefined) this.#state.unschedule('edition_due', service)
    else this.#state.schedule('edition_due', service, reviewAt - now)
    this.startGrace(service)
    this.pump(service)
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
    worker.usedAt = ++this.#useSerial
    takeCredit(worker, call.id, call.caller.depth)
    worker.sessions.add(call.caller.session)
    call.state = { kind: 'running', peer: worker.peer }
    if (call.attempts++ === 0) {
      state.statisticsOf(worker.service).handedOver(state.now - call.startedAt)
      this.#retryBudgets.of(worker.service).earn()
    }
    const { keeper, own } = call.definition
    call.wasChosen = keeper === undefined && own !== true && this.#binding(call) === undefined
    this.#bind(call, worker.peer)
    state.send(worker.peer, requestOf(call))
    return 'handed_over'
  }

  /** Least outstanding, then least recently used; a bound call has one candidate only. */
  #choose(call: Call): WorkerPeer | undefined {
    const bound = this.#boundWorker(call)
    if (bound !== undefined) return this.#hasRoom(bound, call) ? bound : undefined
    const first = this.#state.peers.firstOf(call.definition.service)
    // Nearly always; else the next that can is looked for.
    if (first !== undefined && first.health.ejectedUntil === undefined && this.#takes(first, call)) return first
    let best: WorkerPeer | undefined
    let bestEjected: WorkerPeer | undefined
    let isServed = false
    for (const worker of this.#state.peers.of(call.definition.service).values()) {
      // First what costs nothing: of hundreds of workers only a few are looked at more closely.
      if (best !== undefined && !comesBefore(worker, best)) continue
      if (!this.#isUp(worker) || !this.#offers(worker, call)) continue
      const isEjected = worker.health.ejectedUntil !== undefined
      isServed ||= !isEjected
      if (!this.#hasRoom(worker, call)) continue
      if (!isEjected) best = worker
      else if (bestEjected === undefined || comesBefore(worker, bestEjected)) bestEjected = worker
    }
    // A worker that mostly fails is better than none, and worse than waiting for another.
    return best ?? (isServed ? undefined : bestEjected)
  }

  /** By depth: whether any worker that is up has a credit left, so that a long queue need not be looked through in vain. */
  #roomAt(service: string): (depth: number) => boolean {
    const found: (boolean | undefined)[] = []
    return (depth) => {
      found[depth] ??= [...this.#state.peers.of(service).values()].some(
        (worker) => this.#isUp(worker) && usedCredits(worker, depth) < worker.concurrency,
      )
      return found[depth]
    }
  }

  /** Silence counts from the moment on, whether or not anybody has come to note it. */
  #isUp({ state, suspect, lastHeardAt, heartbeatMs }: WorkerPeer): boolean {
    return state === 'ready' && !suspect && this.#state.now - lastHeardAt < suspectAfterMs(heartbeatMs)
  }

  #takes(worker: WorkerPeer, call: Call): boolean {
    return this.#hasRoom(worker, call) && this.#offers(worker, call)
  }

  #hasRoom(worker: WorkerPeer, call: Call): boolean {
    return (
      this.#isUp(worker) &&
      // It may still run the call from before its connection broke, and that answer would be taken for this one's. [CB-37]
      !worker.held.has(call.id) &&
      usedCredits(worker, call.caller.depth) < worker.concurrency
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
      if (this.#isUp(worker) && this.#offers(worker, call)) return true
    }
    return false
  }

  /**
   * The worker that a session or principal is bound to, as long as it stays. Its own edition of what is called will do: the
   * state is there. What it does not have at all, another one answers. [CB-44]
   */
  #boundWorker(call: Call): WorkerPeer | undefined {
    const worker = this.#binding(call)
    if (worker === undefined) return undefined
    const { definition } = call
    return definition.own === true || this.#state.catalogue.knows(worker.peer, definition) ? worker : undefined
  }

  #binding(call: Call): WorkerPeer | undefined {
    const key = this.#bindingKey(call)
    const peer = key === undefined ? undefined : this.#bindings.get(call.definition.service)?.get(key)
    const worker = peer === undefined ? undefined : this.#state.peers.worker(peer)
    return worker?.state === 'ready' ? worker : undefined
  }

  #bind(call: Call, peer: PeerId): void {
    const key = this.#bindingKey(call)
    if (key === undefined || this.#binding(call) !== undefined) return
    const bindings = this.#bindings.get(call.definition.service) ?? new Map<string, PeerId>()
    this.#bindings.set(call.definition.service, bindings.set(key, peer))
  }

  #bindingKey(call: Call): string | undefined {
    const affinity = this.#state.catalogue.affinityOf(call.definition.service)
    if (affinity === 'none') return undefined
    // Where a result is kept, or a tool of this session's own, has nothing to do with where its other calls go. [CB-101]
    if (call.definition.keeper !== undefined || this.#giverOf(call) !== undefined) return undefined
    if (affinity === 'session') return `session ${call.caller.session}`
    return `principal ${call.caller.onBehalfOf ?? call.caller.principal}`
  }
}

function requestOf(call: Call): Request {
  const { id, method, workerName: name, deadline, idempotencyKey, caller, client, body } = call
  const request = { type: 'request', id, method, name, deadline, idempotencyKey, caller, client, body } as const
  const { traceparent, tracestate } = call
  if (traceparent === undefined && tracestate === undefined) return request
  return { ...request, ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) }
}
