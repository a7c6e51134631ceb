import { describe, expect, it } from 'vitest'
import { localMinute, localTime, systemTimeZone, timeZoneName } from '../../src/schedule/zones.js'

describe('timeZoneName', () => {
  it.each([
    'UTC',
    'Europe/Paris',
    'America/Argentina/Buenos_Aires',
    'Asia/Kolkata',
    'Etc/GMT+5',
    'EST5EDT',
    'US/Eastern',
  ])('%s is one', (name) => expect(timeZoneName(name)).toBeDefined())

  it.each([
    '',
    'EST5EDT,M3',
    'IST-2',
    '+05:30',
    'UTC+2',
    'Mars/X',
    'IST',
    'SystemV/PST8',
    ':Europe/Paris',
    'Europe/Paris ',
    'Z',
  ])('%j is none', (name) => expect(timeZoneName(name)).toBeUndefined())
})

describe('systemTimeZone', () => {
  it('is SCHEDULER_TZ, else TZ, else what Intl says', () => {
    const intl = 'Asia/Tokyo'
    expect(systemTimeZone({ configured: 'Europe/Paris', tz: 'Asia/Kathmandu', intl })).toEqual({
      timeZone: 'Europe/Paris',
    })
    expect(systemTimeZone({ tz: 'Asia/Kathmandu', intl })).toEqual({ timeZone: 'Asia/Kathmandu' })
    expect(systemTimeZone({ tz: ':Asia/Kathmandu', intl })).toEqual({ timeZone: 'Asia/Kathmandu' })
    expect(systemTimeZone({ intl })).toEqual({ timeZone: 'Asia/Tokyo' })
    expect(systemTimeZone({ tz: '', intl })).toEqual({ timeZone: 'Asia/Tokyo' })
  })

  it.each([
    [{ tz: 'EST5EDT,M3.2.0,M11.1.0', intl: 'America/New_York' }, /time zone of TZ, "EST5EDT,M3/],
    [{ tz: 'IST-2', intl: 'Asia/Jerusalem' }, /IST-2/],
    [{ configured: 'Mars/X', tz: 'Europe/Paris', intl: 'UTC' }, /SCHEDULER_TZ, "Mars\/X"/],
    [{ intl: 'Etc/Unknown' }, /the system/],
  ])('of %j is UTC, with a warning', (sources, warning) => {
    expect(systemTimeZone(sources)).toEqual({ timeZone: 'UTC', warning: expect.stringMatching(warning) })
  })
})

describe('local time', () => {
  const instant = Date.parse('2026-07-01T22:30:15.500Z')

  it('is what the clocks of the zone show', () => {
    expect(localTime(instant, 'UTC')).toBe('2026-07-01T22:30:15')
    expect(localTime(instant, 'Asia/Kathmandu')).toBe('2026-07-02T04:15:15')
    expect(localTime(instant, 'America/St_Johns')).toBe('2026-07-01T20:00:15')
    expect(localMinute(instant, 'Europe/Paris')).toBe('2026-07-02 00:30')
  })

  it('is right at both ends of a year and at the instant of a change', () => {
    expect(localTime(Date.parse('2026-12-31T23:59:59Z'), 'Pacific/Kiritimati')).toBe('2027-01-01T13:59:59')
    expect(localTime(Date.parse('2027-01-01T00:00:00Z'), 'America/New_York')).toBe('2026-12-31T19:00:00')
    expect(localTime(Date.parse('2026-03-08T06:59:59Z'), 'America/New_York')).toBe('2026-03-08T01:59:59')
    expect(localTime(Date.parse('2026-03-08T07:00:00Z'), 'America/New_York')).toBe('2026-03-08T03:00:00')
  })
})
