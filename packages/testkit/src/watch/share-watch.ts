import type { BrokerEffect, BrokerEvent } from '@callboard/hub'
import { parse } from '../check-history.js'
import { Violation } from '../history.js'
import type { CallBody } from '../plan.js'
import type { Lane, TurnWatch } from './turn-watch.js'
import type { Watch } from './watch.js'

/** What the hub lets wait for one service, and of it for one session and one principal. */
const queuedMax = { service: 1_024, session: 256, principal: 768 } as const

/** Who gives way where a queue is full: whoever has most of it, and nobody else. */
export class ShareWatch implements Watch {
  readonly #turns: TurnWatch
  #newcomer: string | undefined

  constructor(turns: TurnWatch) {
    this.#turns = turns
  }

  event(event: BrokerEvent): void {
    this.#newcomer = undefined
    if (event.type === 'call') this.#newcomer = callOf(event.call.body)
    if (event.type === 'message' && event.message.type === 'call') this.#newcomer = callOf(event.message.body)
  }

  effect(effect: BrokerEffect): void {
    const call = this.#turns.crowdedOutBy(effect)
    const newcomer = this.#turns.laneOf(this.#newcomer)
    const lane = this.#turns.laneOf(call)
    if (call === undefined || lane === undefined || newcomer === undefined) return
    if (call === this.#newcomer) this.#checkRefusal(call, lane)
    else this.#checkExcess(call, lane, newcomer)
  }

  stepped(): void {
    for (const lane of this.#turns.lanes) {
      const isTooLong = fresh([lane]) > queuedMax.session
      if (isTooLong) throw new Violation(`${fresh([lane])} calls of ${lane.session} wait for ${lane.service}`)
    }
    if (this.#newcomer === undefined || this.#turns.laneOf(this.#newcomer) === undefined) return
    const { service, principal } = this.#turns.laneOf(this.#newcomer)!
    const all = fresh(this.#lanesOf(service))
    if (all > queuedMax.service) throw new Violation(`${all} calls wait for ${service}`)
    const own = fresh(this.#lanesOf(service, principal))
    if (own > queuedMax.principal) throw new Violation(`${own} calls of ${principal} wait for ${service}`)
  }

  /** It was the last that the biggest one had. */
  #checkExcess(call: string, lane: Lane, newcomer: Lane): void {
    const { service, principal } = lane
    if (lane.calls.at(-1)?.canary.call !== call)
      throw new Violation(`${call} gives way, and is not the last of its lane`)
    if (service !== newcomer.service) throw new Violation(`${call} gives way to ${this.#newcomer} of another service`)
    const isOwn = principal === newcomer.principal
    const size = isOwn ? lane.calls.length : count(this.#lanesOf(service, principal))
    const sizeOfNewcomer = isOwn ? fresh([newcomer]) : fresh(this.#lanesOf(service, newcomer.principal))
    if (size <= sizeOfNewcomer) throw new Violation(`${call} of ${size} gives way to the newcomer of ${sizeOfNewcomer}`)
    const others = this.#lanesOf(service).filter((each) => each.principal !== newcomer.principal)
    for (const other of isOwn ? [] : others) {
      const sizeOfOther = fresh(this.#lanesOf(service, other.principal))
      if (sizeOfOther > size) {
        throw new Violation(
          `${call} of ${principal} gives way, though ${other.principal} has ${sizeOfOther} to ${size}`,
        )
      }
    }
  }

  /** A newcomer with little there is not refused while somebody else fills the queue. */
  #checkRefusal(call: string, lane: Lane): void {
    const { service, principal } = lane
    const own = this.#lanesOf(service, principal)
    const before = fresh(this.#lanesOf(service)) - 1
    if (before < queuedMax.service || count([lane]) > queuedMax.session) return
    for (const other of this.#lanesOf(service)) {
      const size = fresh(this.#lanesOf(service, other.principal))
      if (other.principal === principal || size <= count(own)) continue
      throw new Violation(
        `${call} is refused with ${count(own)} of ${principal}, though ${other.principal} has ${size}`,
      )
    }
  }

  #lanesOf(service: string, principal?: string): Lane[] {
    const isOne = (lane: Lane) => lane.service === service && (principal ?? lane.principal) === lane.principal
    return [...this.#turns.lanes].filter(isOne)
  }
}

const callOf = (body: Uint8Array): string | undefined => (parse(body) as Partial<CallBody> | undefined)?.canary?.call

/** Of a call that came back nobody knows whether it waits, or has ended unheard. */
const fresh = (lanes: readonly Lane[]): number => count(lanes, ({ id }) => id === undefined)

function count(lanes: readonly Lane[], isIt: (call: Lane['calls'][number]) => boolean = () => true): number {
  return lanes.reduce((sum, { calls }) => sum + calls.filter(isIt).length, 0)
}
