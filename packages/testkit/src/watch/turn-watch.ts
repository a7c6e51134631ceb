import type { BrokerEffect, BrokerEvent } from '@callboard/hub'
import type { Call, Caller, Request, RoutingFailure } from '@callboard/protocol'
import { parse } from '../check-history.js'
import { Violation } from '../history.js'
import type { CallBody, Canary } from '../plan.js'
import { ownToolName, serviceOf } from '../services.js'
import type { Peer, PeerBooks } from './peer-books.js'
import type { Watch } from './watch.js'

export interface WaitingCall {
  readonly canary: Canary
  readonly service: string
  readonly name: string
  /** It was handed over before, under this id. */
  readonly id: string | undefined
}

/** What one session waits for at one depth of a service. */
export interface Lane {
  readonly service: string
  readonly depth: number
  readonly session: string
  readonly principal: string
  readonly calls: WaitingCall[]
}

/** Nobody gets a third call while another waits for the first. */
const passesMax = 2
/** A hub that stood still for so long reads for a while before it calls a worker silent. */
const standstillMs = 500
const readFirstMs = 250

/** Whose turn it is: no call waits for nothing, and nobody waits while another has turn after turn. */
export class TurnWatch implements Watch {
  readonly #books: PeerBooks
  readonly #affinityOf: (service: string) => 'none' | 'session' | 'principal'
  readonly #turnsOf: 'session' | 'principal'
  readonly #lanes = new Map<string, Lane>()
  /** What waits, by the simulation's name for it. */
  readonly #waiting = new Map<string, Lane>()
  /** What is handed over, by id, and to whom at last. */
  readonly #running = new Map<string, { readonly call: WaitingCall; readonly peer: string }>()
  /** Agents' calls whose turn is open; a call with a question before a person may end unheard. */
  readonly #turns = new Map<number, string>()
  readonly #heard = new Set<string>()
  #steppedAt = 0
  /** It may have: nothing came of it for long. */
  #stoodStillAt = Number.NEGATIVE_INFINITY
  /** Workers' calls without RESULT. */
  readonly #nested = new Map<string, string>()
  /** By who waits: who had turns meanwhile, and how many. */
  readonly #passes = new Map<string, Map<string, number>>()

  constructor(
    books: PeerBooks,
    affinityOf: (service: string) => 'none' | 'session' | 'principal',
    turnsOf: 'session' | 'principal',
  ) {
    this.#books = books
    this.#affinityOf = affinityOf
    this.#turnsOf = turnsOf
  }

  /** What waits; of a call with a question before a person, perhaps what has ended. */
  get lanes(): Iterable<Lane> {
    return this.#lanes.values()
  }

  /** Where a call waits. */
  laneOf(call: string | undefined): Lane | undefined {
    return call === undefined ? undefined : this.#waiting.get(call)
  }

  /** The call that an effect refuses, or ends, because too many wait: a timer of the same step may end others. */
  crowdedOutBy(effect: BrokerEffect): string | undefined {
    if (effect.type === 'settle') {
      const { outcome, ref } = effect
      return outcome.kind === 'failure' && isCrowdedOut(outcome.failure) ? this.#turns.get(ref) : undefined
    }
    if (effect.type !== 'send' || effect.message.type !== 'result' || effect.message.outcome !== 'failure') return
    const { id, failure } = effect.message
    return isCrowdedOut(failure) ? this.#nested.get(`${effect.peer} ${id}`) : undefined
  }

  left(peer: Peer): void {
    for (const id of [...peer.live].reverse()) this.#comesBack(peer.name, id)
    for (const [key, call] of this.#nested) {
      if (!key.startsWith(`${peer.name} `)) continue
      this.#nested.delete(key)
      this.#ended(call)
    }
  }

