import * as limits from '../limits.js'
import { type Glance, glance, type Id, idOfExcerpt, type Message } from './glance.js'
import type { Line } from './line-splitter.js'
import { Waiting } from './waiting.js'

/** Where lines go; each ends with its line end. */
export interface RelayPorts {
  toClient(line: Buffer | string): void
  toHub(line: Buffer | string): void
  /** This connection can't be carried on: the client has to begin anew. */
  giveUp(reason: string): void
  /** The hub wants no more of this client. */
  dismissed(refusal: Refusal): void
}

/** Why a hub has nothing to do with this client; the message is for people. */
export interface Refusal {
  readonly code: string
  readonly message: string
}

/** Requests that the hub answers by itself, without effect: asked again after a restart, nobody notices. */
const repeatable: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'resources/list',
  'resources/templates/list',
  'prompts/list',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
])

const listKinds = ['tools', 'resources', 'prompts'] as const
const subscriptionIdKey = 'io.modelcontextprotocol/subscriptionId'

interface Handshake {
  readonly id: Id
  readonly params: unknown
  /** What the client was told; until then the handshake has not happened. */
  revision?: string
  isConfirmed: boolean
}

interface Listen {
  readonly line: Buffer
  readonly filter: Message
  /** The client has seen the acknowledgement; another would be news to it. */
  isAcknowledged: boolean
}

/**
 * What stands between a client and hubs that come and go: passes lines on as they are and knows just enough of them to
 * make a restarted hub look like the old one. No socket, no clock.
 */
export class Relay {
  readonly #ports: RelayPorts
  #state: 'away' | 'replaying' | 'attached' | 'refused' = 'away'
  /** Once there, it is for good: another try would be refused as well. */
  #refusal: Refusal | undefined
  /** Which hub this is, counted from 1. */
  #generation = 0
  readonly #waiting = new Waiting()
  /** What the client waits for; with the line where it may be asked again. */
  readonly #asked = new Map<Id, Buffer | undefined>()
  readonly #listens = new Map<Id, Listen>()
  /** What the hub asked the client: the id that the client knows, and the hub's own. */
  readonly #askedOfClient = new Map<Id, Id>()
  /** Answers to our own requests, which the client did not make. */
  readonly #swallowed = new Set<Id>()
  #ownRequests = 0
  #handshake: Handshake | undefined
  #logLevel: unknown
  readonly #subscriptions = new Map<unknown, unknown>()

  constructor(ports: RelayPorts) {
    this.#ports = ports
  }

  get isAway(): boolean {
    return this.#state === 'away'
  }

  /** Whether the client is owed an answer that will come by itself; a listen stream is open for as long as it likes. */
  get owesAnswers(): boolean {
    return this.#asked.size > 0 || this.#waiting.hasRequests
  }

  get hasWaiting(): boolean {
    return this.#waiting.size > 0
  }

  get hasWaitingRequests(): boolean {
    return this.#waiting.hasRequests
  }

