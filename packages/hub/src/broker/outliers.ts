import type { Response } from '@callboard/protocol'
import { ejectionMsMax, ejectionMsMin, healthCallsMin, healthWindowMs, outlierShare, unansweredMax } from './limits.js'
import type { WorkerPeer } from './peers.js'
import type { BrokerState } from './state.js'

/** How a worker's calls ended of late. */
export interface Health {
  /** UTC ms: when counting began. */
  since: number
  calls: number
  failures: number
  /** Deadlines that passed in a row. */
  unanswered: number
  /** Until then it gets nothing new; undefined: it is not ejected. */
  ejectedUntil: number | undefined
  ejections: number
}

export const goodHealth = (now: number): Health => ({
  since: now,
  calls: 0,
  failures: 0,
  unanswered: 0,
  ejectedUntil: undefined,
  ejections: 0,
})

/** `failed`: with an error, of whatever kind; `unanswered`: its deadline passed. */
export type CallEnd = 'answered' | 'failed' | 'unanswered'

/** What an answer says of its worker; undefined: nothing. Whoever leaves, or got a call too late, is not at fault. */
export function callEndOf(message: Response): CallEnd | undefined {
  if (message.outcome === 'result') return message.isError === true ? 'failed' : 'answered'
  const isBlameless = message.outcome === 'not_started' && ['draining', 'expired'].includes(message.reason)
  return isBlameless ? undefined : 'failed'
}

/**
 * Ejects replicas that fail where the others do not. Whoever fails fast is always free, so that the choice of the least
 * busy would send it nearly everything. What all replicas fail at is nobody's fault, and at least half of them stay.
 */
export class Outliers {
  readonly #state: BrokerState

  constructor(state: BrokerState) {
    this.#state = state
  }

  /** True: the worker was ejected for it. */
  seen(worker: WorkerPeer, how: CallEnd | undefined): boolean {
    if (how === undefined) return false
    const { health } = worker
    const { now } = this.#state
    if (now - health.since >= healthWindowMs) Object.assign(health, { since: now, calls: 0, failures: 0 })
    health.calls++
    if (how === 'answered') {
      health.unanswered = 0
      return false
    }
    health.failures++
    health.unanswered = how === 'unanswered' ? health.unanswered + 1 : 0
    const why = this.#fault(worker)
    if (why === undefined || health.ejectedUntil !== undefined || !this.#mayEject(worker.service)) return false
    this.#eject(worker, why)
    return true
  }

  /** The time of an ejection is over. */
  over(worker: WorkerPeer): void {
    const { health } = worker
    const { now } = this.#state
    if (health.ejectedUntil === undefined) return
    Object.assign(health, { since: now, calls: 0, failures: 0, unanswered: 0, ejectedUntil: undefined })
    this.#state.unschedule('ejection_over', worker.peer)
    this.#state.notice({ kind: 'worker_restored', service: worker.service, instance: worker.instance })
  }

  /** A worker is gone or leaves: as many as may be ejected are fewer now. */
  review(service: string): void {
    const ejected = this.#ready(service).filter(({ health }) => health.ejectedUntil !== undefined)
    ejected.sort((one, other) => one.health.ejectedUntil! - other.health.ejectedUntil!)
    const excess = ejected.length - this.#ejectableCount(service)
    for (const worker of ejected.slice(0, Math.max(0, excess))) this.over(worker)
  }

  #fault(worker: WorkerPeer): string | undefined {
    const { calls, failures, unanswered } = worker.health
    const others = this.#ready(worker.service).filter((each) => each !== worker && this.#isCurrent(each.health))
    const othersCalls = others.reduce((sum, { health }) => sum + health.calls, 0)
    const othersFailures = others.reduce((sum, { health }) => sum + health.failures, 0)
    if (unanswered >= unansweredMax && othersFailures < othersCalls) return `${unanswered} calls in a row had no answer`
    if (calls < healthCallsMin || othersCalls < healthCallsMin) return undefined
    if (failures / calls - othersFailures / othersCalls < outlierShare) return undefined
    return `${failures} of ${calls} calls failed, of the other replicas' ${othersFailures} of ${othersCalls}`
  }

  #isCurrent({ since }: Health): boolean {
    return this.#state.now - since < 2 * healthWindowMs
  }

  #mayEject(service: string): boolean {
    const ejected = this.#ready(service).filter(({ health }) => health.ejectedUntil !== undefined)
    return ejected.length < this.#ejectableCount(service)
  }

  #ejectableCount(service: string): number {
    return Math.floor(this.#ready(service).length / 2)
  }

  #ready(service: string): WorkerPeer[] {
    return [...this.#state.peers.of(service).values()].filter(({ state }) => state === 'ready')
  }

  #eject(worker: WorkerPeer, why: string): void {
    const { health, service, instance, peer } = worker
    const forMs = Math.min(ejectionMsMin * 2 ** Math.min(health.ejections, 16), ejectionMsMax)
    health.ejections++
    health.ejectedUntil = this.#state.now + forMs
    this.#state.schedule('ejection_over', peer, forMs)
    this.#state.statisticsOf(service).ejected()
    this.#state.notice({ kind: 'worker_ejected', service, instance, why, forMs })
  }
}
