import { describe, expect, it } from 'vitest'
import { planFires } from '../../src/schedule/missed.js'
import { nextOccurrence } from '../../src/schedule/occurrences.js'
import type { MissedPolicy, Schedule } from '../../src/schedule/schedule.js'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const start = Date.parse('2026-06-01T00:00:00Z')
const graceMs = minute
const cron = (pattern: string): Schedule => ({ type: 'cron', pattern, timeZone: 'UTC' })
const every = (everyMs: number): Schedule => ({ type: 'interval', everyMs, anchor: start - everyMs, timeZone: 'UTC' })
const hourly = cron('0 * * * *')
const plan = (schedule: Schedule, now: number, missed: MissedPolicy, from = start) =>
  planFires(schedule, from, now, { missed, graceMs })
const hours = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => start + (first + index) * hour)

describe('a slot within the grace', () => {
  it.each(['latest', 'skip', 'all'] as const)('is on time under %s', (missed) => {
    for (const lateMs of [0, 1, graceMs]) {
      expect(plan(hourly, start + lateMs, missed)).toEqual({
        run: [{ slot: start, lateMs: 0 }],
        missed: [],
        next: start + hour,
      })
    }
  })

  it('is no longer on time 1 ms later', () => {
    expect(plan(hourly, start + graceMs + 1, 'skip')).toEqual({ run: [], missed: [start], next: start + hour })
    expect(plan(hourly, start + graceMs + 1, 'latest').run).toEqual([{ slot: start, lateMs: graceMs + 1 }])
  })
})

describe('a slot that is not due', () => {
  it('stays the next one, also when the clock went back', () => {
    const far = start + 60 * day
    const once: Schedule = { type: 'once', at: far, timeZone: 'UTC' }
    for (const now of [start, start - 2 * hour, start + 2 * day, far - 1]) {
      expect(planFires(once, far, now, { missed: 'latest', graceMs })).toEqual({ run: [], missed: [], next: far })
    }
    expect(planFires(once, far, far, { missed: 'latest', graceMs })).toEqual({
      run: [{ slot: far, lateMs: 0 }],
      missed: [],
      next: undefined,
    })
  })
})

describe('three days down, with a slot each hour', () => {
  const now = start + 3 * day + 30 * minute

  it('latest runs the newest, late', () => {
    expect(plan(hourly, now, 'latest')).toEqual({
      run: [{ slot: start + 72 * hour, lateMs: 30 * minute }],
      missed: hours(0, 71),
      next: start + 73 * hour,
    })
  })

  it('skip runs none', () => {
    expect(plan(hourly, now, 'skip')).toEqual({ run: [], missed: hours(0, 72), next: start + 73 * hour })
  })

  it('all runs the oldest 24, oldest first', () => {
    const { run, missed, next } = plan(hourly, now, 'all')
    expect(run).toEqual(hours(0, 23).map((slot) => ({ slot, lateMs: now - slot })))
    expect(missed).toEqual(hours(24, 72))
    expect(next).toBe(start + 73 * hour)
  })
})

describe('three days down, and back within the grace of a slot', () => {
  const now = start + 3 * day + 20_000
  const onTime = { slot: start + 72 * hour, lateMs: 0 }

  it('latest runs that slot, on time, and nothing late beside it', () => {
    expect(plan(hourly, now, 'latest')).toEqual({ run: [onTime], missed: hours(0, 71), next: start + 73 * hour })
  })

  it('skip runs that slot', () => {
    expect(plan(hourly, now, 'skip')).toEqual({ run: [onTime], missed: hours(0, 71), next: start + 73 * hour })
  })

  it('all runs it after the late ones', () => {
    const { run, missed } = plan(hourly, now, 'all')
    expect(run).toEqual([...hours(0, 23).map((slot) => ({ slot, lateMs: now - slot })), onTime])
    expect(missed).toEqual(hours(24, 71))
  })
})

describe('the window of seven days', () => {
  it('keeps older slots from being run', () => {
    const now = start + 10 * day + 30 * minute
    expect(plan(cron('0 0 1 * *'), now, 'latest')).toMatchObject({ run: [], missed: [start] })
    const { run, missed } = plan(hourly, now, 'all')
    expect(run[0]).toEqual({ slot: start + 73 * hour, lateMs: now - start - 73 * hour })
    expect(run).toHaveLength(24)
    expect(missed).toHaveLength(100)
  })

  it('holds a slot that is exactly as old', () => {
    const daily = cron('0 0 * * *')
    expect(plan(daily, start + 7 * day, 'all').run[0]).toEqual({ slot: start, lateMs: 7 * day })
    expect(plan(daily, start + 7 * day + 1, 'all').run[0]).toEqual({ slot: start + day, lateMs: 6 * day + 1 })
  })
})

