import { expect, it } from 'vitest'
import { describeLoad } from '../../src/top/describe-load.js'
import { loadOf, readingAt, spreadOf } from './readings.js'

it('shows the hub, and a service in each row', () => {
  const kernel = loadOf('kernel', {
    workers: { ready: 3, suspect: 1, draining: 0, ejected: 0 },
    inFlight: 4,
    credits: 12,
    queued: 2,
    oldestQueuedMs: 90_000,
    outcomes: { result: 60, error: 1 },
    latency: spreadOf(60, 0, 0, 1),
  })
  const text = describeLoad(readingAt(0, [loadOf('kernel'), loadOf('old')]), readingAt(2, [kernel, loadOf('old')]))
  expect(text.split('\n')).toEqual([
    'hub 0.1.0, process 7, up 62 s, 80 MiB, event loop late 2.5 ms (p99), 1.4 s at worst, 3 sessions, 5 calls',
    'SERVICE  WORKERS             CALLS/S  ERRORS/S  P50     P99     IN-FLIGHT  QUEUED  OLDEST',
    'kernel   3 ready, 1 suspect  31       0.5       5.1 ms  longer  4/12       2       90 s',
    'old      none                0.0      0.0       -       -       0/0        0       -',
  ])
})

it('has no rates before there are two readings', () => {
  const text = describeLoad(undefined, readingAt(0, [loadOf('kernel', { outcomes: { result: 60 } })]))
  expect(text.split('\n')[2]).toMatch(/^kernel +none +- +- +- +- +0\/0 +0 +-$/)
})

it('says so when there are no services, and when there are more than rows', () => {
  expect(describeLoad(undefined, readingAt(0, [])).split('\n')[1]).toBe('no services')
  const many = ['a', 'b', 'c', 'd'].map((service) => loadOf(service))
  const lines = describeLoad(undefined, readingAt(0, many), 2).split('\n')
  expect(lines.slice(2).map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'and'])
  expect(lines.at(-1)).toBe('and 2 more')
})

it('lets no name make a line of its own, or command a terminal', () => {
  const text = describeLoad(undefined, { ...readingAt(0, [loadOf('a\x1b[2J\nFAKE')]), version: '1\nFAKE' })
  expect(text).toMatch(/^[\n\x20-\x7e]*$/)
  expect(text).not.toMatch(/^FAKE/m)
})
