import type { RoutingFailureCode } from '@callboard/protocol'
import { Histogram, type Spread } from './histogram.js'

/** How a call ended, as the caller was told. `unknown`: what it asked for is not there any more. */
export type OutcomeName = 'result' | 'tool_error' | 'error' | 'unknown' | RoutingFailureCode

/** What was counted of one service since the hub's start, as far as it was not forgotten meanwhile. */
export interface CountedService {
  readonly outcomes: Readonly<Partial<Record<OutcomeName, number>>>
  /** From a call's acceptance to its outcome, of all outcomes. */
  readonly latency: Spread
  /** What calls waited for a worker before their first hand-over. */
  readonly queueWait: Spread
  /** Calls handed over again, because the worker was lost or had not started them. */
  readonly retries: number
  /** Calls refused to keep the queue short, by reason. */
  readonly shed: Readonly<Partial<Record<ShedReason, number>>>
  readonly workersJoined: number
  readonly workersLeft: Readonly<Record<string, number>>
  readonly ejections: number
}

/**
 * `queue_full`, `share_used`: the service's queue, or one caller's share of it; `memory_full`: arguments of all that waits;
 * `too_slow`: it would not be started in its time; `expired`: it waited for half of its time; `retry_budget`: too many
 * calls of the service are on their second try.
 */
export type ShedReason = 'queue_full' | 'share_used' | 'memory_full' | 'too_slow' | 'expired' | 'retry_budget'

/** Counts for one service. */
export class ServiceStatistics {
  readonly #outcomes: Partial<Record<OutcomeName, number>> = {}
  readonly #shed: Partial<Record<ShedReason, number>> = {}
  readonly #left: Record<string, number> = {}
  readonly #latency = new Histogram()
  readonly #queueWait = new Histogram()
  #retries = 0
  #joined = 0
  #ejections = 0

  ended(outcome: OutcomeName, latencyMs: number): void {
    this.#outcomes[outcome] = (this.#outcomes[outcome] ?? 0) + 1
    this.#latency.observe(latencyMs)
  }

  handedOver(waitedMs: number): void {
    this.#queueWait.observe(waitedMs)
  }

  retried(): void {
    this.#retries++
  }

  shed(reason: ShedReason): void {
    this.#shed[reason] = (this.#shed[reason] ?? 0) + 1
  }

  joined(): void {
    this.#joined++
  }

  left(reason: string): void {
    this.#left[reason] = (this.#left[reason] ?? 0) + 1
  }

  ejected(): void {
    this.#ejections++
  }

  read(): CountedService {
    return {
      outcomes: { ...this.#outcomes },
      latency: this.#latency.read(),
      queueWait: this.#queueWait.read(),
      retries: this.#retries,
      shed: { ...this.#shed },
      workersJoined: this.#joined,
      workersLeft: { ...this.#left },
      ejections: this.#ejections,
    }
  }
}
