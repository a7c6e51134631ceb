import { describe, expect, it } from 'vitest'
import { describeFires, firesPerDay, fireWarnings } from '../../src/schedule/fires.js'
import type { Schedule } from '../../src/schedule/schedule.js'

const cron = (pattern: string, timeZone = 'America/New_York'): Schedule => ({ type: 'cron', pattern, timeZone })
const every = (everyMs: number): Schedule => ({ type: 'interval', everyMs, anchor: 0, timeZone: 'Europe/Paris' })
const at = (text: string) => Date.parse(text)
const summer = at('2026-06-01T00:00:00Z')

describe('describeFires', () => {
  it('shows the next three, local and UTC', () => {
    expect(describeFires(cron('30 9 * * 1-5'), at('2026-03-05T12:00:00Z'))).toEqual([
      { local: '2026-03-05T09:30:00', utc: '2026-03-05T14:30:00Z' },
      { local: '2026-03-06T09:30:00', utc: '2026-03-06T14:30:00Z' },
      { local: '2026-03-09T09:30:00', utc: '2026-03-09T13:30:00Z' },
    ])
  })

  it('shows fewer where fewer exist', () => {
    const once: Schedule = { type: 'once', at: summer, timeZone: 'Europe/Paris' }
    expect(describeFires(once, summer - 1)).toEqual([{ local: '2026-06-01T02:00:00', utc: '2026-06-01T00:00:00Z' }])
    expect(describeFires(once, summer)).toEqual([])
  })

  it('shows the ms of an interval that began between two seconds', () => {
    const odd: Schedule = { type: 'interval', everyMs: 60_000, anchor: 123, timeZone: 'UTC' }
    expect(describeFires(odd, 0, 1)).toEqual([{ local: '1970-01-01T00:01:00', utc: '1970-01-01T00:01:00.123Z' }])
  })

  const notes = (schedule: Schedule, after: string) =>
    describeFires(schedule, at(after)).map(({ local, note }) => [local, note])

  it('notes a fixed time that a gap has moved', () => {
    expect(notes(cron('30 2 * * *'), '2026-03-07T12:00:00Z')).toEqual([
      ['2026-03-08T03:00:00', expect.stringMatching(/2026-03-08T02:30:00 does not exist; .* first time that does/)],
      ['2026-03-09T02:30:00', undefined],
      ['2026-03-10T02:30:00', undefined],
    ])
  })

  it('notes times that a gap has swallowed, at the fire after them', () => {
    expect(notes(cron('*/30 2 * * *'), '2026-03-07T12:00:00Z')[0]).toEqual([
      '2026-03-09T02:00:00',
      expect.stringMatching(/from 2026-03-08T02:00:00 to 2026-03-08T03:00:00, so 2026-03-08T02:00:00 .* left out/),
    ])
  })

  it('notes both passes, or that there is one only', () => {
    expect(notes(cron('0,30 1 1 * *'), '2026-10-31T12:00:00Z')).toEqual([
      ['2026-11-01T01:00:00', expect.stringMatching(/both times/)],
      ['2026-11-01T01:30:00', expect.stringMatching(/both times/)],
      ['2026-11-01T01:00:00', expect.stringMatching(/both times/)],
    ])
    expect(notes(cron('30 1 * * *'), '2026-10-31T12:00:00Z')[0]?.[1]).toEqual(expect.stringMatching(/first time/))
  })

  it('notes nothing beside a change', () => {
    for (const pattern of ['0 3 * * *', '59 1 * * *', '0 * 7 3 *']) {
      expect(notes(cron(pattern), '2026-03-07T12:00:00Z').every(([, note]) => note === undefined)).toBe(true)
    }
    expect(notes(cron('0 2 * * *'), '2026-10-31T12:00:00Z').every(([, note]) => note === undefined)).toBe(true)
    expect(notes(every(3_600_000), '2026-03-28T23:30:00Z').every(([, note]) => note === undefined)).toBe(true)
  })
})

describe('firesPerDay', () => {
  it.each([
    [cron('0 9 * * *'), 1],
    [cron('*/15 * * * *'), 96],
    [cron('* * * * *'), 1440],
    [cron('0 9 * * 1-5'), 0.71],
    [cron('*/10 9-17 * * 1'), 7.71],
    [cron('0 0 1 * *'), 0.033],
    [cron('0 0 4 7 *'), 0.0027],
    [cron('0 0 29 2 *'), 0],
    [every(3_600_000), 24],
    [every(7 * 24 * 3_600_000), 0.14],
    [{ type: 'once', at: summer + 1, timeZone: 'UTC' } as const, 1],
    [{ type: 'once', at: summer, timeZone: 'UTC' } as const, 0],
  ])('of %j is %f', (schedule, fires) => expect(firesPerDay(schedule, summer)).toBe(fires))
})

describe('fireWarnings', () => {
  it.each([cron('0 * * * *'), cron('0 9 * * *'), every(3_600_000)])('has none for %j', (schedule) =>
    expect(fireWarnings(schedule, summer)).toEqual([]),
  )

  it.each([
    [cron('*/30 * * * *'), /fires 48 times a day/],
    [cron('*/10 9-17 * * 1'), /fires 54 times a day/],
    [every(3_599_000), /fires 24\.01 times a day/],
  ])('has one above 24 fires a day: %j', (schedule, text) =>
    expect(fireWarnings(schedule, summer)).toEqual([expect.stringMatching(text)]),
  )

  it('has one for a shown fire that a clock change touches', () => {
    expect(fireWarnings(cron('30 2 * * *'), at('2026-03-06T12:00:00Z'))).toEqual([
      expect.stringMatching(/^The fire of 2026-03-08T03:00:00 \(America\/New_York\): the clocks are set/),
    ])
  })
})
