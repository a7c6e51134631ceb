import {
  type Challenge,
  type Client,
  decodeMessages,
  encodeBatch,
  type FromHub,
  type Message,
  type Request,
} from '@callboard/protocol'
import { expect } from 'vitest'
import { type Effect, type SessionEvent, type SessionOptions, WorkerSession } from '../src/index.js'
import { encodeJson } from '../src/json-body.js'

export const epochA = 'hubepoch0a'
export const epochB = 'hubepoch0b'
export const nonce = new Uint8Array(32).fill(7)

type Sent<Type extends Message['type']> = Extract<Message, { type: Type }>
type Done<Type extends Effect['type']> = Extract<Effect, { type: Type }>

export interface ScenarioOptions extends Partial<SessionOptions> {
  /** The hub's clock minus the worker's. */
  readonly offset?: number
  /** Heartbeats are echoed at once (default true). */
  readonly echoes?: boolean
}

/** A worker session, a hub played by hand, and a clock that only `advance` moves. */
export class Scenario {
  now = 1_000_000
  echoes: boolean
  readonly session: WorkerSession
  /** Everything since `clear()`. */
  effects: Effect[] = []
  readonly #offset: number
  #serial = 0

  constructor({ offset = 0, echoes = true, ...options }: ScenarioOptions = {}) {
    this.#offset = offset
    this.echoes = echoes
    this.session = new WorkerSession(
      {
        service: 'greeter',
        version: '1.0.0',
        instance: 'instance-1',
        routingId: 'greeter/instance-1',
        concurrency: 2,
        heartbeatMs: 1_000,
        replicas: 'many',
        affinity: 'none',
        drainMs: 5_000,
        definitions: encodeJson({ tools: [] }),
        ...options,
      },
      this.now,
    )
  }

  get hubNow(): number {
    return this.now + this.#offset
  }

  step(event: SessionEvent): readonly Effect[] {
    const isDue = event.type === 'tick' && this.session.nextDeadline() <= this.now
    const effects = this.session.step(event, this.now)
    // Else a shell would spin.
    if (isDue) expect(this.session.nextDeadline(), 'a tick moves nextDeadline()').toBeGreaterThan(this.now)
    this.effects.push(...effects)
    for (const effect of effects) this.#check(effect)
    if (this.echoes) {
      for (const effect of effects)
        if (effect.type === 'send' && effect.message.type === 'heartbeat') this.echo(effect.message)
    }
    return effects
  }

  deliver(message: FromHub): readonly Effect[] {
    return this.step({ type: 'message', message })
  }

  echo({ serial, sentAt }: Pick<Sent<'heartbeat'>, 'serial' | 'sentAt'>): void {
    this.deliver({ type: 'heartbeat_echo', serial, sentAt, now: this.hubNow })
  }

  /** Lets time pass with every tick at its time. */
  advance(ms: number): void {
    const until = this.now + ms
    for (let due = this.session.nextDeadline(); due <= until; due = this.session.nextDeadline()) {
      this.now = Math.max(this.now, due)
      this.step({ type: 'tick' })
    }
    this.now = until
  }

  /** The process stands still. */
  freeze(ms: number): void {
    this.now += ms
  }

  signIn(epoch = epochA): void {
    this.step({ type: 'link_up' })
    this.welcome(epoch)
  }

  challenge(epoch = epochA, bytes = nonce): readonly Effect[] {
    return this.deliver({ type: 'challenge', version: 1, nonce: bytes, epoch } satisfies Challenge)
  }

  /** From CHALLENGE on, up to the first heartbeat's echo. */
  welcome(epoch = epochA): void {
    this.challenge(epoch)
    this.deliver({ type: 'welcome', epoch, now: this.hubNow, trusted: true, body: encodeJson({ refused: [] }) })
    this.step({ type: 'tick' })
  }

  /** Delivers a REQUEST and returns its id. */
  request(overrides: Partial<Request> & { readonly epoch?: string; readonly depth?: number } = {}): string {
    const { epoch = epochA, depth = 0, ...rest } = overrides
    const id = overrides.id ?? `${epoch}-${++this.#serial}`
    this.deliver({
      type: 'request',
      id,
      method: 'tools/call',
      name: 'greet',
      deadline: this.hubNow + 60_000,
      idempotencyKey: id,
      caller: { session: 'session-1', principal: 'agent:main', roles: ['agent'], depth },
      client: { generation: 'modern', input: ['form'], progress: true, logLevel: 'info' } satisfies Client,
      body: encodeJson({ name: 'greet', arguments: {} }),
      ...rest,
    })
    return id
  }

  settle(id: string): readonly Effect[] {
    return this.step({
      type: 'handler_settled',
      id,
      result: { outcome: 'result', isError: false, body: encodeJson({ content: [] }) },
    })
  }

  sent<Type extends Message['type']>(type: Type): Sent<Type>[] {
    return this.done('send').flatMap(({ message }) => (message.type === type ? [message as Sent<Type>] : []))
  }

  done<Type extends Effect['type']>(type: Type): Done<Type>[] {
    return this.effects.filter((effect): effect is Done<Type> => effect.type === type)
  }

  /** `id outcome` or `id reason` of every RESPONSE. */
  responses(): string[] {
    return this.sent('response').map(
      (each) => `${each.id} ${each.outcome === 'not_started' ? each.reason : each.outcome}`,
    )
  }

  started(): string[] {
    return this.done('start_handler').map(({ request }) => request.id)
  }

  aborted(): string[] {
    return this.done('abort_handler').map(({ id, cause }) => `${id} ${cause}`)
  }

  clear(): void {
    this.effects = []
  }

  /** Nothing is left behind. */
  expectQuiet(): void {
    expect({ load: this.session.load, ...this.session.pending }).toEqual({ load: 0, calls: 0, requests: 0 })
  }

  #check(effect: Effect): void {
    if (effect.type !== 'send') return
    const { faults } = decodeMessages(encodeBatch([effect.message]))
    expect(faults, `${effect.message.type} is a message that the codec takes`).toEqual([])
  }
}
