import { bodyBytesMax, type CallId, type ToolDefinition, TransientMap } from '@callboard/protocol'
import type { AuditOutlet } from './audit/audit-outlet.js'
import { Broker } from './broker/broker.js'
import type { Definition } from './broker/definition.js'
import type { BrokerEffect, Notice } from './broker/effects.js'
import type { BrokerEvent, CallWish, ConnectionId, PeerId, Ref } from './broker/events.js'
import type { StoredService } from './broker/service-entry.js'
import type { BrokerOptions } from './broker/state.js'
import { failure } from './broker/state.js'
import type {
  AgentCall,
  CallOutcome,
  CallSink,
  Connection,
  ConnectionListener,
  HubPort,
  Identity,
  KnownTool,
  Resumption,
  Turn,
  TurnListener,
} from './port.js'

/** What the broker's effects reach, apart from the agents' connections. */
export interface RunnerOutlets {
  send(peer: PeerId, message: Extract<BrokerEffect, { type: 'send' }>['message']): void
  keepCatalogue(services: readonly StoredService[]): void
  notice(notice: Notice): void
  /** A fault of the hub itself, whole. */
  failed(error: unknown, event: string): void
  /** What a journal wants to know; absent: there is none. */
  readonly audit?: AuditOutlet | undefined
  workerLog(log: Extract<BrokerEffect, { type: 'worker_log' }>): void
  /** UTC ms that never go back. */
  now(): number
}

const internalFailure = failure('internal', 'The hub failed at this call; its log says why.')

const cancelled: CallOutcome = { kind: 'failure', failure: failure('cancelled', 'The call was cancelled.') }

/** {@link TurnListener} with what is absent spelled out. */
type MaybeListener = { readonly [key in keyof TurnListener]: TurnListener[key] | undefined }

/** Longer than this a timer is armed in steps: setTimeout takes 31 bits. */
const timerMsMax = 2_000_000_000

/** Gives the broker a clock, a timer and outlets, and the MCP front ends their {@link HubPort}. */
export class BrokerRunner implements HubPort {
  readonly broker: Broker
  readonly #outlets: RunnerOutlets
  readonly #listeners = new Map<ConnectionId, ConnectionListener>()
  readonly #turns = new TransientMap<Ref, CallSink>()
  readonly #joined = new Set<() => void>()
  #connectionSerial = 0
  #refSerial = 0
  #timer: NodeJS.Timeout | undefined
  #armedFor: number | undefined
  #pending: BrokerEvent[] | undefined
  #closed = false
  readonly #catalogueKnown: () => Promise<void> | undefined

  constructor(options: BrokerOptions, outlets: RunnerOutlets, catalogueKnown: () => Promise<void> | undefined) {
    this.#outlets = outlets
    this.broker = new Broker(options, outlets.now())
    this.#catalogueKnown = catalogueKnown
    this.#arm()
  }

  /** Handles an event and performs its effects in order. An event that an effect causes waits for its turn. */
  step(event: BrokerEvent): void {
    if (this.#closed) return
    if (this.#pending !== undefined) {
      this.#pending.push(event)
      return
    }
    this.#pending = [event]
    try {
      for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) {
        this.#stepOnce(next)
      }
    } finally {
      this.#pending = undefined
    }
    this.#arm()
  }