describe('more missed slots than rows', () => {
  it('the newest are listed, all others are told in one', () => {
    const now = start + 5 * day + 30 * minute
    expect(plan(hourly, now, 'skip')).toEqual({
      run: [],
      missed: hours(21, 120),
      missedMore: { count: 21, from: start, to: start + 20 * hour, isCountExact: true },
      next: start + 121 * hour,
    })
  })

  it('slots before the window are counted with them', () => {
    const now = start + 20 * day + 30 * minute
    const { missed, missedMore } = plan(hourly, now, 'latest')
    expect(missed).toEqual(hours(380, 479))
    expect(missedMore).toEqual({ count: 380, from: start, to: start + 379 * hour, isCountExact: true })
  })

  it('daily slots of a month are all listed', () => {
    const { run, missed, missedMore } = plan(cron('0 0 * * *'), start + 30 * day + hour, 'latest')
    expect(run).toEqual([{ slot: start + 30 * day, lateMs: hour }])
    expect(missed).toHaveLength(30)
    expect(missedMore).toBeUndefined()
  })
})

describe('a year down, with a slot each minute', () => {
  const now = start + 365 * day + 30_000

  it('an interval is counted by arithmetic', () => {
    expect(plan(every(minute), now, 'skip')).toEqual({
      run: [{ slot: start + 365 * day, lateMs: 0 }],
      missed: Array.from({ length: 100 }, (_, index) => start + 365 * day - (100 - index) * minute),
      missedMore: { count: 365 * 1440 - 100, from: start, to: start + 365 * day - 101 * minute, isCountExact: true },
      next: start + 365 * day + minute,
    })
  })

  it('a cron pattern is counted in the window, and told as at least', () => {
    const { run, missed, missedMore } = plan(cron('* * * * *'), now, 'latest')
    expect(run).toEqual([{ slot: start + 365 * day, lateMs: 0 }])
    expect(missed.at(-1)).toBe(start + 365 * day - minute)
    expect(missedMore).toMatchObject({ from: start, to: start + 365 * day - 101 * minute, isCountExact: false })
    expect(missedMore?.count).toBeGreaterThanOrEqual(7 * 1440 - 101)
  })
})

describe('once', () => {
  const once: Schedule = { type: 'once', at: start, timeZone: 'UTC' }

  it.each(['latest', 'all'] as const)('runs however late under %s', (missed) => {
    expect(plan(once, start + 100 * day, missed)).toEqual({
      run: [{ slot: start, lateMs: 100 * day }],
      missed: [],
      next: undefined,
    })
  })

  it('is missed under skip', () => {
    expect(plan(once, start + 2 * minute, 'skip')).toEqual({ run: [], missed: [start], next: undefined })
    expect(plan(once, start + minute, 'skip').run).toEqual([{ slot: start, lateMs: 0 }])
  })
})

describe('a grace that holds many slots', () => {
  it('runs the newest 24 on time', () => {
    const now = start + day
    const { run, missed } = planFires(every(minute), start, now, { missed: 'latest', graceMs: day })
    expect(run).toEqual(Array.from({ length: 24 }, (_, index) => ({ slot: now - (23 - index) * minute, lateMs: 0 })))
    expect(missed).toHaveLength(100)
  })
})

describe('every slot', () => {
  it.each(['latest', 'skip', 'all'] as const)('is run, listed or counted, once, under %s', (missed) => {
    for (const schedule of [hourly, every(50 * minute), cron('*/20 9-17 * * 1-5'), cron('0 3 */2 * *')]) {
      const from = nextOccurrence(schedule, start - 1)!
      for (const down of [0, 30_000, hour, 3 * day, 6.99 * day, 8 * day, 30 * day]) {
        const now = from + down
        const planned = plan(schedule, now, missed, from)
        const told = [...planned.run.map(({ slot }) => slot), ...planned.missed]
        expect(new Set(told).size).toBe(told.length)
        expect(told.length + (planned.missedMore?.count ?? 0)).toBe(countSlots(schedule, from, now))
        expect(planned.next).toBe(nextOccurrence(schedule, now))
      }
    }
  })
})

function countSlots(schedule: Schedule, from: number, now: number): number {
  let count = 0
  for (let slot: number | undefined = from; slot !== undefined && slot <= now; slot = nextOccurrence(schedule, slot)) {
    count += 1
  }
  return count
}
