import { describe, expect, it } from 'vitest'
import { jitterMax, jitterOf } from '../../src/schedule/jitter.js'
import type { Schedule } from '../../src/schedule/schedule.js'

const cron = (pattern: string): Schedule => ({ type: 'cron', pattern, timeZone: 'America/New_York' })
const now = Date.parse('2026-03-02T12:00:00Z')

describe('jitterOf', () => {
  it('is none without jitter', () => expect(jitterOf('task_a', now, 0)).toBe(0))

  it('is the same for the same slot, below the limit, and spread over it', () => {
    const delays = Array.from({ length: 1_000 }, (_, index) => jitterOf('task_a', now + index * 60_000, 30_000))
    expect(delays.every((ms) => Number.isInteger(ms) && ms >= 0 && ms < 30_000)).toBe(true)
    expect(jitterOf('task_a', now, 30_000)).toBe(delays[0])
    for (const third of [0, 1, 2]) {
      const inThird = delays.filter((ms) => Math.floor(ms / 10_000) === third).length
      expect(inThird).toBeGreaterThan(250)
    }
  })

  it('differs between tasks of one slot', () => {
    expect(jitterOf('task_a', now, 3_600_000)).not.toBe(jitterOf('task_b', now, 3_600_000))
  })
})

describe('jitterMax', () => {
  it.each([
    [cron('*/10 * * * *'), 300_000],
    [cron('0,5 9 * * *'), 150_000],
    [cron('0 9 * * *'), 3_600_000],
    [cron('0 0 29 2 *'), 3_600_000],
    [{ type: 'interval', everyMs: 60_001, anchor: 0, timeZone: 'UTC' } as const, 30_000],
    [{ type: 'once', at: now + 1, timeZone: 'UTC' } as const, 3_600_000],
    [{ type: 'once', at: now, timeZone: 'UTC' } as const, 3_600_000],
  ])('of %j is %i', (schedule, ms) => expect(jitterMax(schedule, now)).toBe(ms))

  it('looks at ten gaps: the next ten, no more', () => {
    // From noon on: nine hours, then the gap of a minute at 21:00 is the tenth.
    expect(jitterMax(cron('0,1 12-20,21 * * *'), now)).toBe(30_000)
    const evening = Date.parse('2026-03-02T17:30:00Z')
    expect(jitterMax({ type: 'cron', pattern: '0 0-10,12 * * *', timeZone: 'UTC' }, evening)).toBe(1_800_000)
  })
})
