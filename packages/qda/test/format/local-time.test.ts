import fc from 'fast-check'
import { expect, it } from 'vitest'
import { localTime, timeOfLocal } from '../../src/format/local-time.js'

const utc = (text: string) => Date.parse(`${text}Z`)

it('is the time on the wall of the zone', () => {
  expect(localTime(utc('2026-03-02T23:30:05'), 'Europe/Berlin')).toBe('2026-03-03 00:30:05')
  expect(localTime(utc('2026-07-02T00:00:00'), 'UTC')).toBe('2026-07-02 00:00:00')
  expect(localTime(utc('2026-07-02T00:00:00.999'), 'Asia/Kathmandu')).toBe('2026-07-02 05:45:00')
})

it('reads back what it wrote, except in the hour that a clock shows twice', () => {
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia', undefined)
  const times = fc.integer({ min: utc('1990-01-01T00:00:00') / 1000, max: utc('2090-01-01T00:00:00') / 1000 })
  fc.assert(
    fc.property(times, zones, (seconds, zone) => {
      const back = timeOfLocal(localTime(seconds * 1000, zone), zone)
      expect(localTime(back ?? 0, zone)).toBe(localTime(seconds * 1000, zone))
      expect([0, 3_600_000, 86_400_000]).toContain(seconds * 1000 - (back ?? 0))
    }),
  )
})

it('takes the first of two hours of the same name, and an hour that was left out as one later', () => {
  expect(timeOfLocal('2026-10-25 02:30:00', 'Europe/Berlin')).toBe(utc('2026-10-25T00:30:00'))
  expect(timeOfLocal('2026-03-29 02:30:00', 'Europe/Berlin')).toBe(utc('2026-03-29T01:30:00'))
})

it.each(['', '2026-13-01 00:00:00', '2026-02-30 00:00:00', '2026-01-01', '01/02/2026', '2026-01-01 24:00:00', 'NULL'])(
  'is null for what is no such text: %j',
  (text) => {
    expect(timeOfLocal(text, 'UTC')).toBeNull()
  },
)
