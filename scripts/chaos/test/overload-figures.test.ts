import { describe, expect, it } from 'vitest'
import type { CrowdRecord } from '../crowd.js'
import { goodputOf, latencyGoal, medianOf, refusalsOf, windowsOf } from '../overload-figures.js'
import { retryAfterOf } from '../refusal-caller.js'

const call = (sentAt: number, tookMs: number, more: Partial<CrowdRecord> = {}): CrowdRecord => ({
  canary: `call-${sentAt}`,
  kind: 'record',
  sentAt,
  answeredAt: sentAt + tookMs,
  answers: 1,
  foreign: 0,
  outcome: 'result',
  ...more,
})
const refused = { outcome: 'overloaded', retryAfterMs: 1_000 }

describe('the figures of an overload', () => {
  it('count as goodput the results that came within the time, whenever they were asked for', () => {
    const calls = [call(0, 999), call(0, 1_000), call(500, 1_499), call(1_000, 1_000), call(1_500, 10, refused)]
    expect(goodputOf(calls, { from: 1_000, to: 2_000 })).toBe(2)
    expect(goodputOf(calls, { from: 1_000, to: 3_000 })).toBe(1.5)
  })

  it('tell proper refusals from every other failure', () => {
    const lost = call(3, 5, { outcome: 'lost' })
    const mute = call(4, 5, { outcome: 'overloaded' })
    const { count, ms, improper } = refusalsOf([call(1, 900), call(2, 7, refused), lost, mute])
    expect({ count, slowest: ms.max, improper }).toEqual({ count: 1, slowest: 7, improper: [lost, mute] })
  })

  it('cut a time into windows, by when calls were sent', () => {
    const calls = [call(0, 10), call(99, 30), call(100, 20), call(150, 1, refused), call(200, 99)]
    const windows = windowsOf(calls, { from: 0, to: 200 }, 2)
    expect(windows).toEqual([
      { p50: 30, p99: 30, max: 30 },
      { p50: 20, p99: 20, max: 20 },
    ])
  })

  it('hold the median window afterwards against the worst before, and a tenth', () => {
    const windows = [10, 40, 20].map((ms) => ({ p50: ms, p99: ms * 2, max: ms * 3 }))
    expect(latencyGoal(windows, 'p50')).toBeCloseTo(44)
    expect(latencyGoal(windows, 'p99')).toBeCloseTo(88)
    expect(medianOf(windows, 'p99')).toBe(40)
  })
})

describe('what a refusal tells its agent to wait', () => {
  it('is beside the text for models, or in what programs read', () => {
    const error = { code: 'overloaded', retryAfterMs: 1_000 }
    expect(retryAfterOf({ result: { isError: true, structuredContent: { error } } })).toBe(1_000)
    expect(retryAfterOf({ result: { isError: true, _meta: { 'callboard/error': error } } })).toBe(1_000)
  })

  it('is nothing in a result, in a failure that does not say it, and in an error of the protocol', () => {
    expect(retryAfterOf({ result: { structuredContent: { error: { retryAfterMs: 1 } } } })).toBeUndefined()
    expect(retryAfterOf({ result: { isError: true, content: [] } })).toBeUndefined()
    expect(retryAfterOf({ error: { code: -32000, message: 'no' } })).toBeUndefined()
  })
})
