import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { barChart } from '../chart.js'
import type { ScenarioName } from '../scenarios.js'
import { ratiosOf, spreadOf } from '../windows/ratios.js'
import type { ScenarioResult, SubjectFigures } from '../windows/run-scenario.js'

interface Chart {
  readonly scenario: ScenarioName
  readonly file: string
  readonly title: string
  readonly unit: string
  readonly value: (subject: SubjectFigures) => number
  /** What the notes compare with, round by round. */
  readonly base: string
  readonly values: (subject: SubjectFigures) => readonly number[]
}

const charts: readonly Chart[] = [
  {
    scenario: 'throughput-128',
    file: 'throughput.svg',
    title: 'Calls per second, 128 in flight',
    unit: 'calls per second, results of 1.9 KB; behind them: × the naive proxy',
    value: ({ callsPerSecond }) => callsPerSecond,
    base: 'proxy',
    values: ({ rates }) => rates,
  },
  {
    scenario: 'latency',
    file: 'latency.svg',
    title: 'Latency of one call at a time, on one CPU',
    unit: 'µs, median; behind them: × the naive proxy',
    value: ({ p50Us }) => p50Us,
    base: 'proxy',
    values: ({ p50sUs }) => p50sUs,
  },
  {
    scenario: 'http-32',
    file: 'http.svg',
    title: 'Calls per second over HTTP, 32 in flight',
    unit: 'calls per second, results of 1.9 KB; behind them: × bare node:http',
    value: ({ callsPerSecond }) => callsPerSecond,
    base: 'node-http',
    values: ({ rates }) => rates,
  },
]

/** One file for each chart whose scenario was run. */
export function writeCharts(directory: string, results: readonly ScenarioResult[]): void {
  mkdirSync(directory, { recursive: true })
  for (const chart of charts) {
    const result = results.find(({ scenario }) => scenario.name === chart.scenario)
    if (result !== undefined) writeFileSync(join(directory, chart.file), draw(chart, result))
  }
}

function draw({ title, unit, base, value, values }: Chart, { subjects }: ScenarioResult): string {
  const baseValues = subjects.filter(({ name }) => name === base).flatMap(values)
  const bars = subjects.map((subject) => {
    const ratio = spreadOf(ratiosOf(values(subject), baseValues))
    return { label: subject.title, value: value(subject), ...(ratio && { note: `× ${ratio.median.toFixed(2)}` }) }
  })
  return barChart({ title, unit, bars })
}
