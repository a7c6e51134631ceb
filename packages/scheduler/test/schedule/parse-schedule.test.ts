import { describe, expect, it } from 'vitest'
import { nextOccurrence } from '../../src/schedule/occurrences.js'
import { parseSchedule, type ScheduleInput } from '../../src/schedule/parse-schedule.js'

const now = Date.parse('2026-03-02T12:00:00Z')
const parse = (input: Partial<ScheduleInput> & Pick<ScheduleInput, 'type' | 'value'>) =>
  parseSchedule({ timeZone: 'America/New_York', now, minIntervalMs: 60_000, ...input })

function problemOf(input: Parameters<typeof parse>[0]) {
  const parsed = parse(input)
  if (!('problem' in parsed)) throw new Error(`${input.type} ${input.value} was accepted`)
  return { ...parsed.problem, text: `${parsed.problem.reason} ${parsed.problem.hint}` }
}

function parsedOf(input: Parameters<typeof parse>[0]) {
  const parsed = parse(input)
  if ('problem' in parsed) throw new Error(parsed.problem.reason)
  return parsed
}

describe('a cron pattern is refused', () => {
  it.each([
    ['', /exactly five fields; "" has 0/],
    ['   ', /exactly five fields; "" has 0/],
    ['* * *', /exactly five fields.*has 3/],
    ['* * * *', /exactly five fields.*has 4/],
    ['0 * * * * *', /exactly five fields.*has 6\..*no field for seconds/],
    ['@daily', /nickname.*exactly five fields.*Write 0 0 \* \* \* instead/],
    ['@DAILY', /Write 0 0 \* \* \* instead/],
    ['@hourly', /Write 0 \* \* \* \* instead/],
    ['@reboot', /nickname/],
    ['2026-05-01T10:00:00', /has a date in it.*schedule_type once/],
    ['2026-05-01 10 * * *', /has a date in it/],
    ['0 9 2026-05-01 * *', /has a date in it/],
    ['0 0 ? * 1', /field day of month, "\?", has "\?" in it.*Write \* for any value/],
    ['? * * * *', /field minute/],
    ['0 0 1 * +1', /field day of week, "\+1", has "\+" in it/],
    ['1.5 * * * *', /field minute, "1\.5", has "\." in it/],
    ['61 * * * *', /"61" is no minute: those are 0 to 59/],
    ['0 24 * * *', /"24" is no hour: those are 0 to 23/],
    ['0 0 32 * *', /"32" is no day of month: those are 1 to 31/],
    ['0 0 0 * *', /"0" is no day of month/],
    ['0 0 * 13 *', /"13" is no month: those are 1 to 12/],
    ['0 0 * * 8', /"8" is no day of week: those are 0 to 7/],
    ['007 * * * *', /"007" is no minute/],
    ['*/0 * * * *', /illegal stepping: 0\. A step is at least 1/],
    ['1/15 * * * *', /stepping with numeric prefix.*1-59\/15, or \*\/15/],
    ['22-2 * * * *', /From value is larger than to value: '22-2'\. Write a range that wraps as two: 22-59,0-2/],
    ['0 22-2 * * *', /Write a range that wraps as two: 22-23,0-2/],
    ['0 23-0 * * *', /Write a range that wraps as two: 23,0\./],
    ['*/70 * * * *', /steps cannot be greater/],
    ['1,,2 * * * *', /minute \(\) is empty/],
    ['H * * * *', /minute \(H\) contains illegal characters/],
    ['0 0 L-3 * *', /L has to be a value of its own/],
    ['0 0 * * L', /is no cron pattern/],
    ['0 0 * * 1#6', /nth weekday out of range/],
    ['0 0 * * MONDAY', /has to stand alone/],
    ['0\u00a09 * * *', /exactly five fields/],
    [`${'0,'.repeat(250)}0 * * * *`, /at most 500 characters/],
  ])('%j', (value, text) => {
    const problem = problemOf({ type: 'cron', value })
    expect(problem.parameter).toBe('schedule_value')
    expect(problem.text).toEqual(expect.stringMatching(text))
    expect(problem.text).not.toContain('CronPattern')
  })

  it.each(['0 0 31 2 *', '0 0 30 2 *', '0 0 31 4,6,9,11 *', '0 0 31W 2 *', '0 0 30-31 2 *'])(
    '%j, which never fires',
    (value) => expect(problemOf({ type: 'cron', value }).text).toEqual(expect.stringMatching(/never fires/)),
  )

  it('that names nothing but times that the zone skips each year', () => {
    const value = '0,30 2 * 3 0L'
    expect(problemOf({ type: 'cron', value, timeZone: 'Europe/Paris' }).reason).toEqual(
      expect.stringMatching(/never fires/),
    )
    expect(parsedOf({ type: 'cron', value, timeZone: 'UTC' }).warnings).toEqual([])
  })
})

