import { describe, expect, it } from 'vitest'
import { nextOccurrence } from '../../src/schedule/occurrences.js'
import type { Schedule } from '../../src/schedule/schedule.js'
import { localTime } from '../../src/schedule/zones.js'

const cron = (pattern: string, timeZone: string): Schedule => ({ type: 'cron', pattern, timeZone })

function occurrences(schedule: Schedule, after: string, count: number): number[] {
  const found: number[] = []
  let next = nextOccurrence(schedule, Date.parse(after))
  while (next !== undefined && found.length < count) {
    found.push(next)
    next = nextOccurrence(schedule, next)
  }
  return found
}

const inUtc = (instants: readonly number[]) => instants.map((at) => new Date(at).toISOString().slice(0, 16))
const inZone = (instants: readonly number[], timeZone: string) =>
  instants.map((at) => localTime(at, timeZone).slice(0, 16))

describe('New York, where 8 March 2026 has no 02:00 to 03:00 and 1 November has 01:00 to 02:00 twice', () => {
  const zone = 'America/New_York'
  const beforeGap = '2026-03-07T12:00:00Z'
  const beforeRepeat = '2026-10-31T12:00:00Z'

  it('a fixed time in the gap runs at the first valid instant', () => {
    expect(inZone(occurrences(cron('30 2 * * *', zone), beforeGap, 2), zone)).toEqual([
      '2026-03-08T03:00',
      '2026-03-09T02:30',
    ])
  })

  it('a fixed time that comes twice runs the first time', () => {
    expect(inUtc(occurrences(cron('30 1 * * *', zone), beforeRepeat, 2))).toEqual([
      '2026-11-01T05:30',
      '2026-11-02T06:30',
    ])
  })

  it('a fixed time does not run the second time either when asked between the two', () => {
    expect(inUtc(occurrences(cron('30 1 * * *', zone), '2026-11-01T06:10:00Z', 1))).toEqual(['2026-11-02T06:30'])
  })

  it('times of a list, range or step are dropped in the gap', () => {
    expect(inZone(occurrences(cron('*/15 2 * * *', zone), beforeGap, 1), zone)).toEqual(['2026-03-09T02:00'])
    expect(inZone(occurrences(cron('30 2,14 * * *', zone), beforeGap, 2), zone)).toEqual([
      '2026-03-07T14:30',
      '2026-03-08T14:30',
    ])
    expect(inZone(occurrences(cron('0 */2 * * *', zone), '2026-03-08T04:30:00Z', 2), zone)).toEqual([
      '2026-03-08T00:00',
      '2026-03-08T04:00',
    ])
  })

  it('times of a list, range or step run in both passes', () => {
    expect(inUtc(occurrences(cron('*/30 * * * *', zone), '2026-11-01T04:59:00Z', 5))).toEqual([
      '2026-11-01T05:00',
      '2026-11-01T05:30',
      '2026-11-01T06:00',
      '2026-11-01T06:30',
      '2026-11-01T07:00',
    ])
    expect(inUtc(occurrences(cron('5,35 1 * * *', zone), beforeRepeat, 5))).toEqual([
      '2026-11-01T05:05',
      '2026-11-01T05:35',
      '2026-11-01T06:05',
      '2026-11-01T06:35',
      '2026-11-02T06:05',
    ])
  })
})

describe('zones whose clocks are set in other ways', () => {
  it('Lord Howe, by half an hour', () => {
    const zone = 'Australia/Lord_Howe'
    expect(inZone(occurrences(cron('15 2 * * *', zone), '2026-10-03T12:00:00Z', 2), zone)).toEqual([
      '2026-10-04T02:30',
      '2026-10-05T02:15',
    ])
    expect(inUtc(occurrences(cron('45 1 * * *', zone), '2026-04-04T12:00:00Z', 2))).toEqual([
      '2026-04-04T14:45',
      '2026-04-05T15:15',
    ])
    expect(inUtc(occurrences(cron('*/15 1 * * *', zone), '2026-04-04T12:00:00Z', 6))).toEqual([
      '2026-04-04T14:00',
      '2026-04-04T14:15',
      '2026-04-04T14:30',
      '2026-04-04T14:45',
      '2026-04-04T15:00',
      '2026-04-04T15:15',
    ])
  })

  it.each([
    ['Asia/Beirut', '2026-03-28T12:00:00Z', '2026-03-29T01:00'],
    ['America/Havana', '2026-03-07T12:00:00Z', '2026-03-08T01:00'],
    ['America/Santiago', '2026-09-05T12:00:00Z', '2026-09-06T01:00'],
    ['Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-24T01:00'],
    ['America/Sao_Paulo', '2018-11-03T12:00:00Z', '2018-11-04T01:00'],
  ])('%s has a day without midnight: its fixed times run at one', (zone, after, local) => {
    for (const pattern of ['0 0 * * *', '30 0 * * *']) {
      expect(inZone(occurrences(cron(pattern, zone), after, 1), zone)).toEqual([local])
    }
  })

  it('Havana has midnight twice, Cairo the hour before it', () => {
    expect(inUtc(occurrences(cron('0 0 * * *', 'America/Havana'), '2026-10-31T12:00:00Z', 2))).toEqual([
      '2026-11-01T04:00',
      '2026-11-02T05:00',
    ])
    expect(inUtc(occurrences(cron('30 23 * * *', 'Africa/Cairo'), '2026-10-29T12:00:00Z', 2))).toEqual([
      '2026-10-29T20:30',
      '2026-10-30T21:30',
    ])
    expect(inUtc(occurrences(cron('0,30 23 * * 4', 'Africa/Cairo'), '2026-10-29T12:00:00Z', 4))).toEqual([
      '2026-10-29T20:00',
      '2026-10-29T20:30',
      '2026-10-29T21:00',
      '2026-10-29T21:30',
    ])
  })
})

