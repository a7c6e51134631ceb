import type { CallRecord } from './records.js'
import { type Spread, spreadOf } from './spread.js'

/** How many calls ended how, and how long results took in ms. */
export interface Summary {
  readonly calls: number
  readonly outcomes: { readonly [outcome: string]: number }
  readonly resultMs: Spread
}

export function summarize(calls: readonly CallRecord[]): Summary {
  const outcomes: Record<string, number> = {}
  for (const { outcome = 'no answer' } of calls) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  const answered = calls.filter(({ outcome }) => outcome === 'result')
  const resultMs = spreadOf(answered.map(({ sentAt, answeredAt }) => answeredAt! - sentAt))
  return { calls: calls.length, outcomes, resultMs }
}
