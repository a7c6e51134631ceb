import type { CrowdRecord } from './crowd.js'
import type { CallRecord } from './records.js'
import { type Spread, spreadOf } from './spread.js'

/** A time in UTC ms; the end is outside of it. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Results per second that came within the time. */
export function goodputOf(calls: readonly CallRecord[], { from, to }: Span): number {
  const results = calls.filter(({ outcome, answeredAt = 0 }) => {
    return outcome === 'result' && answeredAt >= from && answeredAt < to
  })
  return (results.length * 1_000) / (to - from)
}

export interface Refusals {
  readonly count: number
  /** From the question to the refusal, in ms. */
  readonly ms: Spread
  /** Failures with another code, or that do not say when to come back. */
  readonly improper: readonly CrowdRecord[]
}

/** Of all that got no result. */
export function refusalsOf(calls: readonly CrowdRecord[]): Refusals {
  const failed = calls.filter(({ outcome }) => outcome !== 'result')
  const isProper = ({ outcome, retryAfterMs = 0 }: CrowdRecord) => outcome === 'overloaded' && retryAfterMs > 0
  const refused = failed.filter(isProper)
  return {
    count: refused.length,
    ms: spreadOf(refused.map(({ sentAt, answeredAt }) => answeredAt! - sentAt)),
    improper: failed.filter((call) => !isProper(call)),
  }
}

/** p50 and p99 of the results of each part of a time, by when they were asked for; in ms. */
export function windowsOf(calls: readonly CallRecord[], { from, to }: Span, count: number): Spread[] {
  const width = (to - from) / count
  return Array.from({ length: count }, (_, index) => {
    const inside = calls.filter(({ outcome, sentAt }) => {
      return outcome === 'result' && sentAt >= from + index * width && sentAt < from + (index + 1) * width
    })
    return spreadOf(inside.map(({ sentAt, answeredAt }) => answeredAt! - sentAt))
  })
}

/** What the machine does by itself: windows of equal load differ by more than their spread now and then. */
const slack = 1.1

/** The goal for the median window afterwards: the worst window before, and a tenth. */
export function latencyGoal(before: readonly Spread[], of: 'p50' | 'p99'): number {
  return Math.max(...before.map((window) => window[of])) * slack
}

export function medianOf(windows: readonly Spread[], of: 'p50' | 'p99'): number {
  return spreadOf(windows.map((window) => window[of])).p50
}
