import { expect, it } from 'vitest'
import { isTimeZoneName } from '../src/time-zone-name.js'

it.each(['UTC', 'Europe/Paris', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5', 'EST5EDT', 'US/Eastern'])(
  '%s is the name of a time zone',
  (name) => expect(isTimeZoneName(name)).toBe(true),
)

it.each([
  '',
  'EST5EDT,M3',
  'IST-2',
  '+05:30',
  'UTC+2',
  'Mars/X',
  'SystemV/PST8',
  ':Europe/Paris',
  'Europe/Paris ',
  'Z',
])('%j is none', (name) => expect(isTimeZoneName(name)).toBe(false))