describe('a cron pattern is accepted', () => {
  it.each([
    '* * * * *',
    '0 9 * * 1-5',
    '0 9 * jan,FEB mon-FRI',
    '0 0 L * *',
    '0 0 LW * *',
    '0 0 15W * *',
    '0 0 * * 5#2',
    '0 0 * * 5L',
    '0 0 29 2 *',
    '0 0 31 2 1#5',
  ])('%j', (value) =>
    expect(parsedOf({ type: 'cron', value }).schedule).toMatchObject({ type: 'cron', pattern: value }),
  )

  it('with one space between its fields', () => {
    const { schedule } = parsedOf({ type: 'cron', value: '  5\t4  * * * ' })
    expect(schedule).toEqual({ type: 'cron', pattern: '5 4 * * *', timeZone: 'America/New_York' })
  })
})

describe('an interval', () => {
  it.each(['', '10abc', '1e9', '0.5', '-5', '1h', '0', '060000', '+60000', ' 60000', '60000\n', '0x10', '６0000'])(
    '%j is refused: whole milliseconds',
    (value) => {
      const problem = problemOf({ type: 'interval', value })
      expect(problem.parameter).toBe('schedule_value')
      expect(problem.text).toEqual(expect.stringMatching(/whole milliseconds.*From 60000 to 31622400000 \(366 days\)/))
    },
  )

  it.each(['59999', '31622400001', '9'.repeat(400)])('%s is refused: out of range', (value) => {
    const problem = problemOf({ type: 'interval', value })
    expect(problem.text).toEqual(expect.stringMatching(/out of range.*From 60000 to 31622400000/))
    expect(problem.text.length).toBeLessThan(300)
  })

  it.each(['60000', '31622400000'])('%s is at the edge, and accepted', (value) => {
    const { schedule } = parsedOf({ type: 'interval', value })
    expect(schedule).toEqual({ type: 'interval', everyMs: Number(value), anchor: now, timeZone: 'America/New_York' })
  })

  it('counts from the anchor that is given', () => {
    expect(parsedOf({ type: 'interval', value: '60000', anchor: 5 }).schedule).toMatchObject({ anchor: 5 })
  })
})

