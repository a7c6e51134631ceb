import {
  type FromHub,
  type HubEpoch,
  isKeptUri,
  type RoutingFailure,
  type RoutingFailureCode,
  type WorkerMethod,
} from '@callboard/protocol'
import { Pinning } from '../pinning/pinning.js'
import type { Policy } from '../policy/policy.js'
import { RateBuckets } from '../policy/rate-buckets.js'
import type { KeyBook } from './authorization.js'
import { Calls } from './calls.js'
import { Catalogue } from './catalogue.js'
import type { CatalogueOptions } from './catalogue-options.js'
import { Counters } from './counters.js'
import type { Definition } from './definition.js'
import type { BrokerEffect, Notice } from './effects.js'
import type { PeerId } from './events.js'
import { resolveKept } from './kept-results.js'
import { Peers } from './peers.js'
import { PerService } from './per-service.js'
import { ServiceStatistics } from './service-statistics.js'
import { Sessions } from './sessions.js'
import { Timers } from './timers.js'
import { Tokens } from './tokens.js'
import type { Viewer } from './viewer-lists.js'

export interface BrokerOptions extends CatalogueOptions {
  /** Names the life of this hub: 8 to 32 of 0-9 and a-z. */
  readonly epoch: HubEpoch
  /** What a trusted worker proves to know; undefined: nobody is trusted, and no name is reserved. */
  readonly signInSecret: string | undefined
  /** Services that only trusted workers may offer. */
  readonly reservedServices: readonly string[]
  /** Keys of workers; undefined: nobody signs in by key. */
  readonly keys?: KeyBook | undefined
  /** Calls are told of when they end; undefined: nobody wants to know. `refuses`: none may begin now. */
  readonly audit?: { readonly refuses: () => boolean } | undefined
  /** Bytes that nobody can guess. */
  readonly random: (count: number) => Uint8Array
}

/** What may have to happen later. */
export type TimerTask =
  | {
      readonly kind: 'challenge_expired' | 'worker_silence' | 'drain_overdue' | 'update_due' | 'ejection_over'
      readonly peer: PeerId
    }
  | {
      readonly kind: 'deadline' | 'grace' | 'queue_expired' | 'input_wait' | 'conversation_expired'
      readonly id: string
    }
  | { readonly kind: 'edition_due' | 'shed_report'; readonly service: string }
  | { readonly kind: 'session_linger' | 'session_revoked' | 'token_expired'; readonly id: string }
  | { readonly kind: 'list_notice' | 'sessions_notice' }

/** Everything that the broker knows. The parts that act on it share this and own none of it. */
export class BrokerState {
  readonly options: BrokerOptions
  readonly peers = new Peers()
  readonly calls = new Calls()
  readonly sessions = new Sessions()
  readonly tokens = new Tokens()
  readonly counters = new Counters()
  readonly catalogue: Catalogue
  readonly timers = new Timers<TimerTask['kind']>()
  readonly rates = new RateBuckets()
  readonly #statistics: PerService<ServiceStatistics>
  /** The time of the event being handled. */
  now: number
  /** When the hub itself was last found to have stood still. */
  stoodStillAt = Number.NEGATIVE_INFINITY
  shuttingDown = false
  /** Agents have had time to come back: workers may be told which sessions live. */
  sessionsSettled = false
  #effects: BrokerEffect[] = []
  #callSerial = 0

  constructor(options: BrokerOptions, now: number) {
    this.options = options
    const pinning = new Pinning(options, (news) => this.notice({ kind: 'definitions_held', ...news }))
    this.catalogue = new Catalogue(options, pinning, (service, version, former) =>
      this.notice({ kind: 'edition_in_force', service, version, former }),
    )
    this.#statistics = this.perService(() => new ServiceStatistics())
    this.now = now
  }

  get policy(): Policy | undefined {
    return this.catalogue.viewers.policy
  }

  emit(effect: BrokerEffect): void {
    this.#effects.push(effect)
  }

  send(peer: PeerId, message: FromHub): void {
    this.#effects.push({ type: 'send', peer, message })
  }

  notice(notice: Notice): void {
    this.#effects.push({ type: 'notice', notice })
  }

  takeEffects(): readonly BrokerEffect[] {
    const effects = this.#effects
    this.#effects = []
    return effects
  }

  statisticsOf(service: string): ServiceStatistics {
    return this.#statistics.of(service)
  }

  /** Something of each service, kept as long as the service is known or `isNeeded` says so. */
  perService<Value>(create: () => Value, isNeeded: (value: Value) => boolean = () => false): PerService<Value> {
    const isKnown = (service: string) => this.catalogue.describe(service) !== undefined
    return new PerService(create, (service, value) => isKnown(service) || isNeeded(value))
  }

  /** What answers a call of this viewer: a definition that it sees, or a result that an instance keeps. */
  resolve(method: WorkerMethod, name: string, viewer: Viewer): Definition | undefined {
    const isKept = method === 'resources/read' && isKeptUri(name)
    return isKept ? resolveKept(name, viewer, this) : this.catalogue.resolve(method, name, viewer)
  }

  nextCallId(): string {
    return `${this.options.epoch}-${(++this.#callSerial).toString(36)}`
  }

  schedule(kind: TimerTask['kind'], key: string, afterMs: number): void {
    this.timers.set(kind, key, this.now + afterMs)
  }

  unschedule(kind: TimerTask['kind'], key: string): void {
    this.timers.clear(kind, key)
  }

  /** What is due now, the earliest first; undefined: nothing more. */
  takeDue(): TimerTask | undefined {
    const due = this.timers.takeDue(this.now)
    return due === undefined ? undefined : timerTask(due.kind, due.key)
  }
}

function timerTask(kind: TimerTask['kind'], key: string): TimerTask {
  switch (kind) {
    case 'challenge_expired':
    case 'worker_silence':
    case 'drain_overdue':
    case 'update_due':
    case 'ejection_over':
      return { kind, peer: key }
    case 'edition_due':
    case 'shed_report':
      return { kind, service: key }
    case 'list_notice':
    case 'sessions_notice':
      return { kind }
    default:
      return { kind, id: key }
  }
}

const retryable: ReadonlySet<RoutingFailureCode> = new Set(['unavailable', 'overloaded', 'rate_limited'])

export function failure(code: RoutingFailureCode, message: string, retryAfterMs?: number): RoutingFailure {
  return { code, message, retryable: retryable.has(code), ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}