describe('days', () => {
  const dates = (pattern: string, count: number) =>
    inUtc(occurrences(cron(pattern, 'UTC'), '2026-03-01T00:00:00Z', count)).map((text) => text.slice(0, 10))

  it('match by either field where day of month and day of week are both restricted', () => {
    expect(dates('0 9 13 * 5', 4)).toEqual(['2026-03-06', '2026-03-13', '2026-03-20', '2026-03-27'])
    expect(dates('0 9 10 * 5', 3)).toEqual(['2026-03-06', '2026-03-10', '2026-03-13'])
  })

  it('may be the last, the nearest weekday, the nth weekday', () => {
    expect(dates('0 9 L * *', 2)).toEqual(['2026-03-31', '2026-04-30'])
    expect(dates('0 9 15W * *', 2)).toEqual(['2026-03-16', '2026-04-15'])
    expect(dates('0 9 LW 5 *', 1)).toEqual(['2026-05-29'])
    expect(dates('0 9 * * 1#2', 2)).toEqual(['2026-03-09', '2026-04-13'])
    expect(dates('0 9 * * 5L', 2)).toEqual(['2026-03-27', '2026-04-24'])
  })

  it('may be years apart', () => {
    expect(dates('0 9 29 2 *', 2)).toEqual(['2028-02-29', '2032-02-29'])
    expect(dates('0 0 31 2 1#5', 3)).toEqual(['2044-02-29', '2072-02-29', '2112-02-29'])
  })
})

describe('zones', () => {
  it('belong to the schedule: the same pattern in two of them is two times', () => {
    const next = (zone: string) => inUtc(occurrences(cron('0 9 * * *', zone), '2026-07-01T00:00:00Z', 1))
    expect(next('Europe/Paris')).toEqual(['2026-07-01T07:00'])
    expect(next('Asia/Kathmandu')).toEqual(['2026-07-01T03:15'])
  })
})

describe('an interval', () => {
  const anchor = Date.parse('2026-03-02T12:00:00.123Z')
  const hourly: Schedule = { type: 'interval', everyMs: 3_600_000, anchor, timeZone: 'America/New_York' }

  it('fires one period after its anchor first, however early one asks', () => {
    expect(nextOccurrence(hourly, anchor)).toBe(anchor + 3_600_000)
    expect(nextOccurrence(hourly, anchor - 10 * 3_600_000)).toBe(anchor + 3_600_000)
  })

  it('is elapsed time, whatever clocks do', () => {
    const fires = occurrences(hourly, '2026-03-08T04:30:00Z', 5)
    expect(fires.map((at, index) => at - (fires[index - 1] ?? at - 3_600_000))).toEqual(Array(5).fill(3_600_000))
  })

  it('does not drift over 10,000 fires, each asked for at some time after the one before', () => {
    let now = anchor
    for (let fire = 1; fire <= 10_000; fire += 1) {
      const slot = nextOccurrence(hourly, now)
      expect(slot).toBe(anchor + fire * 3_600_000)
      // A run takes up to nearly a period.
      now = slot! + ((fire * 7_919_000) % 3_600_000)
    }
  })
})

describe('once', () => {
  const once: Schedule = { type: 'once', at: 1_000, timeZone: 'UTC' }

  it('fires at its time, and then no more', () => {
    expect(nextOccurrence(once, 999)).toBe(1_000)
    expect(nextOccurrence(once, 1_000)).toBeUndefined()
  })
})
