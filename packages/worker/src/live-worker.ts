import { randomBytes } from 'node:crypto'
import { type CallId, heartbeatMsDefault, keeperOf, type Message, sharedSecret } from '@callboard/protocol'
import type { Logger } from 'pino'
import type { ConnectionState, RunningWorker, WorkerOptions } from './api.js'
import type { Catalogue } from './catalogue.js'
import { SignInRefused } from './errors.js'
import type { HubLink } from './hub-link.js'
import { KeptResults } from './kept-results.js'
import { OutgoingCalls } from './outgoing-calls.js'
import type { ReadView } from './read-view.js'
import { RunningCalls, type Settled } from './running-calls.js'
import { WorkerSession } from './session.js'
import type { Effect, SessionEvent } from './session-messages.js'
import type { SessionOptions } from './session-state.js'
import { SessionTools } from './session-tools.js'
import type { Clock } from './steady-clock.js'
import { hubKeysOf, type WorkerKeys } from './worker-keys.js'

export interface LiveWorkerOptions {
  readonly worker: Required<
    Pick<WorkerOptions, 'service' | 'version' | 'concurrency' | 'replicas' | 'affinity' | 'drainMs'>
  > &
    Pick<WorkerOptions, 'holdUntil' | 'formatError'>
  readonly catalogue: Catalogue
  readonly instance: string
  readonly routingId: string
  readonly secret?: string
  readonly keys?: WorkerKeys
  readonly heartbeatMs?: number
  readonly link: HubLink
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly listeners: WorkerListeners
}

/** What the author of a worker wants to hear. Whoever fails, by throwing or by a promise, keeps no other from hearing. */
export interface WorkerListeners {
  readonly sessionClosed: readonly ((session: string) => unknown)[]
  readonly rootsChanged: readonly ((session: string) => unknown)[]
  readonly subscription: readonly ((uri: string, session: string, subscribed: boolean) => unknown)[]
  readonly connection: readonly ((state: ConnectionState) => unknown)[]
}

/** The shell around one session: steps it, does what it says, keeps its one timer, runs the handlers. */
export class LiveWorker implements RunningWorker {
  readonly service: string
  readonly instance: string
  readonly calls: OutgoingCalls
  readonly kept: KeptResults
  /** Settles when the hub has accepted the worker, or never will. */
  readonly ready: Promise<void>
  readonly closed: Promise<void>
  readonly #options: LiveWorkerOptions
  readonly #session: WorkerSession
  readonly #running: RunningCalls
  readonly #sessionTools = new SessionTools()
  #events: SessionEvent[] = []
  readonly #ready = settler()
  readonly #closed = settler()
  #refused: RunningWorker['refused'] = []
  /** The problem that the log has for the worker's waiting; undefined: it does not wait, or not yet for long. */
  #toldProblem: string | undefined
  #isStepping = false
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY
  #announcement: NodeJS.Immediate | undefined

  constructor(options: LiveWorkerOptions) {
    this.#options = options
    const { worker, catalogue, instance, routingId, secret, keys, heartbeatMs = heartbeatMsDefault, clock } = options
    const { service, version, concurrency, replicas, affinity, drainMs } = worker
    this.service = service
    this.instance = instance
    this.ready = this.#ready.promise
    this.closed = this.#closed.promise
    this.calls = new OutgoingCalls((event) => this.dispatch(event))
    const newId = () => randomBytes(18).toString('base64url')
    this.kept = new KeptResults({ service, keeper: keeperOf(instance), now: () => clock.now(), newId })
    const { log } = options
    const { formatError } = worker
    const formatting = formatError === undefined ? {} : { formatError }
    const serving = { catalogue, sessionTools: this.#sessionTools, kept: this.kept, log, ...formatting }
    this.#running = new RunningCalls({ serving, host: this, settled: (calls) => this.#settled(calls) })
    const described = { service, version, instance, routingId, concurrency, heartbeatMs, replicas, affinity, drainMs }
    const definitions = catalogue.encode()
    this.#session = new WorkerSession(
      {
        ...described,
        ...(secret === undefined ? {} : { secret }),
        ...(keys === undefined ? {} : { key: sessionKey(keys, options.link) }),
        definitions,
      },
      clock.now(),
    )
  }

  get state(): RunningWorker['state'] {
    return this.#session.state
  }

  get refused(): RunningWorker['refused'] {
    return this.#refused
  }