  /** What one event breaks must not break the others: the error is ours, and whoever sent the event pays for it. */
  #stepOnce(event: BrokerEvent): void {
    try {
      for (const effect of this.broker.step(event, this.#outlets.now())) this.#perform(effect)
    } catch (error) {
      this.#outlets.failed(error, event.type)
      if (event.type === 'message') this.step({ type: 'send_failed', peer: event.peer })
      if ('ref' in event) this.#settle(event.ref, { kind: 'failure', failure: internalFailure })
    }
  }

  open(identity: Identity, listener: ConnectionListener): Connection {
    const connection = ++this.#connectionSerial
    this.#listeners.set(connection, listener)
    this.step({ type: 'connection_opened', connection, identity })
    return this.#connection(connection, identity)
  }

  /** Resolves when a worker joins. */
  workerJoined(): Promise<void> {
    return new Promise((resolve) => this.#joined.add(resolve))
  }

  /** Ends every open turn; nothing happens afterwards. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    clearTimeout(this.#timer)
    const outcome: CallOutcome = { kind: 'failure', failure: failure('outcome_unknown', 'The hub has ended.') }
    const turns = [...this.#turns.values()]
    this.#turns.clear()
    for (const turn of turns) turn.settled(outcome)
    this.#listeners.clear()
  }

  #connection(connection: ConnectionId, identity: Identity): Connection {
    const { broker } = this
    return {
      identity,
      catalogueKnown: async () => this.#catalogueKnown(),
      tools: (scope) => broker.list('tool', identity, scope) as ReturnType<Connection['tools']>,
      tool: (name) => knownTool(broker.tool(name, identity)),
      resources: (scope) => broker.list('resource', identity, scope) as ReturnType<Connection['resources']>,
      resourceTemplates: (scope) =>
        broker.list('resourceTemplate', identity, scope) as ReturnType<Connection['resourceTemplates']>,
      prompts: (scope) => broker.list('prompt', identity, scope) as ReturnType<Connection['prompts']>,
      services: () => broker.services(identity),
      completes: () => broker.completes(identity) || this.#catalogueKnown() !== undefined,
      call: (call) => this.#call(connection, call),
      begin: (call, sink) => this.#begin(connection, call, sink),
      cancel: (turn) => this.#cancel(turn),
      resume: (id, body, turn = {}) => this.#resume(connection, id, body, turn),
      abandon: (id) => this.step({ type: 'abandon', connection, id }),
      subscribe: (uri) => this.step({ type: 'subscribe', connection, uri }),
      unsubscribe: (uri) => this.step({ type: 'unsubscribe', connection, uri }),
      rootsChanged: () => this.step({ type: 'roots_changed', connection }),
      close: () => {
        if (this.#listeners.delete(connection)) this.step({ type: 'connection_closed', connection })
      },
      leave: () => {
        if (this.#listeners.delete(connection)) this.step({ type: 'session_left', connection })
      },
    }
  }

  #call(connection: ConnectionId, { signal, onProgress, onLog, ...call }: AgentCall): Promise<CallOutcome> {
    return this.#promised({ signal, onProgress, onLog }, (sink) => this.#begin(connection, call, sink))
  }

  #begin(connection: ConnectionId, call: CallWish, sink: CallSink): Turn {
    const ref = ++this.#refSerial
    if (call.body.byteLength > bodyBytesMax) sink.settled(tooLarge('arguments', call.body))
    else this.#open({ type: 'call', ref, connection, call }, sink)
    return ref
  }

  #resume(connection: ConnectionId, id: CallId, body: Uint8Array, turn: Resumption): Promise<CallOutcome> {
    if (body.byteLength > bodyBytesMax) {
      this.step({ type: 'abandon', connection, id })
      return Promise.resolve(tooLarge('answers', body))
    }
    const heard = turn.client === undefined ? {} : { client: turn.client }
    return this.#promised(turn, (sink) => {
      const ref = ++this.#refSerial
      this.#open({ type: 'resume', ref, connection, id, body, ...heard }, sink)
      return ref
    })
  }

  #promised({ signal, onProgress, onLog }: MaybeListener, open: (sink: CallSink) => Turn): Promise<CallOutcome> {
    if (signal?.aborted === true) return Promise.resolve(cancelled)
    return new Promise((resolve) => {
      const cancel = () => this.#cancel(turn)
      const settled = (outcome: CallOutcome) => {
        signal?.removeEventListener('abort', cancel)
        resolve(outcome)
      }
      signal?.addEventListener('abort', cancel, { once: true })
      const turn = open({ settled, ...(onProgress && { onProgress }), ...(onLog && { onLog }) })
    })
  }

  #open(event: Extract<BrokerEvent, { type: 'call' | 'resume' }>, sink: CallSink): void {
    if (this.#closed) return sink.settled(cancelled)
    this.#turns.set(event.ref, sink)
    // A tool whose worker is still on its way is not unknown.
    const known = this.#catalogueKnown()
    if (known === undefined) return this.step(event)
    void known.then(() => {
      if (this.#turns.has(event.ref)) this.step(event)
    })
  }

  #cancel(ref: Ref): void {
    if (!this.#turns.has(ref)) return
    this.#settle(ref, cancelled)
    this.step({ type: 'cancel', ref })
  }

  #settle(ref: Ref, outcome: CallOutcome): void {
    const turn = this.#turns.get(ref)
    this.#turns.delete(ref)
    turn?.settled(outcome)
  }

  #perform(effect: BrokerEffect): void {
    switch (effect.type) {
      case 'send':
        return this.#outlets.send(effect.peer, effect.message)
      case 'settle':
        return this.#settle(effect.ref, effect.outcome)
      case 'progress':
        return this.#turns.get(effect.ref)?.onProgress?.(effect.body)
      case 'log':
        return this.#turns.get(effect.ref)?.onLog?.(effect.level, effect.body)
      case 'list_changed':
        for (const connection of effect.connections) {
          this.#listeners.get(connection)?.listChanged(effect.kind, effect.scope)
        }
        return
      case 'resource_updated':
        for (const connection of effect.connections) this.#listeners.get(connection)?.resourceUpdated(effect.uri)
        return
      case 'connections_ended':
        for (const connection of effect.connections) this.#listeners.get(connection)?.ended()
        return
      case 'catalogue_changed':
        return this.#outlets.keepCatalogue(effect.services)
      case 'worker_log':
        return this.#outlets.workerLog(effect)
      case 'call_ended':
        return this.#outlets.audit?.call(effect.record)
      case 'input_answered':
        return this.#outlets.audit?.answered(effect.id, effect.body)
      case 'notice':
        this.#outlets.notice(effect.notice)
        if (effect.notice.kind === 'worker_joined') this.#tellJoined()
        return
      default:
        effect satisfies never
    }
  }

  #tellJoined(): void {
    const waiting = [...this.#joined]
    this.#joined.clear()
    for (const resolve of waiting) resolve()
  }

  #arm(): void {
    const at = this.broker.nextDeadline()
    // A timer that rings too early only ticks once more; most deadlines are far away and cleared before.
    if (this.#closed || at === undefined || (this.#armedFor !== undefined && this.#armedFor <= at)) return
    clearTimeout(this.#timer)
    this.#armedFor = at
    const delay = Math.min(Math.max(0, Math.ceil(at - this.#outlets.now())), timerMsMax)
    this.#timer = setTimeout(() => {
      this.#armedFor = undefined
      this.step({ type: 'tick' })
    }, delay)
  }
}

/** ZeroMQ would drop the worker's connection for it. */
function tooLarge(what: 'arguments' | 'answers', body: Uint8Array): CallOutcome {
  const message = `The ${what} have ${body.byteLength} bytes; at most ${bodyBytesMax} are passed on.`
  return { kind: 'failure', failure: failure('request_too_large', message) }
}

function knownTool(found: Definition | undefined): KnownTool | undefined {
  if (found === undefined) return undefined
  return { service: found.service, workerName: found.workerKey, definition: found.listed as unknown as ToolDefinition }
}
