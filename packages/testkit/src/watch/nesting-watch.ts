import type { BrokerEffect, BrokerEvent } from '@callboard/hub'
import { type Call, depthMax, type FromHub, type Request, type Result } from '@callboard/protocol'
import { parse } from '../check-history.js'
import { Violation } from '../history.js'
import type { CallBody } from '../plan.js'
import { serviceOf } from '../services.js'
import type { PeerBooks } from './peer-books.js'
import type { Watch } from './watch.js'

/** A worker's CALL on behalf of a call that it holds. */
interface Child {
  readonly call: string
  readonly peer: string
  readonly parent: string
  readonly service: string
  readonly name: string
  readonly depth: number
  /** The parent's deadline when it was made. */
  readonly latest: number
}

/** Calls inside calls: they end with their parent, have no more time than it, and are told when they waited for themselves. */
export class NestingWatch implements Watch {
  readonly #books: PeerBooks
  /** Without RESULT, by peer and its id. */
  readonly #open = new Map<string, Child>()
  readonly #byCall = new Map<string, Child>()
  /** Handed over, by the hub's id. */
  readonly #byId = new Map<string, Child>()
  readonly #deadlines = new Map<string, number>()
  readonly #depths = new Map<string, number>()
  /** What was left of a call's time when it began to wait for a person. */
  readonly #remainders = new Map<string, number>()
  /** Who asked the person: what others say of the call counts for nothing. */
  readonly #askedBy = new Map<string, string>()

  constructor(books: PeerBooks) {
    this.#books = books
  }

  event(event: BrokerEvent, now: number): void {
    if (event.type !== 'message') return
    const { peer, message } = event
    if (message.type === 'call') this.#called(peer, message, now)
    if (message.type === 'response' && this.#askedBy.get(message.id) === peer) this.#remainders.delete(message.id)
    if (message.type !== 'input_required' || !this.#books.get(peer)?.suspended.has(message.id)) return
    if (this.#remainders.has(message.id)) return
    this.#remainders.set(message.id, this.#deadlineOf(message.id) - now)
    this.#askedBy.set(message.id, peer)
  }

  effect(effect: BrokerEffect, now: number): void {
    if (effect.type === 'send') this.#sent(effect.peer, effect.message, now)
  }

  stepped(): void {
    for (const [id, child] of this.#byId) {
      const holder = this.#books.all.find(({ live }) => live.has(id))
      if (holder === undefined) this.#byId.delete(id)
      else if (!this.#isAlive(child)) {
        throw new Violation(`${child.call} still runs on ${holder.name} when its parent ${child.parent} is over`)
      }
    }
  }

  #called(name: string, message: Call, now: number): void {
    const canary = (parse(message.body) as Partial<CallBody> | undefined)?.canary
    const key = `${name} ${message.id}`
    const peer = this.#books.get(name)
    const { parent } = message
    if (canary === undefined || parent === undefined) return
    if (peer?.ready.epoch !== message.epoch || !peer.live.has(parent) || this.#open.has(key)) return
    const depth = (this.#depths.get(parent) ?? 0) + 1
    const latest = this.#latest(parent, now)
    const child = { call: canary.call, peer: name, parent, service: serviceOf(message.name), name: message.name }
    const whole = { ...child, depth, latest }
    this.#open.set(key, whole)
    this.#byCall.set(canary.call, whole)
  }

  #sent(peer: string, message: FromHub, now: number): void {
    switch (message.type) {
      case 'request':
        return this.#handedOver(message)
      case 'resume':
        this.#remainders.delete(message.id)
        this.#deadlines.set(message.id, message.deadline)
        return
      case 'cancel': {
        const remainder = this.#remainders.get(message.id)
        if (remainder !== undefined) this.#deadlines.set(message.id, now + remainder)
        this.#remainders.delete(message.id)
        return
      }
      case 'result':
        this.#answered(this.#open.get(`${peer} ${message.id}`), message)
        this.#open.delete(`${peer} ${message.id}`)
        return
      default:
        return
    }
  }

  #handedOver({ id, deadline, caller, body }: Request): void {
    const { call } = (parse(body) as CallBody).canary
    // A call that waited for a person has got that time back, which its parent has not.
    const isFirst = !this.#deadlines.has(id)
    this.#deadlines.set(id, deadline)
    this.#depths.set(id, caller.depth)
    if (caller.depth > depthMax) throw new Violation(`${call} is handed over at depth ${caller.depth}`)
    const child = this.#byCall.get(call)
    if (child === undefined) return
    if (isFirst && deadline > child.latest) {
      throw new Violation(`${call} has ${deadline - child.latest} ms more time than its parent ${child.parent}`)
    }
    if (!this.#isAlive(child)) throw new Violation(`${call} is handed over when its parent ${child.parent} is over`)
    this.#byId.set(id, child)
  }

  #answered(child: Child | undefined, message: Result): void {
    if (child === undefined || message.outcome !== 'failure') return
    const { code, message: text } = message.failure
    const isInCircle = this.#ancestors(child).includes(child.service)
    if (code === 'deadlock' && !isInCircle) {
      throw new Violation(`${child.call} is refused as deadlock, though ${child.service} works on no ancestor`)
    }
    // Whoever waited in vain for its own chain is told so. [CB-64]
    if (code === 'overloaded' && isInCircle && /waited for half/.test(text)) {
      throw new Violation(`${child.call} is told that ${child.service} is busy, which works on an ancestor of it`)
    }
    if (code === 'depth_exceeded' && child.depth <= depthMax) {
      throw new Violation(`${child.call} is refused as depth_exceeded at depth ${child.depth}`)
    }
  }

  /** The services that work on what the call is a part of. */
  #ancestors(child: Child): string[] {
    const services: string[] = []
    for (let each: Child | undefined = child; each !== undefined; each = this.#byId.get(each.parent)) {
      services.push(serviceOf(each.peer))
    }
    return services
  }

  #isAlive({ peer, parent }: Child): boolean {
    return this.#books.get(peer)?.live.has(parent) === true
  }

  #latest(id: string, now: number): number {
    const remainder = this.#remainders.get(id)
    return remainder === undefined ? this.#deadlineOf(id) : now + remainder
  }

  #deadlineOf(id: string): number {
    return this.#deadlines.get(id) ?? Number.POSITIVE_INFINITY
  }
}
