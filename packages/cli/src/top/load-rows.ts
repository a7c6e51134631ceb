import type { HubStatistics, ServiceLoad } from '@callboard/hub'
import { quantileMs } from './quantile.js'

/** What one service does now, and did between two readings. */
export interface LoadRow extends Pick<ServiceLoad, 'workers' | 'inFlight' | 'credits' | 'queued' | 'oldestQueuedMs'> {
  readonly service: string
  /** Absent: there is nothing to compare with. */
  readonly since?: Since
}

interface Since {
  readonly callsPerSecond: number
  /** Of calls that did not end with a result, but for those that the caller cancelled. */
  readonly errorsPerSecond: number
  /** Of the calls that ended between the readings; infinite: beyond the last bucket; absent: none has ended. */
  readonly p50Ms?: number
  readonly p99Ms?: number
}

/** The busiest first. Counts begin anew with a hub that was started meanwhile, and with a service that was forgotten. */
export function loadRows(before: HubStatistics | undefined, now: HubStatistics): readonly LoadRow[] {
  const seconds = before === undefined || !isSameHub(before, now) ? 0 : (now.takenAt - before.takenAt) / 1000
  const earlier = new Map(before?.broker.services.map((load) => [load.service, load]))
  const rows = now.broker.services.map((load): LoadRow => {
    const { service, workers, inFlight, credits, queued, oldestQueuedMs } = load
    const row = { service, workers, inFlight, credits, queued, oldestQueuedMs }
    return seconds <= 0 ? row : { ...row, since: between(earlier.get(service), load, seconds, now.bucketsMs) }
  })
  return rows.sort((one, other) => rateOf(other) - rateOf(one) || (one.service < other.service ? -1 : 1))
}

function isSameHub({ process: one }: HubStatistics, { process: other }: HubStatistics): boolean {
  return one.pid === other.pid && one.startedAt === other.startedAt
}

const rateOf = ({ since }: LoadRow): number => since?.callsPerSecond ?? 0

function between(
  before: ServiceLoad | undefined,
  now: ServiceLoad,
  seconds: number,
  bucketsMs: readonly number[],
): Since {
  const known = before !== undefined && before.latency.count <= now.latency.count ? before : undefined
  const counts = now.latency.counts.map((count, index) => count - (known?.latency.counts[index] ?? 0))
  const p50Ms = quantileMs(0.5, counts, bucketsMs)
  const p99Ms = quantileMs(0.99, counts, bucketsMs)
  return {
    callsPerSecond: (sumOf(now.outcomes) - sumOf(known?.outcomes)) / seconds,
    errorsPerSecond: (errorsIn(now.outcomes) - errorsIn(known?.outcomes)) / seconds,
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p99Ms !== undefined && { p99Ms }),
  }
}

type Outcomes = ServiceLoad['outcomes']

const sumOf = (outcomes: Outcomes = {}): number => Object.values(outcomes).reduce((sum, count) => sum + count, 0)

function errorsIn(outcomes: Outcomes = {}): number {
  const { result = 0, cancelled = 0 } = outcomes
  return sumOf(outcomes) - result - cancelled
}
