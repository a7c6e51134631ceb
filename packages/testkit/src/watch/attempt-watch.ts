import type { BrokerEffect, BrokerEvent, CallOutcome } from '@callboard/hub'
import type { Request } from '@callboard/protocol'
import { parse } from '../check-history.js'
import { Violation } from '../history.js'
import type { CallBody } from '../plan.js'
import { serviceOf } from '../services.js'
import type { Watch } from './watch.js'

interface Attempts {
  /** Those that a worker refused because it drains cost nothing. */
  count: number
  last: 'out' | 'not_started'
  peer: string
}

/** The first hand-over, and two more. */
const attemptsMax = 3
/** What `overloaded` may tell a client to wait. */
const retryAfterMsMin = 100
const retryAfterMsMax = 60_000
/** Codes that say of any call, one that may be repeated too, that nobody ever began it. */
const neverHandedOver: ReadonlySet<string> = new Set(['overloaded', 'deadlock', 'depth_exceeded'])

/** How often a call may be handed over, and what may be said of one that never was. */
export class AttemptWatch implements Watch {
  readonly #attempts = new Map<string, Attempts>()
  /** By the names that the simulation gives to calls. */
  readonly #ran = new Map<string, string>()
  readonly #turns = new Map<number, string>()
  readonly #calls = new Map<string, string>()
  readonly #affinityOf: (service: string) => 'none' | 'session' | 'principal'

  constructor(affinityOf: (service: string) => 'none' | 'session' | 'principal') {
    this.#affinityOf = affinityOf
  }

  event(event: BrokerEvent): void {
    if (event.type === 'call') this.#turns.set(event.ref, (parse(event.call.body) as CallBody).canary.call)
    if (event.type !== 'message') return
    const { peer, message } = event
    if (message.type === 'call') {
      const name = (parse(message.body) as Partial<CallBody> | undefined)?.canary?.call
      if (name !== undefined) this.#calls.set(`${peer} ${message.id}`, name)
    }
    if (message.type !== 'response') return
    const attempts = this.#attempts.get(message.id)
    if (attempts?.peer !== peer || message.outcome !== 'not_started') return
    attempts.last = 'not_started'
    if (message.reason === 'draining') attempts.count--
    const call = this.#ran.get(message.id)
    if (call !== undefined) this.#ran.delete(call)
  }

  effect(effect: BrokerEffect): void {
    if (effect.type === 'settle') this.#settled(this.#turns.get(effect.ref), effect.outcome)
    if (effect.type !== 'send') return
    const { peer, message } = effect
    if (message.type === 'request') this.#handedOver(peer, message)
    if (message.type === 'result' && message.outcome === 'failure') {
      const { failure } = message
      this.#settled(this.#calls.get(`${peer} ${message.id}`), { kind: 'failure', failure })
    }
  }

  #handedOver(peer: string, { id, body }: Request): void {
    const { canary } = parse(body) as CallBody
    const former = this.#attempts.get(id)
    const count = (former?.count ?? 0) + 1
    if (count > attemptsMax) throw new Violation(`${canary.call} is handed over ${count} times`)
    // What it needs may have been in the worker that is lost.
    const isRepeatable = canary.retriable && this.#affinityOf(serviceOf(peer)) === 'none'
    if (former !== undefined && former.last !== 'not_started' && !isRepeatable) {
      throw new Violation(`${canary.call} is handed over again, though ${former.peer} may have started it`)
    }
    this.#attempts.set(id, { count, last: 'out', peer })
    if (canary.depth < 0) return
    this.#ran.set(canary.call, peer)
    this.#ran.set(id, canary.call)
  }

  #settled(call: string | undefined, outcome: CallOutcome): void {
    if (outcome.kind !== 'failure') return
    const { code, retryAfterMs } = outcome.failure
    if (code === 'overloaded' && !isPause(retryAfterMs)) {
      throw new Violation(`${call ?? 'a call'} is refused as overloaded, to be repeated after ${retryAfterMs} ms`)
    }
    const ran = call === undefined ? undefined : this.#ran.get(call)
    if (neverHandedOver.has(code) && ran !== undefined) {
      throw new Violation(`${call} was said never to have begun (${code}), but ${ran} got it`)
    }
  }
}

const isPause = (ms: number | undefined): boolean => ms !== undefined && ms >= retryAfterMsMin && ms <= retryAfterMsMax
