import type { BrokerEffect, BrokerEvent } from '@callboard/hub'
import type { Call, Request } from '@callboard/protocol'
import { parse } from '../check-history.js'
import { Violation } from '../history.js'
import type { CallBody, Canary } from '../plan.js'
import { ownToolName, serviceOf } from '../services.js'
import type { Peer, PeerBooks } from './peer-books.js'
import type { Watch } from './watch.js'

interface WaitingCall {
  readonly canary: Canary
  readonly service: string
  readonly name: string
  /** It was handed over before, under this id. */
  readonly id: string | undefined
  /** Calls of other sessions that were handed over while this one was the next of its own. */
  readonly passedBy: Map<string, number>
}

/** A session gets no third call while another waits for its first. */
const passesMax = 2

/** Whose turn it is: no call waits for nothing, and no session waits while others have turn after turn. */
export class TurnWatch implements Watch {
  readonly #books: PeerBooks
  readonly #affinityOf: (service: string) => 'none' | 'session' | 'principal'
  /** In the order of their coming, those that came back before all others. */
  #waiting = new Map<string, WaitingCall>()
  /** What is handed over, by peer and id. */
  readonly #running = new Map<string, WaitingCall>()
  /** Agents' calls whose turn is open, by ref; a call with a question before a person may end unheard. */
  readonly #turns = new Map<number, string>()
  /** Workers' calls without RESULT. */
  readonly #nested = new Map<string, string>()

  constructor(books: PeerBooks, affinityOf: (service: string) => 'none' | 'session' | 'principal') {
    this.#books = books
    this.#affinityOf = affinityOf
  }

  left(peer: Peer): void {
    for (const id of [...peer.live].reverse()) this.#comesBack(peer.name, id)
    for (const [key, call] of this.#nested) {
      if (!key.startsWith(`${peer.name} `)) continue
      this.#nested.delete(key)
      this.#waiting.delete(call)
    }
  }

  event(event: BrokerEvent): void {
    switch (event.type) {
      case 'call': {
        const { canary } = parse(event.call.body) as CallBody
        this.#turns.set(event.ref, canary.call)
        return this.#waits(canary, event.call.name, undefined)
      }
      case 'resume': {
        const answer = parse(event.body) as { inputResponses: { q: { echo: Canary } } }
        this.#turns.set(event.ref, answer.inputResponses.q.echo.root)
        return
      }
      case 'message': {
        const { peer, message } = event
        if (message.type === 'call') return this.#called(peer, message)
        if (message.type !== 'response') return
        if (message.outcome === 'not_started') this.#comesBack(peer, message.id)
        else this.#running.delete(`${peer} ${message.id}`)
        return
      }
      default:
        return
    }
  }

  effect(effect: BrokerEffect): void {
    if (effect.type === 'settle') {
      const call = this.#turns.get(effect.ref)
      this.#turns.delete(effect.ref)
      if (call !== undefined && effect.outcome.kind !== 'input_required') this.#waiting.delete(call)
    }
    if (effect.type !== 'send') return
    const { peer, message } = effect
    if (message.type === 'request') this.#handedOver(message, peer)
    if (message.type === 'cancel' && message.reason !== 'input_abandoned') this.#running.delete(`${peer} ${message.id}`)
    if (message.type !== 'result') return
    const key = `${peer} ${message.id}`
    const call = this.#nested.get(key)
    this.#nested.delete(key)
    if (call !== undefined) this.#waiting.delete(call)
  }

  stepped(now: number): void {
    for (const call of this.#heads()) {
      const { service, canary } = call
      if (!this.#isPlain(call) || !this.#isHeard(canary)) continue
      const idle = this.#books.of(service).find((peer) => this.#couldTake(peer, call, now))
      if (idle !== undefined) throw new Violation(`${canary.call} waits, though ${idle.name} could take it`)
    }
  }

  /** Within a lane the first one blocks the others; of several that came back together nobody knows which is first. */
  #heads(): WaitingCall[] {
    const heads = new Map<string, WaitingCall | undefined>()
    for (const call of this.#waiting.values()) {
      const lane = `${call.service} ${call.canary.depth} ${call.canary.session}`
      if (!heads.has(lane)) heads.set(lane, call)
      else if (call.id !== undefined) heads.set(lane, undefined)
    }
    return [...heads.values()].filter((call) => call !== undefined)
  }

  #called(name: string, message: Call): void {
    const canary = (parse(message.body) as Partial<CallBody> | undefined)?.canary
    const key = `${name} ${message.id}`
    const peer = this.#books.get(name)
    if (canary === undefined || canary.depth < 0 || peer?.ready.epoch !== message.epoch || this.#nested.has(key)) return
    this.#nested.set(key, canary.call)
    this.#waits(canary, message.name, undefined)
  }

  #waits(canary: Canary, name: string, id: string | undefined): void {
    const call: WaitingCall = { canary, service: serviceOf(name), name, id, passedBy: new Map() }
    if (id === undefined) this.#waiting.set(canary.call, call)
    else this.#waiting = new Map([[canary.call, call], ...this.#waiting])
  }

  #comesBack(peer: string, id: string): void {
    const call = this.#running.get(`${peer} ${id}`)
    if (call === undefined || !this.#running.delete(`${peer} ${id}`)) return
    this.#waits(call.canary, call.name, id)
  }

  #handedOver({ id, body, caller, name }: Request, peer: string): void {
    const { canary } = parse(body) as CallBody
    const service = serviceOf(peer)
    this.#waiting.delete(canary.call)
    this.#running.set(`${peer} ${id}`, { canary, service, name, id, passedBy: new Map() })
    if (caller.depth === 0 && this.#affinityOf(service) === 'none') this.#passes(caller.session, service, name)
  }

  /** This session had a turn; whoever is next in the lanes of the others has not. */
  #passes(session: string, service: string, name: string): void {
    const lanes = new Set([session])
    for (const call of this.#waiting.values()) {
      const { canary, passedBy } = call
      if (call.service !== service || canary.depth !== 0 || lanes.has(canary.session!)) continue
      lanes.add(canary.session!)
      // Not every worker has each tool, so the order holds among calls for the same.
      if (!this.#isPlain(call) || call.id !== undefined || call.name !== name) continue
      const passes = (passedBy.get(session) ?? 0) + 1
      passedBy.set(session, passes)
      if (passes > passesMax) throw new Violation(`${canary.call} waits while ${session} has its turn number ${passes}`)
    }
  }

  /** Any worker of the service may have it. */
  #isPlain({ service, name }: WaitingCall): boolean {
    return this.#affinityOf(service) === 'none' && name !== ownToolName(service)
  }

  #isHeard({ call, depth }: Canary): boolean {
    return depth > 0 || [...this.#turns.values()].includes(call)
  }

  #couldTake(peer: Peer, { canary, name, id }: WaitingCall, now: number): boolean {
    if (peer.isDraining || this.#books.silentMs(peer, now) >= this.#books.suspectAfterMs(peer)) return false
    if (id !== undefined && peer.credits.has(id)) return false
    const used = [...peer.credits.values()].filter((depth) => depth === canary.depth).length
    return used < peer.ready.concurrency && this.#books.surelyOffers(peer, name, now)
  }
}
