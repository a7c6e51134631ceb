import {
  type CallId,
  type Client,
  type Definitions,
  decodeMessages,
  encodeBatch,
  type FromHub,
  type FromWorker,
  keyProof,
  type LogLevel,
  type Ready,
  type Request,
  signInProof,
  type ToolDefinition,
} from '@callboard/protocol'
import { expect, onTestFinished } from 'vitest'
import type { CallRecord } from '../../src/broker/call-record.js'
import { keyedPeer } from '../../src/broker/keyed-peer.js'
import {
  Broker,
  type BrokerEffect,
  type BrokerEvent,
  type BrokerOptions,
  type BrokerSnapshot,
  type CallOutcome,
  type CallWish,
  type Identity,
  type ListScope,
  type Notice,
} from '../../src/index.js'

export const epoch = 'hubepoch01'
export const signInSecret = 'correct horse battery staple, twice over'

type OfType<Message extends { readonly type: string }, Type> = Message extends unknown
  ? Type extends Message['type']
    ? Message
    : never
  : never
type Sent<Type extends FromHub['type']> = OfType<FromHub, Type>
type Kept = Extract<BrokerEffect, { type: 'catalogue_changed' }>['services']

export const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))
export const parsed = (body: Uint8Array): unknown => JSON.parse(Buffer.from(body).toString())

export const tool = (name: string, more: object = {}): ToolDefinition => ({
  name,
  inputSchema: { type: 'object' },
  ...more,
})
/** A tool whose second execution does no harm. */
export const readOnly = (name: string): ToolDefinition => tool(name, { annotations: { readOnlyHint: true } })
export const tools = (...names: (string | ToolDefinition)[]): Definitions => ({
  tools: names.map((each) => (typeof each === 'string' ? tool(each) : each)),
})

export interface WorkerSetup {
  readonly definitions?: Definitions
  readonly concurrency?: number
  readonly heartbeatMs?: number
  readonly version?: string
  readonly replicas?: 'many' | 'one'
  readonly affinity?: 'none' | 'session' | 'principal'
  readonly trusted?: boolean
  /** Comes in over the socket for other machines, by this key; what it shares with the hub is the key itself. */
  readonly key?: string
  readonly instance?: string
  readonly workerEpoch?: number
  readonly held?: readonly CallId[]
  /** Sends its heartbeats while time advances (default true). */
  readonly beats?: boolean
}

/** A hub with workers and agents played by hand, and a clock that only `advance` moves. */
export function scenario(options: Partial<BrokerOptions> = {}): ScenarioHub {
  const hub = new ScenarioHub(options)
  onTestFinished(() => hub.expectNoLeaks())
  return hub
}

export class ScenarioHub {
  now = 1_700_000_000_000
  readonly broker: Broker
  readonly workers: ScenarioWorker[] = []
  readonly agents: ScenarioAgent[] = []
  readonly turns = new Map<number, ScenarioCall>()
  readonly notices: Notice[] = []
  /** What a journal is told, where the options want one. */
  readonly records: CallRecord[] = []
  readonly answered: string[] = []
  readonly kept: Kept[] = []
  readonly workerLogs: string[] = []
  #serial = 0
  #random = 0

  constructor(options: Partial<BrokerOptions>) {
    const random = (count: number) => Buffer.alloc(count, `${++this.#random}.`)
    this.broker = new Broker(
      {
        epoch,
        signInSecret,
        reservedServices: ['kernel'],
        random,
        namespace: 'never',
        inspect: () => undefined,
        ...options,
      },
      this.now,
    )
  }

  /** A worker that has signed in. */
  worker(service: string, setup: WorkerSetup = {}): ScenarioWorker {
    const worker = this.stranger(service, setup)
    worker.signIn()
    return worker
  }

  /** A worker that has said nothing yet. */
  stranger(service: string, setup: WorkerSetup = {}): ScenarioWorker {
    const worker = new ScenarioWorker(this, service, this.serial(), setup)
    this.workers.push(worker)
    return worker
  }

