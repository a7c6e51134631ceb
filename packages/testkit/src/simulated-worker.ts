import type { Message, Request } from '@callboard/protocol'
import { type Effect, type SessionEvent, type SessionOptions, WorkerSession } from '@callboard/worker'
import { type History, Violation } from './history.js'
import { Dealer, type Link } from './link.js'
import type { Random } from './random.js'
import { type Build, definitionsOf, type ServiceSpec } from './services.js'
import { type HandlerHost, nestedContent, type Sickness, SimulatedHandler } from './simulated-handler.js'
import type { Alarm, VirtualClock } from './virtual-clock.js'

/** What the simulation needs of a session; a test plants its bugs between this and the real one. */
export type SessionLike = Pick<WorkerSession, 'step' | 'nextDeadline' | 'state' | 'load' | 'pending'>

export interface WorkerContext {
  readonly clock: VirtualClock
  readonly random: Random
  readonly link: Link
  readonly history: History
  readonly secret: string
  readonly wrapSession: (session: SessionLike, options: SessionOptions) => SessionLike
}

export interface WorkerLife {
  readonly spec: ServiceSpec
  readonly build: Build
  readonly instance: string
  readonly clockOffset: number
}

/** One life of a worker's process: a shell around one session, with handlers that carry out plans. */
export class SimulatedWorker implements HandlerHost {
  readonly history: History
  readonly service: string
  readonly isTrusted: boolean
  readonly instance: string
  readonly peer: string
  readonly #context: WorkerContext
  readonly #spec: ServiceSpec
  #build: Build
  readonly #session: SessionLike
  readonly #dealer: Dealer
  readonly #handlers = new Map<string, SimulatedHandler>()
  readonly #nestedOwners = new Map<string, SimulatedHandler>()
  readonly #events: SessionEvent[] = []
  readonly #frozen: (() => void)[] = []
  readonly #outbox: Message[] = []
  /** Sessions of agents that this process knows and was not told the end of. */
  readonly #sessions = new Set<string>()
  readonly #onExit: () => void
  #clockOffset: number
  #isFrozen = false
  #isDead = false
  #isStepping = false
  #isStuck = false
  #sickness: Sickness | undefined
  #isHostile = false
  #flush: Alarm | undefined
  #alarm: Alarm | undefined
  #nestedSerial = 0
  #runSerial = 0
  #signIns = 0
  readonly #signInOf = new Map<string, number>()
  readonly #isResumed = new Set<string>()
  /** It has said DRAIN, of its own will or to the hub's. [CB-75] */
  #isLeaving = false

