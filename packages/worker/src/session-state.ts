import type { Affinity, CallId, HubEpoch, Event as HubEvent, Message, Replicas, Request } from '@callboard/protocol'
import { Audience } from './audience.js'
import { Drain } from './drain.js'
import { Handshake } from './handshake.js'
import { Heartbeats } from './heartbeats.js'
import { HeldCalls } from './held-calls.js'
import { HubClock } from './hub-clock.js'
import { HubSearch } from './hub-search.js'
import { OpenCalls } from './open-calls.js'
import type { Effect } from './session-messages.js'

export interface SessionOptions {
  readonly service: string
  readonly version: string
  /** Unguessable, one per process life. */
  readonly instance: string
  readonly routingId: string
  readonly concurrency: number
  readonly heartbeatMs: number
  readonly replicas: Replicas
  readonly affinity: Affinity
  readonly drainMs: number
  readonly secret?: string
  /** With it the sign-in is by key, whether there is a secret or not. */
  readonly key?: {
    /** Z85. */
    readonly publicKey: string
    /** What the worker's secret key makes together with the public key by which the link knows the hub at this moment. */
    readonly shared: Uint8Array
  }
  /** JSON of the definitions at the start. */
  readonly definitions: Uint8Array
}

/** Everything that a worker's session knows. The parts that act on it share this and own none of it. */
export class SessionState {
  readonly options: SessionOptions
  readonly clock = new HubClock()
  readonly handshake: Handshake
  readonly heartbeats: Heartbeats
  readonly search: HubSearch
  readonly held = new HeldCalls()
  readonly open = new OpenCalls()
  readonly audience = new Audience()
  readonly drain = new Drain()
  /** Requests that arrived between a gap of the event loop and the echo that ends the doubt. */
  readonly waiting = new Map<CallId, Request>()
  /** What subscribers must hear after the next sign-in. */
  readonly events = new Map<string, Omit<HubEvent, 'epoch'>>()
  definitions: Uint8Array
  /** The definitions that the hub was told last. */
  announced: Uint8Array | undefined
  /** The time of the event being handled, by this machine's clock. */
  now: number
  #effects: Effect[] = []

  constructor(options: SessionOptions, now: number) {
    this.options = options
    this.definitions = options.definitions
    this.handshake = new Handshake(now)
    this.heartbeats = new Heartbeats(options.heartbeatMs, now)
    this.search = new HubSearch(now)
    this.now = now
  }

  get isReady(): boolean {
    return this.handshake.isReady
  }

  /** The hub's, from CHALLENGE on. */
  get epoch(): HubEpoch | undefined {
    return this.handshake.epoch
  }

  emit(effect: Effect): void {
    this.#effects.push(effect)
  }

  send(message: Message): void {
    this.#effects.push({ type: 'send', message })
  }

  takeEffects(): readonly Effect[] {
    const effects = this.#effects
    this.#effects = []
    return effects
  }
}