  /** An agent's connection. The same name is the same session, unless `identity` says otherwise. */
  agent(name = 'main', identity: Partial<Identity> = {}): ScenarioAgent {
    const agent = new ScenarioAgent(this, this.serial(), {
      session: `session of ${name}`,
      principal: `agent:${name}`,
      roles: ['agent'],
      ...identity,
    })
    this.agents.push(agent)
    this.step({ type: 'connection_opened', connection: agent.connection, identity: agent.identity })
    return agent
  }

  serial(): number {
    return ++this.#serial
  }

  step(event: BrokerEvent): void {
    for (const effect of this.broker.step(event, this.now)) this.#perform(effect)
  }

  /** Lets time pass, with every tick and every heartbeat at its time. */
  advance(ms: number): void {
    const until = this.now + ms
    for (;;) {
      const beating = this.workers.filter(({ beats, state }) => beats && state === 'signed_in')
      const beatAt = Math.min(...beating.map(({ beatsAt }) => beatsAt))
      const dueAt = this.broker.nextDeadline() ?? Number.POSITIVE_INFINITY
      const at = Math.min(beatAt, dueAt)
      if (at > until) break
      this.now = Math.max(this.now, at)
      for (const worker of beating) if (worker.beatsAt <= this.now) worker.beat()
      if (dueAt > this.now) continue
      this.step({ type: 'tick' })
      expect(this.broker.nextDeadline() ?? Number.POSITIVE_INFINITY, 'a tick moves nextDeadline()').toBeGreaterThan(
        this.now,
      )
    }
    this.now = until
  }

  drain(target: string | { readonly instance: string } | 'all', drainMs = 30_000): void {
    if (target === 'all') return this.step({ type: 'drain', target: { kind: 'all' }, drainMs })
    if (typeof target === 'string') {
      return this.step({ type: 'drain', target: { kind: 'service', service: target }, drainMs })
    }
    this.step({ type: 'drain', target: { kind: 'instance', ...target }, drainMs })
  }

  get snapshot(): BrokerSnapshot {
    return this.broker.snapshot()
  }

  counter(name: string): number {
    return this.snapshot.counters[name] ?? 0
  }

  /** `kind service` of everything worth a line in the log, in order. */
  get log(): string[] {
    return this.notices.map((notice) => {
      if (notice.kind === 'handshake_refused') return `${notice.kind} ${notice.reason}`
      if (notice.kind === 'peer_faults') return `${notice.kind} ${notice.code}`
      if (notice.kind === 'sign_in_refused') return `${notice.kind} ${notice.service} ${notice.code}`
      if (notice.kind === 'definitions_held') return `${notice.kind} ${notice.identity} ${notice.names.join(' ')}`
      if (notice.kind === 'worker_left') return `${notice.kind} ${notice.service} ${notice.reason}`
      if (notice.kind === 'setting_changed') return `${notice.kind} ${notice.what}`
      return `${notice.kind} ${notice.service}`
    })
  }

  /** Everyone leaves: then nothing may be left behind, and every call has had its one outcome. */
  expectNoLeaks(): void {
    for (const agent of this.agents) if (agent.isOpen) agent.close()
    for (const worker of this.workers) this.step({ type: 'peer_lost', peer: worker.peer })
    for (const worker of this.workers) worker.state = 'gone'
    this.advance(25 * 3_600_000)
    const { workers, services, calls, queued, sessions, connections, conversations, timers } = this.snapshot
    expect(services.flatMap(({ ownTools }) => Object.keys(ownTools))).toEqual([])
    expect({ workers, calls, queued, sessions, connections, conversations, timers }).toEqual({
      workers: [],
      calls: [],
      queued: 0,
      sessions: 0,
      connections: 0,
      conversations: 0,
      timers: 0,
    })
    const open = [...this.turns.values()].filter((turn) => turn.outcome === 'open')
    expect(
      open.map(({ ref }) => ref),
      'every turn is settled',
    ).toEqual([])
  }

