import { expect, it } from 'vitest'
import { nextPostTime, nextThreadTime } from '../../src/autopilot/preferred-times.js'
import { parseSocialConfig } from '../../src/config.js'

// 2026-03-02 is a Monday.
const schedule = (keys: object) => parseSocialConfig({ schedule: keys }).schedule
const text = (time: number | undefined) => (time === undefined ? undefined : new Date(time).toISOString())
const noon = Date.parse('2026-03-02T12:00:00Z')

it('is the next of the preferred times, on the clock on the wall of the zone', () => {
  const paris = schedule({ timezone: 'Europe/Paris', preferred_times: ['09:30', '18:00'] })
  expect(text(nextPostTime(paris, noon))).toBe('2026-03-02T17:00:00.000Z')
  expect(text(nextPostTime(paris, Date.parse('2026-03-02T17:00:00Z')))).toBe('2026-03-03T08:30:00.000Z')
  // Summer begins in the night.
  expect(text(nextPostTime(paris, Date.parse('2026-03-28T20:00:00Z')))).toBe('2026-03-29T07:30:00.000Z')
})

it('is on an active day', () => {
  const days = schedule({ preferred_times: ['09:00'], active_days: ['thu'] })
  expect(text(nextPostTime(days, noon))).toBe('2026-03-05T09:00:00.000Z')
})

it('is nothing where nothing is preferred', () => {
  expect(nextPostTime(schedule({}), noon)).toBeUndefined()
  expect(nextThreadTime(schedule({}), noon)).toBeUndefined()
})

it('of a thread is its day and time, or what is said of the two', () => {
  const both = schedule({ thread_preferred_day: 'wed', thread_preferred_time: '10:15' })
  expect(text(nextThreadTime(both, noon))).toBe('2026-03-04T10:15:00.000Z')
  expect(text(nextThreadTime(schedule({ thread_preferred_day: 'mon' }), noon))).toBe('2026-03-09T08:00:00.000Z')
  expect(text(nextThreadTime(schedule({ thread_preferred_time: '11:00' }), noon))).toBe('2026-03-03T11:00:00.000Z')
})