  event(event: BrokerEvent): void {
    switch (event.type) {
      case 'call': {
        const { canary } = parse(event.call.body) as CallBody
        this.#opened(event.ref, canary.call)
        return this.#waits(canary, event.call.name, undefined)
      }
      case 'resume': {
        const answer = parse(event.body) as { inputResponses: { q: { echo: Canary } } }
        this.#opened(event.ref, answer.inputResponses.q.echo.root)
        return
      }
      case 'message': {
        const { peer, message } = event
        if (message.type === 'call') return this.#called(peer, message)
        if (message.type !== 'response') return
        if (message.outcome === 'not_started') this.#comesBack(peer, message.id)
        else if (this.#running.get(message.id)?.peer === peer) this.#running.delete(message.id)
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
      if (call !== undefined) this.#heard.delete(call)
      if (call !== undefined && effect.outcome.kind !== 'input_required') this.#ended(call)
    }
    if (effect.type !== 'send') return
    const { peer, message } = effect
    if (message.type === 'request') this.#handedOver(message, peer)
    const isTakenBack = message.type === 'cancel' && message.reason !== 'input_abandoned'
    if (isTakenBack && this.#running.get(message.id)?.peer === peer) this.#running.delete(message.id)
    if (message.type !== 'result') return
    const key = `${peer} ${message.id}`
    const call = this.#nested.get(key)
    this.#nested.delete(key)
    if (call !== undefined) this.#ended(call)
  }

  stepped(now: number): void {
    if (now - this.#steppedAt >= standstillMs) this.#stoodStillAt = now
    this.#steppedAt = now
    for (const lane of this.#lanes.values()) {
      const call = headOf(lane)
      if (call === undefined || !this.#isPlain(call) || !(lane.depth > 0 || this.#heard.has(call.canary.call))) continue
      const idle = this.#books.of(lane.service).find((peer) => this.#couldTake(peer, call, now))
      if (idle !== undefined) throw new Violation(`${call.canary.call} waits, though ${idle.name} could take it`)
    }
  }

  #opened(ref: number, call: string): void {
    this.#turns.set(ref, call)
    this.#heard.add(call)
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
    this.#ended(canary.call)
    const service = serviceOf(name)
    const { depth, session = 'nobody', principal } = canary
    const key = `${service} ${depth} ${session}`
    const lane = this.#lanes.get(key) ?? { service, depth, session, principal, calls: [] }
    const call: WaitingCall = { canary, service, name, id }
    if (id === undefined) lane.calls.push(call)
    else lane.calls.unshift(call)
    this.#lanes.set(key, lane)
    this.#waiting.set(canary.call, lane)
  }

  #ended(call: string): void {
    const lane = this.#waiting.get(call)
    if (lane === undefined) return
    this.#waiting.delete(call)
    const { calls } = lane
    calls.splice(
      calls.findIndex(({ canary }) => canary.call === call),
      1,
    )
    if (calls.length > 0) return
    const { service, depth, session, principal } = lane
    this.#lanes.delete(`${service} ${depth} ${session}`)
    this.#passes.delete(`${service} session ${session}`)
    const isLast = [...this.#lanes.values()].every((each) => each.service !== service || each.principal !== principal)
    if (isLast) this.#passes.delete(`${service} principal ${principal}`)
  }

  #comesBack(peer: string, id: string): void {
    const running = this.#running.get(id)
    if (running?.peer !== peer) return
    this.#running.delete(id)
    this.#waits(running.call.canary, running.call.name, id)
  }

  #handedOver({ id, body, caller, name }: Request, peer: string): void {
    const { canary } = parse(body) as CallBody
    const service = serviceOf(peer)
    this.#ended(canary.call)
    this.#running.set(id, { call: { canary, service, name, id }, peer })
    // A call inside a call is a turn of whom it is for.
    if (caller.depth !== 0) this.#passes.delete(`${service} principal ${caller.onBehalfOf ?? caller.principal}`)
    if (caller.depth !== 0 || canary.depth !== 0 || this.#affinityOf(service) !== 'none') return
    this.#hadTurn(service, name, caller)
  }

  /** Somebody had a turn; whoever is next in the lanes of the others has not. */
  #hadTurn(service: string, name: string, { session, principal }: Pick<Caller, 'session' | 'principal'>): void {
    this.#passes.delete(`${service} session ${session}`)
    this.#passes.delete(`${service} principal ${principal}`)
    const passed = new Set<string>()
    for (const lane of this.#lanes.values()) {
      if (lane.service !== service || lane.depth !== 0 || lane.session === session) continue
      const isOfOther = this.#turnsOf === 'principal' && lane.principal !== principal
      const [who, by] = isOfOther
        ? [`${service} principal ${lane.principal}`, principal]
        : [`${service} session ${lane.session}`, session]
      const head = lane.calls[0]!
      // Not every worker has each tool, so the order holds among calls for the same.
      if (passed.has(who) || !this.#isPlain(head) || head.id !== undefined || head.name !== name) continue
      passed.add(who)
      this.#pass(who, by)
    }
  }

  #pass(who: string, by: string): void {
    const passes = this.#passes.get(who) ?? new Map<string, number>()
    const count = (passes.get(by) ?? 0) + 1
    this.#passes.set(who, passes.set(by, count))
    if (count > passesMax) throw new Violation(`${who} waits while ${by} has its turn number ${count}`)
  }

  /** Any worker of the service may have it. */
  #isPlain({ service, name }: WaitingCall): boolean {
    return this.#affinityOf(service) === 'none' && name !== ownToolName(service)
  }

  /** Of a worker that is ejected: whether another one is well, be it busy, or perhaps not read yet. */
  #isServed({ ready: { service } }: Peer, name: string, now: number): boolean {
    return this.#books.of(service).some((peer) => {
      const isReading = now - this.#stoodStillAt <= readFirstMs
      const isWell = !peer.isEjected && this.#books.isUp(peer, isReading ? now - readFirstMs : now)
      return isWell && this.#books.serves(peer, name, now, 'perhaps')
    })
  }

  #couldTake(peer: Peer, { canary, name, id }: WaitingCall, now: number): boolean {
    if (!this.#books.isUp(peer, now) || (peer.isEjected && this.#isServed(peer, name, now))) return false
    if (id !== undefined && peer.credits.has(id)) return false
    const used = [...peer.credits.values()].filter((depth) => depth === canary.depth).length
    return used < peer.ready.concurrency && this.#books.serves(peer, name, now)
  }
}

/** Within a lane the first one blocks the others; of several that came back together nobody knows which is first. */
function headOf({ calls }: Lane): WaitingCall | undefined {
  return calls[1]?.id === undefined ? calls[0] : undefined
}

/** Of the reasons of `overloaded` only the sentence tells which one it was. */
const isCrowdedOut = ({ code, message }: RoutingFailure): boolean =>
  code === 'overloaded' && /^Too many calls (of this caller )?wait for/.test(message)