  #perform(effect: BrokerEffect): void {
    switch (effect.type) {
      case 'send': {
        const { faults } = decodeMessages(encodeBatch([effect.message]))
        expect(faults, `${effect.message.type} is a message that the codec takes`).toEqual([])
        return this.workers.find(({ peer }) => peer === effect.peer)?.receive(effect.message)
      }
      case 'settle':
        return this.turns.get(effect.ref)!.settle(effect.outcome)
      case 'progress':
        return void this.turns.get(effect.ref)!.progress.push(parsed(effect.body))
      case 'log':
        return void this.turns.get(effect.ref)!.logs.push(`${effect.level} ${Buffer.from(effect.body)}`)
      case 'list_changed':
        return this.#tell(effect.connections, `${effect.kind} changed`, effect.scope)
      case 'resource_updated':
        return this.#tell(effect.connections, `${effect.uri} updated`)
      case 'connections_ended':
        return this.#tell(effect.connections, 'ended')
      case 'catalogue_changed':
        return void this.kept.push(effect.services)
      case 'worker_log':
        return void this.workerLogs.push(`${effect.service} ${effect.level} ${Buffer.from(effect.body)}`)
      case 'notice':
        return void this.notices.push(effect.notice)
      case 'call_ended':
        return void this.records.push(effect.record)
      case 'input_answered':
        return void this.answered.push(effect.id)
      default:
        effect satisfies never
    }
  }

  #tell(connections: readonly number[], text: string, scope: ListScope = 'session'): void {
    for (const connection of connections) {
      const agent = this.agents.find((each) => each.connection === connection)!
      expect(agent.isOpen, 'only open connections are told').toBe(true)
      if (scope === 'session') agent.heard.push(text)
      else agent.heardAsModern.push(text)
    }
  }
}

export class ScenarioWorker {
  readonly peer: string
  readonly routingId: string
  readonly service: string
  readonly instance: string
  beats: boolean
  beatsAt: number
  state: 'new' | 'signed_in' | 'gone' = 'new'
  /** What the hub has sent and no `take` has taken yet; without echoes of heartbeats, and SESSIONS. */
  inbox: FromHub[] = []
  /** What each SESSIONS said. */
  readonly sessions: unknown[] = []
  readonly #hub: ScenarioHub
  readonly #setup: WorkerSetup
  #workerEpoch = 0
  #beatSerial = 0
  #callSerial = 0
  #echo: Sent<'heartbeat_echo'> | undefined

  constructor(hub: ScenarioHub, service: string, serial: number, setup: WorkerSetup) {
    this.#hub = hub
    this.#setup = setup
    this.service = service
    this.routingId = `${service}/${serial}`
    this.peer = setup.key === undefined ? this.routingId : keyedPeer(this.routingId)
    this.instance = setup.instance ?? `instance-${serial}`
    this.beats = setup.beats ?? true
    this.beatsAt = hub.now
  }

  get heartbeatMs(): number {
    return this.#setup.heartbeatMs ?? 1_000
  }

  // Sign-in ---------------------------------------------------------------------------------------------------------

  signIn(overrides: Partial<Ready> = {}): Sent<'welcome'> {
    this.hello()
    this.ready(this.take('challenge'), overrides)
    return this.take('welcome')
  }

  hello(versions: readonly [number, number] = [1, 1]): void {
    this.send({ type: 'hello', versions })
  }

  ready(challenge: Pick<Sent<'challenge'>, 'nonce' | 'epoch'>, overrides: Partial<Ready> = {}): void {
    const { trusted = false, key, definitions = tools('greet'), heartbeatMs: _, beats: _beats, ...setup } = this.#setup
    const { routingId, service, instance } = this
    const subject = { ...challenge, routingId, service, instance }
    this.send({
      type: 'ready',
      epoch: challenge.epoch,
      service,
      version: '1.0.0',
      instance,
      workerEpoch: ++this.#workerEpoch,
      concurrency: 2,
      heartbeatMs: this.heartbeatMs,
      replicas: 'many',
      affinity: 'none',
      held: [],
      ...(trusted ? { proof: signInProof(signInSecret, subject) } : {}),
      ...(key === undefined ? {} : { key, proof: keyProof(Buffer.from(key), subject) }),
      body: json(definitions),
      ...setup,
      ...overrides,
    })
  }

  // What it receives -------------------------------------------------------------------------------------------------

