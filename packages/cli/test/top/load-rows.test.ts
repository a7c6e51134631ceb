import { expect, it } from 'vitest'
import { loadRows } from '../../src/top/load-rows.js'
import { loadOf, readingAt, spreadOf } from './readings.js'

const early = loadOf('kernel', { outcomes: { result: 100, error: 1, cancelled: 5 }, latency: spreadOf(100, 6, 0, 0) })
const late = loadOf('kernel', {
  outcomes: { result: 118, error: 2, cancelled: 9, outcome_unknown: 1 },
  latency: spreadOf(100, 30, 0, 0),
})

it('rates are of the time between two readings, and a cancelled call is no error', () => {
  expect(loadRows(readingAt(0, [early]), readingAt(4, [late]))[0]!.since).toEqual({
    callsPerSecond: 6,
    errorsPerSecond: 0.5,
    p50Ms: 15,
    p99Ms: 19.9,
  })
})

it('what is so now is that of the second reading', () => {
  const now = { inFlight: 3, credits: 8, queued: 2, oldestQueuedMs: 1_500 }
  const workers = { ready: 2, suspect: 1, draining: 0, ejected: 0 }
  const [row] = loadRows(readingAt(0, [loadOf('kernel')]), readingAt(2, [loadOf('kernel', { ...now, workers })]))
  expect(row).toMatchObject({ service: 'kernel', workers, ...now })
})

it('where no call has ended there is no latency', () => {
  const [row] = loadRows(readingAt(0, [late]), readingAt(2, [late]))
  expect(row!.since).toEqual({ callsPerSecond: 0, errorsPerSecond: 0 })
})

it.each([
  ['the first reading', undefined],
  ['another process', readingAt(0, [early], { pid: 8 })],
  ['a process of another start', readingAt(0, [early], { startedAt: 5 })],
  ['a reading of the same moment', readingAt(4, [early])],
])('%s is nothing to compare with', (_, before) => {
  expect(loadRows(before, readingAt(4, [late]))[0]).not.toHaveProperty('since')
})

it.each([
  ['new', []],
  ['forgotten meanwhile, and back', [loadOf('kernel', { outcomes: { result: 900 }, latency: spreadOf(900, 0, 0, 0) })]],
])('all calls of a service that is %s are of this time', (_, services) => {
  const [row] = loadRows(readingAt(0, services), readingAt(4, [late]))
  expect(row!.since).toMatchObject({ callsPerSecond: 130 / 4, errorsPerSecond: 3 / 4 })
})

it('the busiest come first, then by name', () => {
  const busy = (service: string, result: number) => loadOf(service, { outcomes: { result } })
  const rows = loadRows(readingAt(0, []), readingAt(1, [busy('b', 1), busy('c', 9), busy('a', 1)]))
  expect(rows.map(({ service }) => service)).toEqual(['c', 'a', 'b'])
})