  open(): void {
    this.#options.link.open({
      linkUp: () => this.dispatch({ type: 'link_up' }),
      linkLost: () => this.dispatch({ type: 'link_lost' }),
      refused: () => this.#tellRefused(),
      received: (messages) => this.#received(messages),
    })
    this.#rearm()
  }

  async stop(): Promise<void> {
    this.drain()
    await this.closed.catch(() => {})
  }

  drain(): void {
    this.dispatch({ type: 'drain' })
  }

  /** Aborts whatever runs and leaves. */
  stopNow(): void {
    this.dispatch({ type: 'stop' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** The catalogue has changed; one UPDATE tells of all the changes of this turn of the loop. */
  announce(): void {
    this.#announcement ??= setImmediate(() => {
      this.#announcement = undefined
      try {
        this.dispatch({ type: 'definitions_changed', body: this.#options.catalogue.encode() })
      } catch (error) {
        this.#options.log.error({ err: error }, 'the changed definitions can not be announced')
      }
    })
  }

  setView(session: string, { view, tools }: ReadView): void {
    this.#sessionTools.set(session, tools)
    this.dispatch({ type: 'view_changed', session, view })
  }

  /** UTC ms. */
  deadlineOf(id: CallId): number | undefined {
    const deadline = this.#session.deadlineOf(id)
    return deadline === undefined ? undefined : this.#options.clock.toUtc(deadline)
  }

  /** Handlers that run inside an effect may cause the next event: it waits until this one is done. */
  dispatch(event: SessionEvent): void {
    this.#events.push(event)
    this.#advance()
  }

  #received(messages: readonly Message[]): void {
    for (const message of messages) this.#events.push({ type: 'message', message })
    this.#advance()
  }

  #settled(calls: readonly Settled[]): void {
    for (const { id, result } of calls) this.#events.push({ type: 'handler_settled', id, result })
    this.#advance()
  }

  #advance(): void {
    if (this.#isStepping) return
    this.#isStepping = true
    try {
      while (this.#events.length > 0) this.#stepAll()
    } finally {
      this.#isStepping = false
    }
    this.#running.start()
    this.#rearm()
  }

  /** What is there now happens at one time. */
  #stepAll(): void {
    const events = this.#events
    this.#events = []
    const now = this.#options.clock.now()
    for (const event of events) {
      for (const effect of this.#session.step(event, now)) this.#perform(effect)
    }
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'send':
        return this.#send(effect.message)
      case 'start_handler':
        return this.#running.add(effect.request)
      case 'abort_handler':
        return this.#running.get(effect.id)?.abort(effect.cause)
      case 'resume_handler':
        return this.#running.get(effect.id)?.resume(effect.answers, effect.client)
      case 'refuse_input':
        return this.#running.get(effect.id)?.refuseInput(effect.keys)
      case 'call_progressed':
        return this.#guard('onProgress', () => this.calls.progressed(effect.id, effect.body))
      case 'settle_call':
        return this.calls.settle(effect.id, effect.result)
      case 'session_closed':
        this.#sessionTools.close(effect.session)
        return this.#tell('onSessionClosed', this.#options.listeners.sessionClosed, effect.session)
      case 'roots_changed':
        return this.#tell('onRootsChanged', this.#options.listeners.rootsChanged, effect.session)
      case 'subscription': {
        const { uri, session, subscribed } = effect
        return this.#tell('onSubscription', this.#options.listeners.subscription, uri, session, subscribed)
      }
      case 'ready':
        return this.#welcomed(effect)
      case 'unready':
        this.#options.log.warn({ cause: effect.cause }, 'lost the hub')
        return this.#tellConnection('lost')
      case 'waiting':
        return this.#tellWaiting(effect.refusal)
      case 'draining':
        this.#options.log.info({ load: this.#session.load }, 'draining')
        return this.#tellConnection('draining')
      case 'closed':
        return this.#close()
      case 'fatal':
        return this.#close(new SignInRefused(this.service, effect.code, effect.message))
      default:
        effect satisfies never
    }
  }

  #send(message: Message): void {
    this.#options.link.send(message)
  }

  #welcomed({ trusted, refused }: Extract<Effect, { type: 'ready' }>): void {
    const { log } = this.#options
    this.#refused = refused.map(({ name, message }) => ({ name, message }))
    for (const verdict of refused) log.warn({ verdict }, 'the hub refused a definition')
    log.info({ trusted, instance: this.instance }, 'signed in')
    this.#toldProblem = undefined
    this.#ready.resolve()
    this.#tellConnection('ready')
  }

  /** Of a hub that comes late the log has said that there is none: what it does then is news. */
  #tellRefused(): void {
    if (this.#toldProblem !== undefined && this.#toldProblem !== this.#options.link.problem)
      this.#tellWaiting(undefined)
  }

  #tellWaiting(refusal: string | undefined): void {
    const { log, link } = this.#options
    const { endpoint, problem } = link
    this.#toldProblem = problem ?? ''
    if (refusal !== undefined) return log.warn({ endpoint, refusal }, 'the hub does not take this worker yet: waiting')
    if (problem !== undefined)
      return log.warn({ endpoint, problem }, 'the hub does not let this worker in: trying again')
    const isTcp = endpoint.startsWith('tcp://')
    log.warn({ endpoint }, `no hub found: waiting for one. ${isTcp ? askOfListening : askOfRuntime}`)
  }

  #close(error?: SignInRefused): void {
    if (error !== undefined) this.#options.log.error({ code: error.code }, error.message)
    clearTimeout(this.#timer)
    clearImmediate(this.#announcement)
    this.kept.clear()
    const ended = () => (error === undefined ? this.#closed.resolve() : this.#closed.reject(error))
    this.#ready.reject(error ?? new Error(`The worker "${this.service}" was stopped before it had signed in.`))
    this.#options.link.close().then(ended, (failure) => this.#closed.reject(error ?? failure))
  }

  /** One timer, armed again only when it would be late: an early tick does no harm. */
  #rearm(): void {
    const at = this.#session.nextDeadline()
    if (this.#session.state === 'closed' || at >= this.#timerAt) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#timer = setTimeout(() => this.#tick(), Math.max(0, Math.ceil(at - this.#options.clock.now())))
  }

  #tick(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    this.kept.sweep()
    const holdUntil = this.#holdUntil()
    this.dispatch({ type: 'tick', ...(holdUntil === undefined ? {} : { holdUntil }) })
  }

  #holdUntil(): number | undefined {
    let until: number | undefined
    this.#guard('holdUntil', () => {
      until = this.#options.worker.holdUntil?.()
    })
    return Number.isFinite(until) ? until : undefined
  }

  #tellConnection(state: ConnectionState): void {
    this.#tell('onConnection', this.#options.listeners.connection, state)
  }

  #tell<Args extends unknown[]>(what: string, listeners: readonly ((...args: Args) => unknown)[], ...args: Args): void {
    for (const listener of listeners) this.#guard(what, () => listener(...args))
  }

  /** What fails here, now or as a promise, must keep neither the session from its next step nor the process from living. */
  #guard(what: string, callback: () => unknown): void {
    const failed = (error: unknown) => this.#options.log.error({ err: error }, `${what} failed`)
    try {
      Promise.resolve(callback()).catch(failed)
    } catch (error) {
      failed(error)
    }
  }
}