  receive(message: FromHub): void {
    if (message.type === 'heartbeat_echo') {
      this.#echo = message
      return
    }
    if (message.type === 'sessions') {
      this.sessions.push(parsed(message.body))
      return
    }
    if (message.type === 'welcome') {
      this.state = 'signed_in'
      this.beatsAt = this.#hub.now + this.heartbeatMs
    }
    if (message.type === 'reject') this.state = 'new'
    if (message.type === 'bye') this.state = 'gone'
    this.inbox.push(message)
  }

  /** The next message, which must be of that type. */
  take<Type extends FromHub['type']>(type: Type): Sent<Type> {
    const message = this.inbox.shift()
    expect(message?.type, `${this.peer} receives ${type}`).toBe(type)
    return message as Sent<Type>
  }

  /** The types of what was not taken yet. */
  get received(): string[] {
    return this.inbox.map(({ type }) => type)
  }

  takeAll(): FromHub[] {
    return this.inbox.splice(0)
  }

  request(): Request {
    return this.take('request')
  }

  // What it sends ----------------------------------------------------------------------------------------------------

  send(message: FromWorker): void {
    const { faults } = decodeMessages(encodeBatch([message]))
    expect(faults, `${message.type} is a message that the codec takes`).toEqual([])
    this.#hub.step({ type: 'message', peer: this.peer, message })
  }

