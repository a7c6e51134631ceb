import { array, assert, constantFrom, double, integer, nat, property, record, string, uniqueArray } from 'fast-check'
import { expect, it } from 'vitest'
import { bucketsMs } from '../../src/broker/histogram.js'
import { renderMetrics } from '../../src/metrics/render-metrics.js'
import { parsedMetrics, sampleOf, typesIn } from './parsed-metrics.js'
import { loadOf, statisticsOf } from './statistics-of.js'

it('says what a hub without services does', () => {
  expect(renderMetrics(statisticsOf([])).split('\n').slice(0, 6)).toEqual([
    '# HELP callboard_build_info Always 1; the labels say which hub this is.',
    '# TYPE callboard_build_info gauge',
    'callboard_build_info{version="0.1.0",node="v20.20.0"} 1',
    '# HELP callboard_hub_start_time_seconds When the process started, in seconds since 1970.',
    '# TYPE callboard_hub_start_time_seconds gauge',
    'callboard_hub_start_time_seconds 1799999000',
  ])
})

it('has seconds and bytes', () => {
  const page = renderMetrics(statisticsOf([loadOf('kernel', { oldestQueuedMs: 1_500 })]))
  expect(sampleOf(page, 'callboard_hub_cpu_seconds_total')).toBe(1.25)
  expect(sampleOf(page, 'callboard_hub_resident_memory_bytes')).toBe(80_000_000)
  expect(sampleOf(page, 'callboard_hub_event_loop_lag_p50_seconds')).toBe(0.0005)
  expect(sampleOf(page, 'callboard_hub_event_loop_lag_p99_seconds')).toBe(0.0025)
  expect(sampleOf(page, 'callboard_hub_event_loop_lag_max_seconds')).toBe(0.04)
  expect(sampleOf(page, 'callboard_queue_oldest_age_seconds', { service: 'kernel' })).toBe(1.5)
})

it('has resident memory where the system tells of it', () => {
  const untold = statisticsOf([])
  const { residentBytes: _, ...figures } = untold.process
  const page = parsedMetrics(renderMetrics({ ...untold, process: figures }))
  expect(page.has('callboard_hub_resident_memory_bytes')).toBe(false)
  expect(page.has('callboard_hub_heap_used_bytes')).toBe(true)
})

it('has open file descriptors where the system tells of them', () => {
  const family = 'callboard_hub_open_file_descriptors'
  expect(parsedMetrics(renderMetrics(statisticsOf([]))).has(family)).toBe(false)
  expect(sampleOf(renderMetrics(statisticsOf([], {}, { openFileDescriptors: 31 })), family)).toBe(31)
})

it('gives each service its states, outcomes and reasons', () => {
  const page = renderMetrics(
    statisticsOf([
      loadOf('kernel', {
        workers: { ready: 3, suspect: 1, draining: 0, ejected: 2 },
        outcomes: { result: 40, tool_error: 2, outcome_unknown: 1 },
        shed: { queue_full: 5 },
        workersLeft: { connection_lost: 7 },
        ejections: 2,
      }),
    ]),
  )
  const of = (name: string, labels: object = {}) => sampleOf(page, name, { service: 'kernel', ...labels })
  expect(of('callboard_workers', { state: 'ready' })).toBe(3)
  expect(of('callboard_workers', { state: 'draining' })).toBe(0)
  expect(of('callboard_workers', { state: 'ejected' })).toBe(2)
  expect(of('callboard_calls_total', { outcome: 'outcome_unknown' })).toBe(1)
  expect(of('callboard_calls_shed_total', { reason: 'queue_full' })).toBe(5)
  expect(of('callboard_workers_left_total', { reason: 'connection_lost' })).toBe(7)
  expect(of('callboard_worker_ejections_total')).toBe(2)
})

it('adds up the buckets of a histogram', () => {
  const counts = bucketsMs.map(() => 0)
  counts[0] = 2
  counts[3] = 3
  const latency = { counts: [...counts, 4], count: 9, sumMs: 2_500 }
  const page = renderMetrics(statisticsOf([loadOf('kernel', { latency })]))
  const name = 'callboard_call_duration_seconds'
  expect(typesIn(page)).toContainEqual([name, 'histogram'])
  const service = 'kernel'
  const upTo = ['0.001', '0.0025', '0.005', '0.01', '300', '+Inf'].map((le) => [
    le,
    sampleOf(page, `${name}_bucket`, { service, le }),
  ])
  expect(Object.fromEntries(upTo)).toEqual({ '0.001': 2, '0.0025': 2, '0.005': 2, '0.01': 5, '300': 5, '+Inf': 9 })
  expect(parsedMetrics(page).get(`${name}_bucket`)).toHaveLength(bucketsMs.length + 1)
  expect(sampleOf(page, `${name}_sum`, { service })).toBe(2.5)
  expect(sampleOf(page, `${name}_count`, { service })).toBe(9)
})