describe('a time for once', () => {
  it.each([
    '2026-05-01',
    '2026-05-01T10:00',
    '2026-05-01 10:00:00',
    '2026-05-01t10:00:00',
    '2026-05-01T10:00:00.000',
    '26-05-01T10:00:00',
    '+002026-05-01T10:00:00',
    '2026-05-01T10:00:00\n',
    'tomorrow',
    '',
  ])('%j is refused, with an example', (value) => {
    expect(problemOf({ type: 'once', value }).text).toEqual(
      expect.stringMatching(/not of the form YYYY-MM-DDTHH:MM:SS.*2026-02-20T16:00:00/s),
    )
  })

  it.each([
    '2026-05-01T10:00:00Z',
    '2026-05-01T10:00:00z',
    '2026-05-01T10:00:00+02:00',
    '2026-05-01T10:00:00-0500',
    '2026-05-01T10:00:00+02',
    '2026-05-01T10:00:00.000Z',
    '2026-05-01T10:00Z',
    '2026-05-01T10:00:00+02:00[Europe/Paris]',
  ])('%j is refused: local time without a suffix', (value) => {
    expect(problemOf({ type: 'once', value }).text).toEqual(expect.stringMatching(/local time without one.*timezone/))
  })

  it.each([
    ['2026-02-31T10:00:00', /no such day as 2026-02-31/],
    ['2027-02-29T10:00:00', /no such day as 2027-02-29/],
    ['2026-13-01T10:00:00', /no such day as 2026-13-01/],
    ['2026-00-10T10:00:00', /no such day/],
    ['2026-05-01T24:00:00', /no such time as 24:00:00.*midnight is 00:00:00/],
    ['2026-05-01T10:60:00', /no such time as 10:60:00/],
    ['2026-05-01T10:00:60', /no such time as 10:00:60/],
    ['2026-06-30T23:59:60', /no such time as 23:59:60/],
  ])('%s is refused: it does not exist', (value, text) => {
    expect(problemOf({ type: 'once', value }).text).toEqual(expect.stringMatching(text))
  })

  it.each(['2026-03-02T06:59:59', '2026-03-02T07:00:00', '0001-01-01T00:00:00'])(
    '%s is refused as past, with the local time now',
    (value) => {
      expect(problemOf({ type: 'once', value }).text).toEqual(
        expect.stringMatching(/is past: it is 2026-03-02T07:00:00 in America\/New_York\. .*allow_past/),
      )
    },
  )

  it('is accepted as past with allow_past, and says that it runs at once', () => {
    const { schedule, warnings } = parsedOf({ type: 'once', value: '2026-03-02T06:00:00', allowPast: true })
    expect(schedule).toEqual({ type: 'once', at: Date.parse('2026-03-02T11:00:00Z'), timeZone: 'America/New_York' })
    expect(warnings).toEqual([expect.stringMatching(/past.*runs at once/)])
  })

  it('is local time of the zone', () => {
    expect(parsedOf({ type: 'once', value: '2026-07-01T10:00:00' })).toEqual({
      schedule: { type: 'once', at: Date.parse('2026-07-01T14:00:00Z'), timeZone: 'America/New_York' },
      warnings: [],
    })
  })

  it.each([
    ['America/New_York', '2026-03-08T02:30:00', '2026-03-08T07:00:00Z', /does not exist.*runs at 2026-03-08T03:00:00/],
    ['America/New_York', '2026-03-08T02:00:00', '2026-03-08T07:00:00Z', /does not exist.*runs at 2026-03-08T03:00:00/],
    ['Australia/Lord_Howe', '2026-10-04T02:15:00', '2026-10-03T15:30:00Z', /runs at 2026-10-04T02:30:00/],
    ['Asia/Beirut', '2026-03-29T00:10:00', '2026-03-28T22:00:00Z', /runs at 2026-03-29T01:00:00/],
    ['America/Santiago', '2026-09-06T00:59:59', '2026-09-06T04:00:00Z', /runs at 2026-09-06T01:00:00/],
  ])('in a gap runs at the first valid instant: %s %s', (timeZone, value, at, warning) => {
    const parsed = parsedOf({ type: 'once', value, timeZone })
    expect(parsed.schedule).toMatchObject({ at: Date.parse(at) })
    expect(parsed.warnings).toEqual([expect.stringMatching(warning)])
  })

  it.each([
    ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00Z'],
    ['Australia/Lord_Howe', '2026-04-05T01:45:00', '2026-04-04T14:45:00Z'],
    ['Africa/Cairo', '2026-10-29T23:30:00', '2026-10-29T20:30:00Z'],
  ])('in a repeat runs at the earlier instant: %s %s', (timeZone, value, at) => {
    const parsed = parsedOf({ type: 'once', value, timeZone })
    expect(parsed.schedule).toMatchObject({ at: Date.parse(at) })
    expect(parsed.warnings).toEqual([expect.stringMatching(/comes twice.*the first time/)])
  })

  it('agrees with the cron pattern of its hour and minute, minute by minute where clocks are set', () => {
    for (const [timeZone, day] of [
      ['America/New_York', '2026-03-08'],
      ['America/New_York', '2026-11-01'],
      ['Australia/Lord_Howe', '2026-10-04'],
      ['America/Havana', '2026-11-01'],
    ] as const) {
      for (let minute = 0; minute < 300; minute += 1) {
        const time = new Date(minute * 60_000).toISOString().slice(11, 19)
        const [hour, ofHour] = time.split(':').map(Number)
        const { schedule } = parsedOf({ type: 'once', value: `${day}T${time}`, timeZone })
        const [, month, date] = day.split('-').map(Number)
        const pattern = `${ofHour} ${hour} ${date} ${month} *`
        expect(schedule).toMatchObject({ at: nextOccurrence({ type: 'cron', pattern, timeZone }, now) })
      }
    }
  })
})

describe('a time zone', () => {
  it.each([
    'EST5EDT,M3',
    'EST5EDT,M3.2.0,M11.1.0',
    'IST-2',
    '+05:30',
    '-03',
    'UTC+2',
    'Mars/X',
    'PST',
    'Z',
    '',
    ' UTC',
    'Europe/Paris\0',
    'x'.repeat(1000),
  ])('%j is refused: an IANA name', (timeZone) => {
    const problem = problemOf({ type: 'cron', value: '0 9 * * *', timeZone })
    expect(problem.parameter).toBe('timezone')
    expect(problem.text).toEqual(expect.stringMatching(/no IANA time zone.*Europe\/Paris/))
    expect(problem.text.length).toBeLessThan(250)
  })

  it('is stored as it is registered', () => {
    expect(parsedOf({ type: 'cron', value: '0 9 * * *', timeZone: 'europe/paris' }).schedule.timeZone).toBe(
      'Europe/Paris',
    )
  })
})