  beat(more: { readonly holdUntil?: number } = {}): Sent<'heartbeat_echo'> | undefined {
    this.#echo = undefined
    this.beatsAt = this.#hub.now + this.heartbeatMs
    this.send({ type: 'heartbeat', epoch, serial: ++this.#beatSerial, sentAt: 42, load: 0, ...more })
    return this.#echo
  }

  respond(to: { readonly id: CallId }, value: unknown = 'done', isError = false): void {
    this.send({ type: 'response', id: to.id, outcome: 'result', ...(isError ? { isError } : {}), body: json(value) })
  }

  fail(to: { readonly id: CallId }, message: string): void {
    this.send({ type: 'response', id: to.id, outcome: 'error', body: json({ code: -32_000, message }) })
  }

  decline(
    to: { readonly id: CallId },
    reason: Extract<FromWorker, { type: 'response'; outcome: 'not_started' }>['reason'],
  ): void {
    this.send({ type: 'response', id: to.id, outcome: 'not_started', reason })
  }

  progress(of: { readonly id: CallId }, value: unknown): void {
    this.send({ type: 'progress', id: of.id, body: json(value) })
  }

  log(level: LogLevel, data: unknown, of?: { readonly id: CallId }): void {
    this.send({ type: 'log', level, body: json(data), ...(of === undefined ? {} : { id: of.id }) })
  }

  ask(about: { readonly id: CallId }, question: unknown = 'why?', timeoutMs = 600_000): void {
    this.send({ type: 'input_required', id: about.id, timeoutMs, body: json(question) })
  }

  /** A CALL of its own; returns its id. */
  call(name: string, more: Partial<Extract<FromWorker, { type: 'call' }>> = {}): string {
    const id = more.id ?? `own-${++this.#callSerial}`
    this.send({ type: 'call', epoch, id, method: 'tools/call', name, progress: false, body: json({}), ...more })
    return id
  }

  /** The code of the failure, or the value, that RESULT brings. */
  result(id: string): unknown {
    const result = this.take('result')
    expect(result.id).toBe(id)
    return result.outcome === 'failure' ? result.failure.code : parsed(result.body)
  }

  cancel(id: string): void {
    this.send({ type: 'cancel', id, reason: 'cancelled' })
  }

  update(definitions: Definitions): void {
    this.send({ type: 'update', epoch, body: json(definitions) })
  }

  /** UPDATE for one session. */
  show(session: string, view: object): void {
    this.send({ type: 'update', epoch, session, body: json(view) })
  }

  drain(drainMs = 30_000): void {
    this.send({ type: 'drain', epoch, drainMs, acknowledged: false })
  }

  bye(): void {
    this.state = 'gone'
    this.send({ type: 'bye', epoch })
  }

  /** The process is killed. */
  die(): void {
    this.state = 'gone'
    this.#hub.step({ type: 'peer_lost', peer: this.peer })
  }
}

export class ScenarioAgent {
  readonly connection: number
  readonly identity: Identity
  isOpen = true
  /** What came unasked, to a client of the legacy generation. */
  heard: string[] = []
  /** Changes of lists as a modern client hears of them. */
  heardAsModern: string[] = []
  readonly #hub: ScenarioHub

  constructor(hub: ScenarioHub, connection: number, identity: Identity) {
    this.#hub = hub
    this.connection = connection
    this.identity = identity
  }

  call(
    name: string,
    more: Partial<Omit<CallWish, 'client'>> & { readonly client?: Partial<Client> } = {},
  ): ScenarioCall {
    const client: Client = { generation: 'modern', input: ['form'], progress: true, logLevel: 'info', ...more.client }
    const wish: CallWish = { method: 'tools/call', name, body: json({}), ...more, client }
    return this.#turn((ref) => ({ type: 'call', ref, connection: this.connection, call: wish }))
  }

  /** Answers the question that a call asked. */
  resume(asked: ScenarioCall | CallId, answer: unknown = 'because', client?: Client): ScenarioCall {
    const id = typeof asked === 'string' ? asked : asked.question
    const heard = client === undefined ? {} : { client }
    return this.#turn((ref) => ({ type: 'resume', ref, connection: this.connection, id, body: json(answer), ...heard }))
  }

  abandon(asked: ScenarioCall): void {
    this.#hub.step({ type: 'abandon', connection: this.connection, id: asked.question })
  }

  subscribe(uri: string): void {
    this.#hub.step({ type: 'subscribe', connection: this.connection, uri })
  }

  unsubscribe(uri: string): void {
    this.#hub.step({ type: 'unsubscribe', connection: this.connection, uri })
  }

  rootsChanged(): void {
    this.#hub.step({ type: 'roots_changed', connection: this.connection })
  }

  get tools(): unknown[] {
    return this.#hub.broker.list('tool', this.identity, 'session').map(({ name }) => name)
  }

  /** As a client of the modern generation lists them. */
  get modernTools(): unknown[] {
    return this.#hub.broker.list('tool', this.identity, 'principal').map(({ name }) => name)
  }

  close(): void {
    this.isOpen = false
    this.#hub.step({ type: 'connection_closed', connection: this.connection })
  }

  leave(): void {
    this.isOpen = false
    this.#hub.step({ type: 'session_left', connection: this.connection })
  }

  #turn(event: (ref: number) => BrokerEvent): ScenarioCall {
    const call = new ScenarioCall(this.#hub, this.#hub.serial())
    this.#hub.turns.set(call.ref, call)
    this.#hub.step(event(call.ref))
    return call
  }
}

/** One turn of an agent's call. */
export class ScenarioCall {
  readonly ref: number
  readonly progress: unknown[] = []
  readonly logs: string[] = []
  raw: CallOutcome | undefined
  readonly #hub: ScenarioHub

  constructor(hub: ScenarioHub, ref: number) {
    this.#hub = hub
    this.ref = ref
  }

  /** In words: `open`, `result "done"`, `tool error "no"`, `error no`, `asks "why?"`, `unknown`, or a failure's code. */
  get outcome(): string {
    return this.raw === undefined ? 'open' : inWords(this.raw)
  }

  /** The id by which the question is answered. */
  get question(): CallId {
    expect(this.raw?.kind).toBe('input_required')
    return (this.raw as Extract<CallOutcome, { kind: 'input_required' }>).id
  }

  settle(outcome: CallOutcome): void {
    expect(this.outcome, 'a turn is settled once').toBe('open')
    this.raw = outcome
  }

  cancel(): void {
    this.#hub.step({ type: 'cancel', ref: this.ref })
  }
}

function inWords(outcome: CallOutcome): string {
  switch (outcome.kind) {
    case 'result':
      return `${outcome.isError ? 'tool error' : 'result'} ${Buffer.from(outcome.body)}`
    case 'error':
      return `error ${(parsed(outcome.body) as { message: string }).message}`
    case 'input_required':
      return `asks ${Buffer.from(outcome.body)}`
    case 'failure':
      return outcome.failure.code
    case 'unknown':
      return 'unknown'
  }
}
