import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nextOccurrence } from '../../src/schedule/occurrences.js'
import { slowChanges, slowOccurrences } from './slow-occurrences.js'

/** Each with two years whose clock changes are of their own kind. */
const zones: readonly (readonly [timeZone: string, firstYear: number])[] = [
  ['America/New_York', 2026],
  ['Europe/Paris', 2026],
  ['Europe/London', 2026],
  ['Australia/Lord_Howe', 2026], // by 30 minutes
  ['Africa/Casablanca', 2026], // back for Ramadan
  ['America/Sao_Paulo', 2017], // at midnight, the last of them
  ['Africa/Cairo', 2026], // back across midnight
  ['Asia/Beirut', 2026], // at midnight, both ways
  ['America/Santiago', 2026],
  ['America/Havana', 2026],
  ['Asia/Kathmandu', 2026], // 5:45, never
  ['Pacific/Apia', 2011], // without 30 December 2011
]

const patterns: readonly string[] = [
  '30 2 * * *',
  '30 1 * * *',
  '0 0 * * *',
  '30 0 * * *',
  '15 2 * * *',
  '59 23 * * *',
  '*/15 2 * * *',
  '0 */2 * * *',
  '*/30 * * * *',
  '5,35 1 * * *',
  '0,30 0 * * *',
  '45 0-3 * * *',
  '*/7 23,0,1 * * *',
  '10 * * * *',
  '0 3 * 3,4,9-11 SUN',
  '30 2 L * *',
  '0 9 LW * *',
  '0 0 15W * *',
  '0 0 1W,31W * *',
  '30 1 * * 0#1',
  '0 2 * * 5L',
  '*/20 0 13 * 5',
  '0 12 */2 * */2',
  '0 6 29 2 *',
  '15 10 1,15 jan-jun MON-FRI',
  '2-2 2 * * *',
]

const day = 24 * 60 * 60_000
const startOf = (year: number) => Date.UTC(year, 0, 1)

describe.each(zones)('in %s, from %i on for two years', (timeZone, firstYear) => {
  const from = startOf(firstYear)
  const to = startOf(firstYear + 2)

  it.each(['30 2 * * *', '0,30 0-3 * * *', '17 */3 * * 1-5'])('%s fires when the slow computation says', (pattern) => {
    expect(
      differences(fastOccurrences(pattern, timeZone, from, to), slowOccurrences(pattern, timeZone, from, to)),
    ).toEqual([])
  })

  it('every pattern does, around every clock change and in ordinary weeks', () => {
    const windows = windowsOf(timeZone, from, to)
    for (const pattern of patterns) expect(wrongIn(pattern, timeZone, windows)).toEqual([])
  })

  it('patterns that nobody thought of do, too, from any instant', () => {
    const windows = windowsOf(timeZone, from, to)
    fc.assert(
      fc.property(anyPattern, fc.nat(), fc.nat({ max: 4 * day }), (pattern, pick, offset) => {
        const [start, end] = windows[pick % windows.length]!
        const slow = slowOccurrences(pattern, timeZone, start, end)
        expect(differences(fastOccurrences(pattern, timeZone, start, end), slow)).toEqual([])
        const after = start + (offset % (end - start))
        const expected = slow.find((instant) => instant > after)
        if (expected !== undefined) expect(nextOccurrence({ type: 'cron', pattern, timeZone }, after)).toBe(expected)
      }),
      { seed: 20_260_308, numRuns: 150 },
    )
  })

  it('is strictly increasing', () => {
    for (const pattern of patterns) {
      const fires = fastOccurrences(pattern, timeZone, from, to)
      expect(fires.filter((instant, index) => index > 0 && instant <= fires[index - 1]!)).toEqual([])
    }
  })
})

function fastOccurrences(pattern: string, timeZone: string, from: number, to: number): number[] {
  const fires: number[] = []
  let next = nextOccurrence({ type: 'cron', pattern, timeZone }, from - 1)
  while (next !== undefined && next < to) {
    fires.push(next)
    next = nextOccurrence({ type: 'cron', pattern, timeZone }, next)
  }
  return fires
}

function wrongIn(pattern: string, timeZone: string, windows: readonly (readonly [number, number])[]): string[] {
  return windows.flatMap(([from, to]) =>
    differences(fastOccurrences(pattern, timeZone, from, to), slowOccurrences(pattern, timeZone, from, to)).map(
      (difference) => `${pattern}: ${difference}`,
    ),
  )
}

/** Short enough to read where a thousand instants are compared. */
function differences(fast: readonly number[], slow: readonly number[]): string[] {
  const [isFast, isSlow] = [new Set(fast), new Set(slow)]
  return [
    ...fast.filter((instant) => !isSlow.has(instant)).map((instant) => `${new Date(instant).toISOString()} too many`),
    ...slow.filter((instant) => !isFast.has(instant)).map((instant) => `${new Date(instant).toISOString()} is lacking`),
    ...(fast.length === isFast.size ? [] : ['one comes twice']),
  ].slice(0, 5)
}

/** Two days on both sides of each change, and four weeks of each year that begin anywhere. */
function windowsOf(timeZone: string, from: number, to: number): (readonly [number, number])[] {
  const changes = slowChanges(timeZone, from, to).map((at) => [at - 2 * day, at + 2 * day] as const)
  const weeks = [5, 100, 222, 355, 401, 500, 590, 700].map((n) => [from + n * day, from + (n + 7) * day] as const)
  return [...changes, ...weeks]
}

const field = (min: number, max: number) => {
  const number = fc.integer({ min, max })
  const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  const step = fc.integer({ min: 1, max: max - min })
  const part = fc.oneof(
    { weight: 4, arbitrary: number.map(String) },
    { weight: 2, arbitrary: range },
    { weight: 1, arbitrary: fc.tuple(range, step).map(([text, by]) => `${text}/${by}`) },
    { weight: 1, arbitrary: step.map((by) => `*/${by}`) },
  )
  return fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(','))
}

const orAny = (arbitrary: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant('*') }, { weight: 1, arbitrary })

const anyPattern = fc
  .tuple(
    fc.oneof(field(0, 59), fc.constantFrom('0', '30', '*', '*/15')),
    fc.oneof(field(0, 23), fc.constantFrom('0', '1', '2', '3', '23', '*', '0-4')),
    orAny(fc.oneof(field(1, 31), fc.constantFrom('L', 'LW', '1W', '15W', '30W', 'L,10'))),
    orAny(field(1, 12)),
    orAny(fc.oneof(field(0, 6), fc.constantFrom('0L', '5L', '1#1', '0#2', '7', '5-7', '1-5#3', 'MON-FRI'))),
  )
  .map((fields) => fields.join(' '))