  fromClient(line: Line): void {
    if (line.kind === 'too_long') {
      this.#refuse(idOfExcerpt(line.head, line.tail), -32600, 'The message is too long')
      return
    }
    const seen = glance(line.bytes)
    switch (seen.kind) {
      case 'request':
        this.#note(seen)
        return this.#pass(line.bytes, [seen])
      case 'notification':
        return this.#notified(line.bytes, seen)
      case 'response':
        return this.#answered(line.bytes, seen)
      case 'batch':
        for (const entry of seen.entries) if (entry.kind === 'response') this.#askedOfClient.delete(entry.id)
        return this.#pass(
          line.bytes,
          seen.entries.filter((entry) => entry.kind === 'request'),
        )
      case 'fault':
      case 'farewell':
      case 'unreadable':
        // The hub says what is wrong with it, as long as there is one.
        return this.#pass(line.bytes, [])
      default:
        return seen satisfies never
    }
  }

  fromHub(line: Line): void {
    if (line.kind === 'too_long') {
      const id = idOfExcerpt(line.head, line.tail)
      if (id !== null && this.#asked.delete(id)) this.#refuse(id, -32603, 'The answer is too long')
      return
    }
    const seen = glance(line.bytes)
    switch (seen.kind) {
      case 'response':
        if (this.#settle(seen)) this.#ports.toClient(line.bytes)
        return
      case 'batch':
        for (const entry of seen.entries) if (entry.kind === 'response') this.#settle(entry)
        this.#ports.toClient(line.bytes)
        return
      case 'request':
        return this.#askClient(line.bytes, seen)
      case 'notification':
        return this.#notifyClient(line.bytes, seen)
      case 'fault':
        return this.#ports.toClient(line.bytes)
      case 'farewell':
        return this.#ports.dismissed(seen.refusal)
      case 'unreadable':
        return
      default:
        return seen satisfies never
    }
  }

  /** A hub took us in: the client's handshake comes first, then what has waited. */
  hubAttached(): void {
    this.#generation += 1
    if (this.#handshake?.revision === undefined) {
      this.#resume()
      return
    }
    this.#state = 'replaying'
    this.#request('initialize', this.#handshake.params)
  }

  /** What was asked for and may have happened ends as unknown; the rest waits for the next hub. */
  hubLost(): void {
    if (this.#state === 'away' || this.#state === 'refused') return
    this.#state = 'away'
    this.#takeBack('The hub went away.')
    const asked = [...this.#asked]
    this.#asked.clear()
    this.#waiting.putFirst(asked.flatMap(([id, line]) => (line === undefined ? [] : [{ line, ids: [id] }])))
    for (const [id, line] of asked) {
      if (line !== undefined) continue
      this.#fail(id, 'outcome_unknown', 'The hub went away during this call: whether it took effect is unknown.')
    }
  }

  /** No hub will do: all that the client has asked for, and whatever it still asks for, ends with why. */
  refuse(refusal: Refusal): void {
    this.#state = 'refused'
    this.#refusal = refusal
    const { code, message } = refusal
    this.#takeBack(message)
    for (const [id, line] of this.#asked) {
      const effect = line === undefined ? 'Whether this call took effect is unknown.' : 'Nothing was started.'
      this.#fail(id, code, `${message} ${effect}`)
    }
    for (const id of this.#listens.keys()) this.#fail(id, code, message)
    this.#asked.clear()
    this.#listens.clear()
    this.#failWaiting(refusal)
  }

  /** Answers all that waits for a hub. */
  failWaiting(reason: string): void {
    this.#failWaiting({ code: 'unavailable', message: reason })
  }

  #failWaiting({ code, message }: Refusal): void {
    for (const { ids } of this.#waiting.takeAll()) {
      for (const id of ids) this.#fail(id, code, `${message} Nothing was started.`)
    }
  }

  /** What the hub asked has nobody any more who would hear the answer. */
  #takeBack(reason: string): void {
    this.#swallowed.clear()
    for (const id of this.#askedOfClient.keys()) {
      this.#tellClient('notifications/cancelled', { requestId: id, reason })
    }
    this.#askedOfClient.clear()
  }

  #note({ id, method, message }: Extract<Glance, { kind: 'request' }>): void {
    if (method === 'tools/call') return
    const params = message()['params'] as Message | undefined
    if (method === 'initialize') this.#handshake = { id, params, isConfirmed: false }
    else if (method === 'logging/setLevel') this.#logLevel = params
    else if (method === 'resources/subscribe') this.#subscriptions.set(params?.['uri'], params)
    else if (method === 'resources/unsubscribe') this.#subscriptions.delete(params?.['uri'])
  }

  #pass(line: Buffer, requests: readonly Extract<Glance, { kind: 'request' }>[]): void {
    if (this.#state !== 'attached') {
      const ids = requests.map(({ id }) => id)
      if (this.#refusal !== undefined) {
        for (const id of ids) this.#fail(id, this.#refusal.code, `${this.#refusal.message} Nothing was started.`)
        return
      }
      if (this.#waiting.put({ line, ids })) return
      for (const id of ids)
        this.#fail(id, 'overloaded', 'The hub is away and too much waits for it. Nothing was started.')
      return
    }
    for (const { id, method, message } of requests) {
      if (method === 'subscriptions/listen')
        this.#listens.set(id, { line, filter: filterOf(message()), isAcknowledged: false })
      else this.#asked.set(id, requests.length === 1 && repeatable.has(method) ? line : undefined)
    }
    this.#ports.toHub(line)
  }

  #notified(line: Buffer, { method, message }: Extract<Glance, { kind: 'notification' }>): void {
    if (method === 'notifications/cancelled') {
      const id = (message()['params'] as Message | undefined)?.['requestId'] as Id
      this.#asked.delete(id)
      this.#listens.delete(id)
      this.#waiting.remove(id)
      // What ran at a hub that is away was answered when it went.
      if (this.#state !== 'attached') return
    }
    if (method === 'notifications/initialized' && this.#handshake !== undefined) {
      this.#handshake.isConfirmed = true
      // The replayed handshake ends with one.
      if (this.#state !== 'attached' && this.#handshake.revision !== undefined) return
    }
    this.#pass(line, [])
  }

  /** The client answers what a hub asked it, which may be gone. */
  #answered(line: Buffer, { id, message }: Extract<Glance, { kind: 'response' }>): void {
    const hubsId = this.#askedOfClient.get(id)
    if (hubsId === undefined) return
    this.#askedOfClient.delete(id)
    this.#ports.toHub(hubsId === id ? line : lineOf({ ...message(), id: hubsId }))
  }

  /** Whether the answer is the client's. */
  #settle({ id, message }: Extract<Glance, { kind: 'response' }>): boolean {
    if (this.#swallowed.delete(id)) {
      if (this.#state === 'replaying') this.#handshakeReplayed(message())
      return false
    }
    if (this.#handshake?.id === id && this.#asked.has(id)) this.#learnRevision(message())
    this.#asked.delete(id)
    this.#listens.delete(id)
    return true
  }

  #learnRevision(answer: Message): void {
    const revision = revisionOf(answer)
    if (revision === undefined) this.#handshake = undefined
    else this.#handshake!.revision = revision
  }

  #handshakeReplayed(answer: Message): void {
    const revision = revisionOf(answer)
    const handshake = this.#handshake!
    if (revision !== handshake.revision) {
      this.#ports.giveUp(`the new hub does not speak ${handshake.revision}, which the client had agreed on`)
      return
    }
    if (handshake.isConfirmed) this.#ports.toHub(lineOf({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    if (this.#logLevel !== undefined) this.#request('logging/setLevel', this.#logLevel)
    for (const params of this.#subscriptions.values()) this.#request('resources/subscribe', params)
    this.#resume()
    if (handshake.isConfirmed) for (const kind of listKinds) this.#tellClient(`notifications/${kind}/list_changed`)
  }

  #resume(): void {
    this.#state = 'attached'
    for (const { line } of this.#listens.values()) this.#ports.toHub(line)
    for (const { line } of this.#waiting.takeAll()) {
      const seen = glance(line)
      const entries = seen.kind === 'batch' ? seen.entries : [seen]
      this.#pass(
        line,
        entries.filter((entry) => entry.kind === 'request'),
      )
    }
  }

  /** Ids of one hub mean nothing to the next: from the second on, the client sees ids that name the hub. */
  #askClient(line: Buffer, { id, message }: Extract<Glance, { kind: 'request' }>): void {
    const known = this.#generation === 1 ? id : `hub-${this.#generation}-${JSON.stringify(id)}`
    this.#askedOfClient.set(known, id)
    this.#ports.toClient(known === id ? line : lineOf({ ...message(), id: known }))
  }

  #notifyClient(line: Buffer, { method, message }: Extract<Glance, { kind: 'notification' }>): void {
    if (method === 'notifications/subscriptions/acknowledged' && this.#acknowledged(message())) return
    if (method === 'notifications/cancelled' && this.#askedOfClient.size > 0) {
      const { params, ...rest } = message() as { params?: Message }
      const known = [...this.#askedOfClient].find(([, hubsId]) => hubsId === params?.['requestId'])?.[0]
      if (known !== undefined) {
        this.#askedOfClient.delete(known)
        this.#ports.toClient(lineOf({ ...rest, params: { ...params, requestId: known } }))
        return
      }
    }
    this.#ports.toClient(line)
  }

  /** Whether the client knows already; then it learns instead that the lists may have changed meanwhile. */
  #acknowledged(message: Message): boolean {
    const params = message['params'] as { readonly _meta?: Message } | undefined
    const id = params?._meta?.[subscriptionIdKey] as Id
    const listen = this.#listens.get(id)
    if (listen === undefined) return false
    if (!listen.isAcknowledged) {
      listen.isAcknowledged = true
      return false
    }
    for (const kind of listKinds) {
      if (listen.filter[`${kind}ListChanged`] !== true) continue
      this.#tellClient(`notifications/${kind}/list_changed`, { _meta: { [subscriptionIdKey]: id } })
    }
    return true
  }

  /** A request of our own. */
  #request(method: string, params: unknown): void {
    const id = `callboard-stdio-${++this.#ownRequests}`
    this.#swallowed.add(id)
    this.#ports.toHub(lineOf({ jsonrpc: '2.0', id, method, params }))
  }

  #tellClient(method: string, params?: object): void {
    this.#ports.toClient(lineOf({ jsonrpc: '2.0', method, ...(params !== undefined && { params }) }))
  }

  /** It is worth trying again where a hub may come, and where it can't have had an effect. */
  #fail(id: Id, code: string, message: string): void {
    if (this.#handshake?.id === id) this.#handshake = undefined
    const retryable = this.#refusal === undefined && code !== 'outcome_unknown'
    this.#refuse(id, limits.hubAwayCode, message, { code, retryable })
  }

  #refuse(id: Id | null, code: number, message: string, data?: object): void {
    const error = { code, message, ...(data !== undefined && { data }) }
    this.#ports.toClient(lineOf({ jsonrpc: '2.0', id, error }))
  }
}

function lineOf(message: object): string {
  return `${JSON.stringify(message)}\n`
}

function revisionOf(answer: Message): string | undefined {
  const revision = (answer['result'] as Message | undefined)?.['protocolVersion']
  return typeof revision === 'string' ? revision : undefined
}

function filterOf(listen: Message): Message {
  const params = listen['params'] as { readonly notifications?: Message } | undefined
  return params?.notifications ?? {}
}
