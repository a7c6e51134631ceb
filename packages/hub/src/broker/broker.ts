import { type DefinitionKind, type Event, type FromWorker, suspectAfterMs } from '@callboard/protocol'
import type { HeldDefinition } from '../pinning/pinning.js'
import type { Identity, ListScope, ServiceStatus } from '../port.js'
import { Audience } from './audience.js'
import { CallFlow } from './call-flow.js'
import type { Definition, Listed } from './definition.js'
import { Dispatcher } from './dispatcher.js'
import type { BrokerEffect } from './effects.js'
import type { BrokerEvent, DrainTarget, PeerId } from './events.js'
import { listNoticeMs, readFirstMs, sessionsNoticeMs, silentIdleMs, standstillMs } from './limits.js'
import type { WorkerPeer } from './peers.js'
import { changePolicy } from './policy-change.js'
import { ShedWatch } from './shed-watch.js'
import { SignIn } from './sign-in.js'
import { type BrokerSnapshot, snapshot } from './snapshot.js'
import { type BrokerOptions, BrokerState, type TimerTask } from './state.js'
import { type BrokerStatistics, statistics } from './statistics.js'
import { Updates } from './updates.js'
import { WorkerCalls } from './worker-calls.js'

/** The definitions that an EVENT speaks of. */
const listKinds = { tools_changed: 'tool', resources_changed: 'resource', prompts_changed: 'prompt' } as const

/**
 * The hub's state machine: no socket, no clock, no randomness of its own. Feed it events in the order in which they
 * happen, perform the effects in the order in which they come, and tick it at {@link nextDeadline}.
 */
export class Broker {
  readonly #state: BrokerState
  readonly #dispatcher: Dispatcher
  readonly #shedWatch: ShedWatch
  readonly #flow: CallFlow
  readonly #signIn: SignIn
  readonly #workerCalls: WorkerCalls
  readonly #audience: Audience
  readonly #updates: Updates

  constructor(options: BrokerOptions, now: number) {
    this.#state = new BrokerState(options, now)
    this.#dispatcher = new Dispatcher(this.#state)
    this.#shedWatch = new ShedWatch(this.#state)
    this.#flow = new CallFlow(this.#state, this.#dispatcher, this.#shedWatch)
    this.#signIn = new SignIn(this.#state, this.#dispatcher, this.#flow)
    this.#workerCalls = new WorkerCalls(this.#state, this.#flow)
    this.#audience = new Audience(this.#state, this.#dispatcher, this.#flow)
    this.#updates = new Updates(this.#state, this.#dispatcher, this.#signIn)
    this.#state.schedule('sessions_notice', '', sessionsNoticeMs)
  }

  /** Handles one event at `now` (UTC ms, never going back). */
  step(event: BrokerEvent, now: number): readonly BrokerEffect[] {
    const state = this.#state
    state.now = Math.max(now, state.now)
    if (state.now - (state.timers.nextAt ?? state.now) >= standstillMs) state.stoodStillAt = state.now
    this.#runTimers()
    this.#handle(event)
    this.#dispatcher.pumpFreed()
    if (state.catalogue.hasChanges && !state.timers.has('list_notice', ''))
      state.schedule('list_notice', '', listNoticeMs)
    return state.takeEffects()
  }

  /** When to tick next; undefined: never. A tick at that time always moves it. */
  nextDeadline(): number | undefined {
    return this.#state.timers.nextAt
  }

  // Questions, answered from memory ----------------------------------------------------------------------------------

  list(kind: DefinitionKind, identity: Identity, scope: ListScope): readonly Listed[] {
    return this.#state.catalogue.list(kind, identity, scope)
  }

  /** The tool that a call by this name would reach. */
  tool(name: string, identity: Identity): Definition | undefined {
    return this.#state.catalogue.resolve('tools/call', name, identity)
  }

  /** What exists for an identity, as far as it may know. */
  services(identity: Identity): readonly ServiceStatus[] {
    const { catalogue, peers } = this.#state
    return catalogue.services(identity).map((service) => ({ service, state: stateOf(peers.of(service)) }))
  }

  completes(identity: Identity): boolean {
    return this.#state.catalogue.completes(identity)
  }