it('shows what the hub counts by reason, and no name twice', () => {
  const counters = {
    'frames_dropped.late': 3,
    'frames_dropped.log_rate': 4,
    'something_new.why.not': 5,
    'calls.result': 9,
  }
  const page = renderMetrics(statisticsOf([loadOf('kernel', { outcomes: { result: 9 } })], { counters }))
  expect(sampleOf(page, 'callboard_frames_dropped_total', { reason: 'late' })).toBe(3)
  expect(sampleOf(page, 'callboard_frames_dropped_total', { reason: 'log_rate' })).toBe(4)
  expect(sampleOf(page, 'callboard_something_new_total', { reason: 'why.not' })).toBe(5)
  expect(parsedMetrics(page).get('callboard_calls_total')).toEqual([
    { labels: { service: 'kernel', outcome: 'result' }, value: 9 },
  ])
  const names = typesIn(page).map(([name]) => name)
  expect(names).toEqual([...new Set(names)])
})

it('tells of no service but those that the reader may know of', () => {
  const statistics = statisticsOf([loadOf('kernel'), loadOf('social'), loadOf('forum')], { sessions: 12 })
  const page = renderMetrics(statistics, ['social', 'elsewhere'])
  expect(new Set(page.match(/service="\w+"/g))).toEqual(new Set(['service="social"']))
  expect(page).not.toMatch(/kernel|forum/)
  expect(sampleOf(page, 'callboard_sessions')).toBe(12)
  expect(renderMetrics(statistics, [])).not.toContain('service=')
})

/** Also what has to be escaped, and what only looks as if it were. */
const text = string({ unit: constantFrom(...'\\\n"{}=, #é\r\tan', 'Σ', '😀'), maxLength: 12 })
const count = nat({ max: Number.MAX_SAFE_INTEGER })

it('can be read back, whatever services and reasons are called and whatever was counted', () => {
  const load = record({
    name: text,
    reason: text,
    inFlight: count,
    retries: count,
    oldestQueuedMs: double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    counts: array(integer({ min: 0, max: 1e12 }), { minLength: bucketsMs.length + 1, maxLength: bucketsMs.length + 1 }),
  })
  assert(
    property(uniqueArray(load, { selector: ({ name }) => name, maxLength: 4 }), (given) => {
      const services = given.map(({ name, reason, counts, ...more }) => {
        const queueWait = { counts, count: sum(counts), sumMs: sum(counts) }
        return loadOf(name, { ...more, workersLeft: { [reason]: 5 }, queueWait })
      })
      const page = parsedMetrics(renderMetrics(statisticsOf(services)))
      const samples = (name: string) => page.get(`callboard_${name}`) ?? []
      const expected = (value: (load: (typeof given)[number]) => number) =>
        given.map((each) => ({ labels: { service: each.name }, value: value(each) }))
      expect(samples('calls_in_flight')).toEqual(expected(({ inFlight }) => inFlight))
      expect(samples('call_retries_total')).toEqual(expected(({ retries }) => retries))
      expect(samples('queue_oldest_age_seconds')).toEqual(expected(({ oldestQueuedMs }) => oldestQueuedMs / 1000))
      expect(samples('queue_wait_seconds_count')).toEqual(expected(({ counts }) => sum(counts)))
      expect(samples('queue_wait_seconds_sum')).toEqual(expected(({ counts }) => sum(counts) / 1000))
      expect(samples('workers_left_total')).toEqual(
        given.map(({ name, reason }) => ({ labels: { service: name, reason }, value: 5 })),
      )
      const buckets = samples('queue_wait_seconds_bucket')
      for (const { name, counts } of given) {
        const own = buckets.filter(({ labels }) => labels['service'] === name).map(({ value }) => value)
        expect(own).toEqual(counts.map((_, index) => sum(counts.slice(0, index + 1))))
      }
    }),
  )
})

const sum = (counts: readonly number[]): number => counts.reduce((total, each) => total + each, 0)