  constructor(context: WorkerContext, life: WorkerLife, onExit: () => void) {
    const { spec, build, instance, clockOffset } = life
    const { clock, history, secret, wrapSession } = context
    this.#context = context
    this.#spec = spec
    this.#build = build
    this.#onExit = onExit
    this.#clockOffset = clockOffset
    this.history = history
    this.service = spec.service
    this.isTrusted = spec.trusted
    this.instance = instance
    this.peer = `${spec.service}/${instance}`
    const { service, concurrency, heartbeatMs, replicas, affinity, drainMs, trusted } = spec
    const options: SessionOptions = {
      service,
      version: build.version,
      instance,
      routingId: this.peer,
      concurrency,
      heartbeatMs,
      replicas,
      affinity,
      drainMs,
      ...(trusted ? { secret } : {}),
      definitions: encode(definitionsOf(spec, false, build.drift)),
    }
    this.#session = wrapSession(new WorkerSession(options, this.#local), options)
    this.#dealer = new Dealer(context.link, clock, this.peer, {
      linkUp: () => this.#enter(() => this.#linkUp()),
      linkLost: () => this.#enter(() => this.#linkLost()),
      received: (messages) =>
        this.#enter(() => this.dispatch(...messages.map((message) => ({ type: 'message', message }) as const))),
    })
    history.note(`process ${instance} of ${service} starts`)
    this.#rearm()
  }

  get isDead(): boolean {
    return this.#isDead
  }

  get isFrozen(): boolean {
    return this.#isFrozen
  }

  /** A handler will never settle: only a new process gets its credit back. */
  get isStuck(): boolean {
    return this.#isStuck
  }

  get state(): SessionLike['state'] {
    return this.#session.state
  }

  get version(): string {
    return this.#build.version
  }

  /** Everything that must be gone when all is over, by name. */
  get leftovers(): Readonly<Record<string, number>> {
    const { calls, requests } = this.#session.pending
    return {
      handlers: this.#session.load,
      'open CALLs': calls,
      'parked REQUESTs': requests,
      'unsent messages': this.#outbox.length,
      'sessions of agents': this.#sessions.size,
    }
  }

  // What befalls a process -------------------------------------------------------------------------------------------

  /** SIGKILL. */
  kill(hubNotice: number | 'never'): void {
    this.history.note(`process ${this.instance} is killed`)
    this.#exit(hubNotice, false)
  }

  /** SIGTERM. */
  terminate(): void {
    this.history.note(`process ${this.instance} is asked to end`)
    this.#enter(() => this.dispatch({ type: 'drain' }))
  }

  stopNow(): void {
    this.history.note(`process ${this.instance} is stopped`)
    this.#enter(() => this.dispatch({ type: 'stop' }))
  }

  /** SIGSTOP. */
  freeze(): void {
    if (this.#isFrozen || this.#isDead) return
    this.history.note(`process ${this.instance} freezes`)
    this.#isFrozen = true
  }

  /** SIGCONT: everything that waited comes at once; timers first, or last, as the event loop happens to stand. */
  thaw(): void {
    if (!this.#isFrozen || this.#isDead) return
    this.history.note(`process ${this.instance} thaws`)
    this.#isFrozen = false
    const waiting = this.#frozen.splice(0)
    if (this.#context.random.chance(0.5)) this.#tick()
    for (const action of waiting) this.#enter(action)
    this.#rearm()
  }

  /** A machine that slept: its steady clock finds itself further on, never back. */
  skipTime(ms: number): void {
    this.history.note(`the clock of ${this.instance} skips ${ms} ms`)
    this.#clockOffset += ms
    this.#rearm()
  }

  /** Bytes or messages that no handler asked for. */
  sendRaw(messages: readonly Message[]): void {
    this.#isHostile = true
    if (!this.#isDead && !this.#isFrozen) this.#dealer.send(messages)
  }

  sendBytes(frames: readonly Uint8Array[]): void {
    this.#isHostile = true
    if (!this.#isDead && !this.#isFrozen) this.#dealer.sendFrames(frames)
  }

  tell(event: Extract<SessionEvent, { type: 'happened' | 'view_changed' }>): void {
    this.#enter(() => this.dispatch(event))
  }

  redefine(extra: boolean): void {
    const body = encode(definitionsOf(this.#spec, extra, this.#build.drift))
    this.#enter(() => this.dispatch({ type: 'definitions_changed', body }))
  }

  /** Other definitions of the same version. */
  rebuild(build: Build): void {
    this.#build = build
    this.redefine(false)
  }

  /** From now on each new call fails at once, or hangs until it is aborted. */
  sicken(how: Sickness | undefined): void {
    if (this.#isDead) return
    this.history.note(`process ${this.instance} is ${how === undefined ? 'well again' : `sick: ${how}`}`)
    this.#sickness = how
  }

  /** Ids of calls that run here now. */
  get running(): string[] {
    return [...this.#handlers.keys()]
  }

  /** Those of them that nobody else may ever run. */
  get runningOnce(): string[] {
    return [...this.#handlers].filter(([, { canary }]) => !canary.retriable).map(([id]) => id)
  }

  get knownSessions(): readonly string[] {
    return [...this.#sessions]
  }

  // What handlers need ------------------------------------------------------------------------------------------------

  dispatch(...events: readonly SessionEvent[]): void {
    if (this.#isDead) return
    this.#events.push(...events)
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      for (let event = this.#events.shift(); event !== undefined && !this.#isDead; event = this.#events.shift()) {
        for (const effect of this.#session.step(event, this.#local)) this.#perform(effect)
      }
    } finally {
      this.#isStepping = false
    }
    this.#rearm()
  }

  after(ms: number, action: () => void): void {
    this.#context.clock.after(ms, () => this.#enter(action))
  }

  nextNestedId(owner: SimulatedHandler): string {
    const id = `${this.instance}-${++this.#nestedSerial}`
    this.#nestedOwners.set(id, owner)
    return id
  }

  givenUp(id: string): void {
    this.#nestedOwners.delete(id)
  }

  stuck(): void {
    this.#isStuck = true
  }

  ended(handler: SimulatedHandler): void {
    this.#handlers.delete(handler.request.id)
    this.#signInOf.delete(handler.run)
    this.#isResumed.delete(handler.run)
  }

  // The shell ---------------------------------------------------------------------------------------------------------

  get #local(): number {
    return this.#context.clock.now + this.#clockOffset
  }

  /** Nothing happens in a dead process, and later in a frozen one. */
  #enter(action: () => void): void {
    if (this.#isDead) return
    if (this.#isFrozen) this.#frozen.push(action)
    else action()
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'send':
        if (effect.message.type === 'hello') this.#outbox.length = 0
        if (effect.message.type === 'hello') this.#isLeaving = false
        if (effect.message.type === 'drain') this.#isLeaving = true
        this.#outbox.push(effect.message)
        this.#flush ??= this.#context.clock.after(0, () => this.#sendAll())
        return
      case 'start_handler':
        return this.#start(effect.request)
      case 'abort_handler': {
        const handler = this.#handlers.get(effect.id)
        // While it waited for a person its credit went to another, and it does not get it back to end.
        if (handler?.isSuspended === true) this.#isResumed.add(handler.run)
        return handler?.abort(effect.cause)
      }
      case 'resume_handler': {
        const handler = this.#handlers.get(effect.id)
        if (handler !== undefined) this.#isResumed.add(handler.run)
        return handler?.resumed(effect.answers)
      }
      case 'refuse_input':
        return this.#handlers.get(effect.id)?.inputRefused()
      case 'call_progressed':
        return this.#checkProgress(effect.id, effect.body)
      case 'settle_call':
        return this.#settleCall(effect)
      case 'session_closed':
        this.#sessions.delete(effect.session)
        return
      case 'subscription':
        if (effect.subscribed) this.#sessions.add(effect.session)
        return
      case 'ready':
        this.#signIns += 1
        return
      case 'fatal':
        // After nonsense the hub may rightly refuse a worker for good.
        if (this.#isHostile) return this.#exit(this.#context.random.integer(0, 20), true)
        throw new Violation(`${this.instance} gives up for good: ${effect.code}: ${effect.message}`)
      case 'closed':
        return this.#exit(this.#context.random.integer(0, 20), true)
      default:
        return
    }
  }

  #start(request: Request): void {
    if (this.#isLeaving) throw new Violation(`${this.instance} starts ${request.id} while it drains`)
    const run = `${this.instance}#${++this.#runSerial}`
    const handler = new SimulatedHandler(request, run, this, this.#sickness)
    this.history.add({ kind: 'started', run, id: request.id, instance: this.instance, canary: handler.canary })
    this.#checkCredits(request)
    this.#handlers.set(request.id, handler)
    this.#signInOf.set(run, this.#signIns)
    this.#sessions.add(request.caller.session)
    handler.begin()
  }

  /** Handlers of this sign-in at the depth; what a person has kept waiting may come on top. */
  #checkCredits({ id, caller }: Request): void {
    let used = 1
    for (const handler of this.#handlers.values()) {
      const isOther = handler.request.caller.depth !== caller.depth || this.#signInOf.get(handler.run) !== this.#signIns
      if (!isOther && !handler.isSuspended && !this.#isResumed.has(handler.run)) used += 1
    }
    if (used > this.#spec.concurrency) {
      throw new Violation(`${this.instance} starts ${id} as number ${used} at depth ${caller.depth}`)
    }
  }

  #checkProgress(id: string, body: Uint8Array): void {
    const of = (JSON.parse(Buffer.from(body).toString()) as { canary: { call: string } }).canary.call
    const owner = this.#nestedOwners.get(id)
    if (owner === undefined || !of.startsWith(`${owner.canary.call}>${owner.run}.`)) {
      throw new Violation(`progress of ${of} came for the nested call ${id}`)
    }
  }

  #settleCall({ id, result }: Extract<Effect, { type: 'settle_call' }>): void {
    const owner = this.#nestedOwners.get(id)
    if (owner === undefined) throw new Violation(`${this.instance} settles ${id}, which nobody waits for`)
    this.#nestedOwners.delete(id)
    if (owner.settledMint(id, result)) return
    const content = nestedContent(result)
    const failure = result.outcome === 'failure' ? result.failure : undefined
    this.history.add({ kind: 'nested_settled', id, outcome: result.outcome, content, failure })
    owner.settled(id)
  }

  #checkTick(): void {
    const next = this.#session.nextDeadline()
    if (next <= this.#local) {
      throw new Violation(
        `a tick of ${this.instance} at ${this.#local} left its deadline at ${next}: a shell would spin`,
      )
    }
  }

  #linkUp(): void {
    this.history.note(`${this.instance} has a link`)
    this.dispatch({ type: 'link_up' })
  }

  #linkLost(): void {
    this.history.note(`${this.instance} has lost its link`)
    this.#outbox.length = 0
    this.dispatch({ type: 'link_lost' })
  }

  #sendAll(): void {
    this.#flush = undefined
    if (this.#isDead || this.#outbox.length === 0) return
    if (!this.#isFrozen && this.#dealer.send(this.#outbox)) this.#outbox.length = 0
    else this.#flush = this.#context.clock.after(5, () => this.#sendAll())
  }

  /** As the real shell does: armed again only when it would be late. */
  #rearm(): void {
    if (this.#isDead) return
    const at = this.#session.nextDeadline() - this.#clockOffset
    if (this.#alarm !== undefined && this.#alarm.at === Math.ceil(at)) return
    this.#alarm?.cancel()
    this.#alarm = Number.isFinite(at) ? this.#context.clock.at(at, () => this.#alarmed()) : undefined
  }

  #alarmed(): void {
    this.#alarm = undefined
    if (this.#isDead) return
    if (this.#isFrozen) return
    this.#tick()
  }

  #tick(): void {
    this.dispatch({ type: 'tick' })
    if (!this.#isDead) this.#checkTick()
  }

  #exit(hubNotice: number | 'never', delivers: boolean): void {
    if (this.#isDead) return
    if (delivers && this.#outbox.length > 0) this.#dealer.send(this.#outbox.splice(0))
    this.#isDead = true
    this.#alarm?.cancel()
    this.#flush?.cancel()
    this.#dealer.close(hubNotice, delivers)
    for (const handler of this.#handlers.values()) handler.vanish()
    this.history.add({ kind: 'process_lost', instance: this.instance })
    this.#onExit()
  }
}

function encode(value: object): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}