  /** Of a service that has been seen, now or before a restart; undefined: it has not, or was forgotten. */
  stateOf(service: string): ServiceStatus['state'] | undefined {
    const { catalogue, peers } = this.#state
    return catalogue.describe(service) === undefined ? undefined : stateOf(peers.of(service))
  }

  /** Who bears a token that a worker minted; undefined when it is unknown or has ended. */
  identify(token: string, now: number): Identity | undefined {
    return this.#state.tokens.find(token, now)
  }

  /** What no operator has accepted. */
  held(): readonly HeldDefinition[] {
    return this.#state.catalogue.held()
  }

  snapshot(): BrokerSnapshot {
    return snapshot(this.#state, this.#dispatcher)
  }

  statistics(): BrokerStatistics {
    return statistics(this.#state, this.#dispatcher)
  }

  // Events -----------------------------------------------------------------------------------------------------------

  #handle(event: BrokerEvent): void {
    switch (event.type) {
      case 'message':
        return this.#message(event.peer, event.message)
      case 'call':
        return this.#flow.start(event.ref, event.connection, event.call)
      case 'cancel':
        return this.#flow.cancelTurn(event.ref)
      case 'resume':
        return this.#flow.resume(event)
      case 'abandon':
        return this.#flow.abandon(event.connection, event.id)
      case 'peer_connected':
        // A second connection under a routing id in use: whatever the first one proved is void.
        return this.#signIn.leave(event.peer, 'taken_over')
      case 'peer_lost':
        return this.#signIn.leave(event.peer, 'connection_lost')
      case 'send_failed':
        return this.#signIn.leave(event.peer, 'send_failed')
      case 'faults':
        return this.#faults(event.peer, event.faults)
      case 'keys_changed':
        this.#state.notice({ kind: 'setting_changed', what: 'keys' })
        return this.#signIn.reviewKeys()
      case 'handshake_refused':
        return this.#signIn.handshakeRefused(event.reason)
      case 'worker_connection':
        return this.#state.counters.add('worker_connections', event.stage)
      case 'connection_opened':
        return this.#audience.open(event.connection, event.identity)
      case 'connection_closed':
        return this.#audience.close(event.connection)
      case 'session_left':
        return this.#audience.leave(event.connection)
      case 'subscribe':
        return this.#audience.watch(event.connection, event.uri)
      case 'unsubscribe':
        return this.#audience.unwatch(event.connection, event.uri)
      case 'roots_changed':
        return this.#audience.rootsChanged(event.connection)
      case 'credential_revoked':
        this.#state.notice({ kind: 'setting_changed', what: 'tokens', ended: event.credential })
        return this.#audience.revokeCredential(event.credential)
      case 'catalogue_restored':
        return this.#state.catalogue.restore(event.services, this.#state.now)
      case 'pins_changed':
        this.#state.notice({ kind: 'setting_changed', what: 'pins' })
        return this.#updates.pinsChanged(event.accepted)
      case 'drain':
        return this.#drain(event.target, event.drainMs)
      case 'forget':
        return this.#forget(event.service)
      case 'policy_changed':
        this.#state.notice({ kind: 'setting_changed', what: 'policy' })
        return changePolicy(this.#state, event.policy)
      case 'stop':
        for (const worker of [...this.#state.peers.workers()]) this.#signIn.dismiss(worker.peer)
        return
      case 'tick':
        return
      default:
        event satisfies never
    }
  }

  #message(peer: PeerId, message: FromWorker): void {
    if (message.type === 'hello') return this.#signIn.hello(peer, message)
    if (message.type === 'ready' && this.#state.peers.stranger(peer) !== undefined) {
      return this.#signIn.ready(peer, message)
    }
    const worker = this.#state.peers.worker(peer)
    // What was still in the socket does not spoil the sign-in that has begun. [CB-11]
    if (this.#state.peers.stranger(peer) !== undefined) {
      return this.#state.counters.add('frames_dropped', 'out_of_turn')
    }
    if (worker === undefined) return this.#signIn.unknown(peer)
    if ('epoch' in message && message.epoch !== this.#state.options.epoch) {
      return this.#state.counters.add('frames_dropped', 'foreign_epoch')
    }
    const isBack = this.#heard(worker)
    this.#fromWorker(worker, message)
    // Not before: the message may be its DRAIN or BYE.
    if (isBack) this.#dispatcher.offersChanged(worker.service)
  }

  #fromWorker(worker: WorkerPeer, message: Exclude<FromWorker, { type: 'hello' }>): void {
    const state = this.#state
    switch (message.type) {
      case 'response':
        return this.#flow.response(worker, message)
      case 'progress':
        return this.#flow.progress(worker, message)
      case 'log':
        return this.#flow.log(worker, message)
      case 'input_required':
        return this.#flow.inputRequired(worker, message)
      case 'call':
        return this.#workerCalls.call(worker, message)
      case 'cancel':
        return this.#workerCalls.cancel(worker, message.id)
      case 'heartbeat':
        worker.holdUntil = message.holdUntil
        return state.send(worker.peer, {
          type: 'heartbeat_echo',
          serial: message.serial,
          sentAt: message.sentAt,
          now: state.now,
        })
      case 'update':
        if (message.session === undefined) return this.#updates.received(worker, message.body)
        return this.#updates.viewReceived(worker, message.session, message.body)
      case 'event':
        return this.#event(worker, message)
      case 'drain':
        if (message.acknowledged) return
        // A second one changes nothing. [CB-76]
        if (!state.timers.has('drain_overdue', worker.peer)) this.#dispatcher.startDraining([worker], message.drainMs)
        return state.send(worker.peer, { ...message, acknowledged: true })
      case 'bye':
        state.send(worker.peer, { type: 'bye', epoch: state.options.epoch })
        return this.#signIn.leave(worker.peer, 'bye')
      case 'ready':
        return state.counters.add('frames_dropped', 'out_of_turn')
      default:
        message satisfies never
    }
  }

  /** True when it was too silent to get calls. */
  #heard(worker: WorkerPeer): boolean {
    const { now } = this.#state
    const wasSilent = now - worker.lastHeardAt >= suspectAfterMs(worker.heartbeatMs)
    worker.lastHeardAt = now
    if (!worker.suspect) return wasSilent
    worker.suspect = false
    this.#state.catalogue.noteSilence(worker.peer, worker.service, false, now)
    this.#state.schedule('worker_silence', worker.peer, suspectAfterMs(worker.heartbeatMs))
    this.#state.notice({ kind: 'worker_back', service: worker.service, instance: worker.instance })
    return true
  }

  #faults(peer: PeerId, faults: readonly { readonly code: string; readonly message: string }[]): void {
    for (const { code } of faults) this.#state.counters.add('frames_faulty', code)
    const first = faults[0]
    if (first === undefined) return
    this.#state.notice({ kind: 'peer_faults', peer, code: first.code, message: first.message })
    if (this.#state.peers.stranger(peer) !== undefined) this.#signIn.unreadable(peer)
    else if (this.#state.peers.worker(peer) === undefined) this.#signIn.unknown(peer)
  }

  #event(worker: WorkerPeer, { kind, uri, session }: Event): void {
    if (kind !== 'resource_updated') {
      const principal = session === undefined ? undefined : this.#state.sessions.get(session)?.identity.principal
      const whose = session === undefined ? undefined : { session, principal }
      return this.#state.catalogue.noteListChange(worker.service, listKinds[kind], whose)
    }
    if (uri !== undefined) this.#audience.resourceUpdated(worker, uri, session)
  }

  #drain(target: DrainTarget, drainMs: number): void {
    if (target.kind === 'all') this.#state.shuttingDown = true
    const meant = [...this.#state.peers.workers()].filter((worker) => {
      if (target.kind === 'all') return true
      return target.kind === 'service' ? worker.service === target.service : worker.instance === target.instance
    })
    this.#signIn.drain(meant, drainMs)
  }

  #forget(service: string): void {
    const { catalogue, peers, now } = this.#state
    for (const heir of catalogue.forget(service, now)) {
      for (const worker of peers.of(heir).values()) this.#signIn.tellSubscriptions(worker)
    }
  }

  // Time -------------------------------------------------------------------------------------------------------------

  #runTimers(): void {
    for (;;) {
      const task = this.#state.takeDue()
      if (task === undefined) return
      this.#runTimer(task)
    }
  }

  #runTimer(task: TimerTask): void {
    switch (task.kind) {
      case 'deadline':
        return this.#flow.deadlinePassed(task.id)
      case 'grace':
        return this.#flow.graceOver(task.id)
      case 'queue_expired':
        return this.#flow.queueExpired(task.id)
      case 'input_wait':
        return this.#flow.inputWaitOver(task.id)
      case 'conversation_expired':
        return this.#flow.conversationExpired(task.id)
      case 'challenge_expired':
        return this.#signIn.forgetStranger(task.peer)
      case 'worker_silence':
        return this.#silence(task.peer)
      case 'drain_overdue':
        return this.#signIn.dismiss(task.peer)
      case 'update_due':
        return this.#updates.due(task.peer)
      case 'edition_due':
        this.#state.catalogue.review(task.service, this.#state.now)
        return this.#dispatcher.offersChanged(task.service)
      case 'shed_report':
        return this.#shedWatch.report(task.service)
      case 'ejection_over': {
        const worker = this.#state.peers.worker(task.peer)
        if (worker === undefined) return
        this.#dispatcher.outliers.over(worker)
        return this.#dispatcher.pump(worker.service)
      }
      case 'session_linger':
        return this.#audience.end(task.id)
      case 'session_revoked':
        return this.#audience.revokeSession(task.id)
      case 'token_expired':
        return this.#tokenExpired(task.id)
      case 'list_notice':
        return this.#audience.tellLists()
      case 'sessions_notice':
        this.#state.sessionsSettled = true
        this.#state.catalogue.views.keep((session) => this.#state.sessions.get(session) !== undefined)
        for (const worker of this.#state.peers.workers()) this.#signIn.tellSessions(worker)
        return
      default:
        task satisfies never
    }
  }

  /** Late heartbeats: the worker may be busy or stopped. It keeps what it has and gets nothing new. [CB-70] */
  #silence(peer: PeerId): void {
    const worker = this.#state.peers.worker(peer)
    if (worker === undefined) return
    const dueInMs = worker.lastHeardAt + suspectAfterMs(worker.heartbeatMs) - this.#state.now
    if (dueInMs > 0)
      return this.#state.schedule('worker_silence', peer, dueInMs + untilStep(this.#state.now + dueInMs, worker))
    // What it said while we stood still is to be read before it is called silent.
    if (this.#state.now - this.#state.stoodStillAt < readFirstMs) {
      return this.#state.schedule('worker_silence', peer, readFirstMs)
    }
    this.#state.schedule('worker_silence', peer, silentIdleMs)
    if (worker.suspect) {
      // Without the system's notice of a lost connection nothing else would ever tell. [CB-73]
      if (worker.held.size === 0 && worker.suspended.size === 0) this.#signIn.leave(peer, 'connection_lost')
      return
    }
    worker.suspect = true
    this.#state.catalogue.noteSilence(peer, worker.service, true, this.#state.now)
    this.#state.notice({ kind: 'worker_suspect', service: worker.service, instance: worker.instance })
    this.#dispatcher.startGrace(worker.service)
    // Where it was the last that was well, an ejected one is better than none.
    this.#dispatcher.pump(worker.service)
  }

  #tokenExpired(token: string): void {
    const grant = this.#state.tokens.revoke(token)
    if (grant !== undefined) this.#audience.revokeSession(grant.identity.session)
  }
}

function stateOf(workers: ReadonlyMap<PeerId, WorkerPeer>): ServiceStatus['state'] {
  const states = new Set([...workers.values()].map(({ suspect, state }) => (suspect ? 'suspect' : state)))
  return (['ready', 'suspect', 'draining'] as const).find((state) => states.has(state)) ?? 'away'
}

/**
 * The workers' deadlines fall together, up to a quarter of an interval later: each by itself would wake a hub at rest.
 * @returns ms from `at` to the next step.
 */
function untilStep(at: number, { heartbeatMs }: WorkerPeer): number {
  const stepMs = Math.ceil(heartbeatMs / 4)
  return (stepMs - (at % stepMs)) % stepMs
}
