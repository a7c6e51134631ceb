import type { BrokerEffect, BrokerEvent } from '@callboard/hub'
import type { FromHub, Response } from '@callboard/protocol'
import { parse } from '../check-history.js'
import { Violation } from '../history.js'
import type { CallBody } from '../plan.js'
import { serviceOf } from '../services.js'
import type { Peer, PeerBooks } from './peer-books.js'
import type { Watch } from './watch.js'

interface HandedOver {
  readonly peer: Peer
  /** Its caller gave it less time than is due to what is called: no fault of the worker's. */
  isShort: boolean
}

interface Faults {
  failedAt: number[]
  unansweredInARow: number
}

/** The least that an ejection may come of: half of 20 calls within 10 s, or deadlines one after the other. */
const failuresMin = 10
const windowMs = 10_000
const unansweredMin = 5

/** Nobody is ejected for little, or for what others did. */
export class HealthWatch implements Watch {
  readonly #books: PeerBooks
  readonly #shortCalls = new Set<string>()
  readonly #running = new Map<string, HandedOver>()
  readonly #faults = new WeakMap<Peer, Faults>()
  #ejected: Peer[] = []

  constructor(books: PeerBooks) {
    this.#books = books
  }

  event(event: BrokerEvent, now: number): void {
    if (event.type === 'call') {
      const { name, timeoutMs, body } = event.call
      if (timeoutMs !== undefined && timeoutMs < this.#dueMs(name)) {
        this.#shortCalls.add((parse(body) as CallBody).canary.call)
      }
    }
    if (event.type !== 'message') return
    const { message } = event
    if (message.type === 'response') this.#responded(event.peer, message, now)
    // It gets back the time that its person took, and more than it had.
    const asking = message.type === 'input_required' ? this.#running.get(message.id) : undefined
    if (asking !== undefined) asking.isShort = false
  }

  effect(effect: BrokerEffect, now: number): void {
    if (effect.type === 'send') this.#sent(effect.peer, effect.message, now)
    if (effect.type !== 'notice' || effect.notice.kind !== 'worker_ejected') return
    const { instance } = effect.notice
    this.#ejected.push(...this.#books.all.filter(({ ready }) => ready.instance === instance))
  }

  /** The deadline that it was ejected for is told behind the ejection. */
  stepped(now: number): void {
    for (const peer of this.#ejected) {
      const { failedAt, unansweredInARow } = this.#faultsOf(peer)
      const failures = failedAt.filter((at) => now - at <= windowMs).length
      if (failures >= failuresMin || unansweredInARow >= unansweredMin) continue
      throw new Violation(`${peer.name} is ejected for ${failures} failures, ${unansweredInARow} without an answer`)
    }
    this.#ejected = []
  }

  #sent(name: string, message: FromHub, now: number): void {
    const peer = this.#books.get(name)
    if (message.type === 'request' && peer !== undefined) {
      const isShort = this.#shortCalls.has((parse(message.body) as CallBody).canary.call)
      this.#running.set(message.id, { peer, isShort })
    }
    if (message.type !== 'cancel' || message.reason === 'input_abandoned') return
    const call = this.#running.get(message.id)
    if (call?.peer !== peer || !this.#running.delete(message.id)) return
    if (message.reason !== 'deadline_exceeded' || call?.isShort !== false) return
    const faults = this.#faultsOf(call.peer)
    faults.failedAt.push(now)
    faults.unansweredInARow++
  }

  #responded(name: string, message: Response, now: number): void {
    const call = this.#running.get(message.id)
    if (call?.peer.name !== name || !this.#running.delete(message.id)) return
    if (message.outcome === 'not_started' && ['draining', 'expired'].includes(message.reason)) return
    const faults = this.#faultsOf(call.peer)
    faults.unansweredInARow = 0
    if (message.outcome !== 'result' || message.isError === true) faults.failedAt.push(now)
  }

  #faultsOf(peer: Peer): Faults {
    const faults = this.#faults.get(peer) ?? { failedAt: [], unansweredInARow: 0 }
    this.#faults.set(peer, faults)
    return faults
  }

  /** What is no tool has more time than any agent of the simulation gives. */
  #dueMs(name: string): number {
    const text = this.#books.inForce?.get(serviceOf(name))?.get(name)
    const due = text === undefined ? undefined : (JSON.parse(text) as Timed)._meta?.['callboard/timeoutMs']
    return due ?? Number.POSITIVE_INFINITY
  }
}

interface Timed {
  readonly _meta?: { readonly 'callboard/timeoutMs'?: number }
}
