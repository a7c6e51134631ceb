import {
  type Call,
  type Definitions,
  decodeMessages,
  type Event as EventMessage,
  encodeBatch,
  type FromHub,
  type Heartbeat,
  type LogLevel,
  type Message,
  type Ready,
  type Request,
  type SessionView,
  type Update,
} from '@callboard/protocol'
import type { HubLink, HubLinkListener } from '../hub-link.js'
import { decodeJson, encodeJson, isRecord } from '../json-body.js'
import type { InputQuestion } from '../session-messages.js'
import { NestedCalls, type NestedCallsOptions } from './nested-calls.js'

export interface ProgressUpdate {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

export interface LogEntry {
  readonly level: LogLevel
  readonly logger?: string
  readonly data: unknown
}

/** How the test stands in for the agent of one call. */
export interface Agent {
  settle(response: Extract<Message, { type: 'response' }>): void
  progress(update: ProgressUpdate): void
  log(entry: LogEntry): void
  /** The results by key, or undefined: nobody will ever answer. */
  answer(questions: { readonly [key: string]: InputQuestion }): Promise<{ readonly [key: string]: unknown } | undefined>
  readonly deadlineMs: number
}

/** A hub for one worker, in the same process. Every message passes the real codec, so a test notices a bad one. */
export class TestHub implements HubLink {
  readonly endpoint = 'inproc://test'
  readonly events: EventMessage[] = []
  readonly views = new Map<string, SessionView>()
  readonly faults: string[] = []
  readonly nested: NestedCalls
  definitions: Definitions = {}
  ready: Ready | undefined
  lastHeartbeat: Heartbeat | undefined
  epoch = 'testhub0001'
  readonly #now: () => number
  readonly #agents = new Map<string, Agent>()
  #listener: HubLinkListener | undefined
  #toWorker: FromHub[] = []

  constructor(options: NestedCallsOptions & { readonly now: () => number }) {
    this.#now = options.now
    this.nested = new NestedCalls(options, (message) => this.deliver(message))
  }

  open(listener: HubLinkListener): void {
    this.#listener = listener
    queueMicrotask(() => this.#listener?.linkUp())
  }

  /** From the worker. */
  send(message: Message): void {
    const { messages, faults } = decodeMessages(encodeBatch([message]))
    for (const fault of faults) this.faults.push(`${message.type}: ${fault.code}: ${fault.message}`)
    for (const decoded of messages) this.#receive(decoded)
  }

  async close(): Promise<void> {
    this.#listener = undefined
    for (const agent of this.#agents.values()) agent.settle(gone)
    this.#agents.clear()
  }

  request(request: Request, agent: Agent): void {
    this.#agents.set(request.id, agent)
    this.deliver(request)
  }

  /** To the worker, in order, after the code that runs now. */
  deliver(message: FromHub): void {
    this.#toWorker.push(message)
    if (this.#toWorker.length > 1) return
    queueMicrotask(() => {
      const messages = this.#toWorker
      this.#toWorker = []
      for (const each of messages) this.#listener?.received(decodeMessages(encodeBatch([each])).messages)
    })
  }

  /** The connection breaks and comes back, to the same hub or to one that was restarted. */
  reconnect(epoch: string): void {
    if (epoch !== this.epoch) this.views.clear()
    this.epoch = epoch
    this.ready = undefined
    this.#toWorker = []
    for (const agent of this.#agents.values()) agent.settle(gone)
    this.#agents.clear()
    this.#listener?.linkLost()
    this.#listener?.linkUp()
  }

  #receive(message: Message): void {
    switch (message.type) {
      case 'hello':
        return this.deliver({ type: 'challenge', version: 1, nonce: new Uint8Array(32), epoch: this.epoch })
      case 'ready':
        this.ready = message
        this.#define(message)
        return this.deliver({ type: 'welcome', epoch: this.epoch, now: this.#time(), trusted: true, body: noRefusals })
      case 'update':
        return this.#define(message)
      case 'response':
        this.#agents.get(message.id)?.settle(message)
        return void this.#agents.delete(message.id)
      case 'progress':
        return this.#agents.get(message.id)?.progress(decodeJson(message.body) as ProgressUpdate)
      case 'log': {
        const entry = decodeJson(message.body) as Omit<LogEntry, 'level'>
        return this.#agents.get(message.id ?? '')?.log({ ...entry, level: message.level })
      }
      case 'input_required':
        return void this.#ask(message.id, decodeJson(message.body))
      case 'call':
        return void this.nested.start(message satisfies Call)
      case 'cancel':
        if (this.nested.cancel(message.id))
          this.deliver({ type: 'result', id: message.id, outcome: 'failure', failure: cancelled })
        return
      case 'event':
        return void this.events.push(message)
      case 'heartbeat': {
        this.lastHeartbeat = message
        const { serial, sentAt } = message
        return this.deliver({ type: 'heartbeat_echo', serial, sentAt, now: this.#time() })
      }
      case 'drain':
        if (!message.acknowledged) this.deliver({ ...message, acknowledged: true })
        return
      case 'bye':
        return this.deliver(message)
      default:
        this.faults.push(`${message.type}: a worker never sends this`)
    }
  }

  #define({ body, ...message }: Ready | Update): void {
    const value = decodeJson(body)
    if (!isRecord(value)) this.faults.push(`${message.type}: its body is no JSON object`)
    else if ('session' in message && message.session !== undefined) this.views.set(message.session, value)
    else this.definitions = value
  }

  async #ask(id: string, body: unknown): Promise<void> {
    const agent = this.#agents.get(id)
    const questions = isRecord(body) ? body['inputRequests'] : {}
    const answers = await agent?.answer(questions as { [key: string]: InputQuestion })
    if (agent === undefined || answers === undefined)
      return this.deliver({ type: 'cancel', id, reason: 'input_abandoned' })
    const deadline = this.#time() + agent.deadlineMs
    this.deliver({ type: 'resume', id, deadline, body: encodeJson({ inputResponses: answers }) })
  }

  #time(): number {
    return Math.round(this.#now())
  }
}

const noRefusals = encodeJson({ refused: [] })
const cancelled = { code: 'cancelled', message: 'The call was cancelled.', retryable: false } as const
/** What the agent gets when the connection broke under its call. */
const gone: Extract<Message, { type: 'response' }> = {
  type: 'response',
  id: '',
  outcome: 'error',
  body: encodeJson({ code: -32_000, message: 'outcome_unknown' }),
}