const askOfRuntime = 'Does "callboard up" run, with the same CALLBOARD_RUNTIME or CALLBOARD_HUB as here?'
const askOfListening =
  'Does the hub there run with CALLBOARD_LISTEN, at the host and port of CALLBOARD_HUB here, and does no firewall stand between?'

/** @throws TypeError for keys that can't make a secret together. */
function sessionKey(keys: WorkerKeys, link: HubLink): NonNullable<SessionOptions['key']> {
  const secrets = new Map(hubKeysOf(keys).map((hubKey) => [hubKey, sharedSecret(keys.secretKey, hubKey)]))
  const [first] = secrets.values()
  if (first === undefined || [...secrets.values()].includes(undefined)) {
    throw new TypeError('keys: must be keys of 40 characters in Z85')
  }
  return {
    publicKey: keys.publicKey,
    get shared() {
      return secrets.get(link.hubKey ?? '') ?? first
    },
  }
}

interface Settler {
  readonly promise: Promise<void>
  resolve(): void
  reject(reason: unknown): void
}

function settler(): Settler {
  const settle = { resolve: () => {}, reject: (_: unknown) => {} }
  const promise = new Promise<void>((resolve, reject) => Object.assign(settle, { resolve, reject }))
  // Whoever awaits it gets the rejection; nobody has to.
  promise.catch(() => {})
  return { promise, resolve: () => settle.resolve(), reject: (reason) => settle.reject(reason) }
}
