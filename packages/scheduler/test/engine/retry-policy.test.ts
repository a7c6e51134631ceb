import { describe, expect, it } from 'vitest'
import { type AttemptEnd, nextStep } from '../../src/engine/retry-policy.js'

const failed = (change: object = {}): AttemptEnd => ({
  outcome: 'failed',
  error: { class: 'exit', text: 'It ended with code 1.', transient: true, ...change },
})
const runs = Array.from({ length: 500 }, (_, n) => `run_${n}`)

function delays(attempt: number): readonly number[] {
  return runs.map((run) => {
    const step = nextStep(failed(), run, attempt, 10)
    return step.kind === 'retry' ? step.delayMs : Number.NaN
  })
}

describe('what follows an attempt', () => {
  it.each([
    [1, 30_000],
    [2, 60_000],
    [3, 300_000],
    [4, 900_000],
    [5, 3_600_000],
    [6, 3_600_000],
  ])('failure %i: another one in %i ms, 20 %% more or less, spread over the runs', (attempt, base) => {
    const all = delays(attempt)
    expect(Math.min(...all)).toBeGreaterThanOrEqual(0.8 * base)
    expect(Math.max(...all)).toBeLessThanOrEqual(1.2 * base)
    expect(Math.max(...all) - Math.min(...all)).toBeGreaterThan(0.35 * base)
    expect(delays(attempt)).toEqual(all)
  })

  it('waits longer where a server asks for it, never shorter', () => {
    expect(nextStep(failed({ retryAfterMs: 7_200_000 }), 'run_1', 1, 3)).toEqual({ kind: 'retry', delayMs: 7_200_000 })
    expect(nextStep(failed({ retryAfterMs: 1 }), 'run_1', 1, 3)).toEqual(nextStep(failed(), 'run_1', 1, 3))
  })

  it.each([
    ['ok', { outcome: 'ok' }, 'done'],
    ['empty', { outcome: 'empty' }, 'done'],
    ['a failure that would come again', failed({ transient: false }), 'dead'],
    ['silence of what may be repeated', { outcome: 'timed_out', repeatable: true }, 'retry'],
    ['silence of what may not', { outcome: 'abandoned', repeatable: false }, 'dead'],
  ] as const)('%s', (_, end, kind) => {
    expect(nextStep(end, 'run_1', 1, 3).kind).toBe(kind)
  })

  it('ends with the last attempt', () => {
    expect(nextStep(failed(), 'run_1', 2, 3).kind).toBe('retry')
    expect(nextStep(failed(), 'run_1', 3, 3)).toEqual({ kind: 'dead', why: 'All 3 attempts failed.' })
  })
})
