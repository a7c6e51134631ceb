import { expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { isActive } from '../../src/loops/active-hours.js'

const at = (time: string, schedule: object) => isActive(parseSocialConfig({ schedule }).schedule, Date.parse(time))

it('is active from the first hour to before the last one', () => {
  const usual = {}
  expect(at('2026-03-02T07:59:59Z', usual)).toBe(false)
  expect(at('2026-03-02T08:00:00Z', usual)).toBe(true)
  expect(at('2026-03-02T21:59:59Z', usual)).toBe(true)
  expect(at('2026-03-02T22:00:00Z', usual)).toBe(false)
})

it('goes by the clock on the wall of its zone, also over the change of clocks', () => {
  const paris = { timezone: 'Europe/Paris', active_hours_start: 9, active_hours_end: 17 }
  expect(at('2026-03-28T08:00:00Z', paris)).toBe(true)
  expect(at('2026-03-28T07:59:00Z', paris)).toBe(false)
  // The next day it is summer.
  expect(at('2026-03-29T07:00:00Z', paris)).toBe(true)
  expect(at('2026-03-29T15:00:00Z', paris)).toBe(false)
  const kathmandu = { timezone: 'Asia/Kathmandu' }
  expect(at('2026-03-02T02:14:00Z', kathmandu)).toBe(false)
  expect(at('2026-03-02T02:15:00Z', kathmandu)).toBe(true)
})

it('may wrap midnight; the hours behind it belong to the day before', () => {
  const nights = { active_hours_start: 22, active_hours_end: 6, active_days: ['mon'] }
  expect(at('2026-03-02T21:59:00Z', nights)).toBe(false)
  expect(at('2026-03-02T22:00:00Z', nights)).toBe(true)
  expect(at('2026-03-03T05:59:00Z', nights)).toBe(true)
  expect(at('2026-03-03T06:00:00Z', nights)).toBe(false)
  expect(at('2026-03-03T23:00:00Z', nights)).toBe(false)
  // Monday morning is Sunday's night.
  expect(at('2026-03-02T05:00:00Z', nights)).toBe(false)
  const sundayNights = { ...nights, active_days: ['sun'] }
  expect(at('2026-03-02T05:00:00Z', sundayNights)).toBe(true)
})

it('takes equal hours, and 0 to 24, for the whole day', () => {
  for (const hours of [
    { active_hours_start: 8, active_hours_end: 8 },
    { active_hours_start: 0, active_hours_end: 24 },
    { active_hours_start: 0, active_hours_end: 0 },
  ]) {
    expect(at('2026-03-02T00:00:00Z', hours)).toBe(true)
    expect(at('2026-03-02T23:59:00Z', hours)).toBe(true)
    expect(at('2026-03-02T23:59:00Z', { ...hours, active_days: ['tue'] })).toBe(false)
  }
})

it('rests on days that are not named', () => {
  expect(at('2026-03-02T12:00:00Z', { active_days: ['tue', 'wed'] })).toBe(false)
  expect(at('2026-03-03T12:00:00Z', { active_days: ['tue', 'wed'] })).toBe(true)
})
