import { shedReportMs } from './limits.js'
import type { ShedReason } from './service-statistics.js'
import type { BrokerState } from './state.js'

interface Burst {
  count: number
  readonly principals: Set<string>
}

/** Shed calls, told in one line when they begin and one each {@link shedReportMs} as long as they go on. */
export class ShedWatch {
  readonly #state: BrokerState
  readonly #bursts = new Map<string, Burst>()

  constructor(state: BrokerState) {
    this.#state = state
  }

  shed(service: string, reason: ShedReason, principal: string): void {
    this.#state.statisticsOf(service).shed(reason)
    const burst = this.#bursts.get(service)
    if (burst !== undefined) {
      burst.count++
      if (burst.principals.size < namesMax) burst.principals.add(principal)
      return
    }
    this.#bursts.set(service, { count: 0, principals: new Set() })
    this.#state.schedule('shed_report', service, shedReportMs)
    this.#state.notice({ kind: 'calls_shed', service, reason, count: 1, principals: [principal] })
  }

  /** Tells what came since the last line; silence since then ends the burst. */
  report(service: string): void {
    const burst = this.#bursts.get(service)
    if (burst === undefined) return
    if (burst.count === 0) return void this.#bursts.delete(service)
    const { count, principals } = burst
    this.#bursts.set(service, { count: 0, principals: new Set() })
    this.#state.schedule('shed_report', service, shedReportMs)
    this.#state.notice({ kind: 'calls_shed', service, reason: undefined, count, principals: [...principals] })
  }
}

/** Of those who were refused; the rest is in the count. */
const namesMax = 8
