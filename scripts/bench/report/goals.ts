import type { ScenarioName } from '../scenarios.js'
import type { SubjectName } from '../subjects/subject.js'
import { differencesOf, ratiosOf, type Spread, spreadOf } from '../windows/ratios.js'
import type { ScenarioResult, SubjectFigures } from '../windows/run-scenario.js'

type Measure = 'p50' | 'rate' | 'hubCpuUs'

/** A figure of the run, and what it must be at least or at most. */
export interface Goal {
  readonly title: string
  readonly scenario: ScenarioName
  readonly subject: SubjectName
  readonly measure: Measure
  /** The figure is the ratio to this one's, round by round; without it, the figure itself. */
  readonly to?: SubjectName
  /** The figure is by how much it is more than this one's, round by round. */
  readonly beyond?: SubjectName
  readonly atLeast?: number
  readonly atMost?: number
}

export interface OneFigureGoal {
  readonly title: string
  readonly figure: OneFigure
  readonly atMost: number
}

export type OneFigure = 'startColdMs' | 'startWarmMs' | 'idleCpuPercent' | 'idleMebibytes'

export const goals: readonly Goal[] = [
  {
    title: 'latency of hub --stdio, of that of the naive proxy',
    ...{ scenario: 'latency', subject: 'hub', measure: 'p50', to: 'proxy', atMost: 0.95 },
  },
  {
    title: 'latency through the shim, of that of the naive proxy',
    ...{ scenario: 'latency', subject: 'shim', measure: 'p50', to: 'proxy', atMost: 1.25 },
  },
  {
    title: 'latency of hub --stdio, of that of mcp-hub',
    ...{ scenario: 'latency', subject: 'hub', measure: 'p50', to: 'mcp-hub', atMost: 0.5 },
  },
  {
    title: 'latency through the shim, of that of mcp-hub',
    ...{ scenario: 'latency', subject: 'shim', measure: 'p50', to: 'mcp-hub', atMost: 0.5 },
  },
  {
    title: 'calls/s at 16 in flight, of those of the naive proxy, trusted',
    ...{ scenario: 'throughput-16', subject: 'hub', measure: 'rate', to: 'proxy', atLeast: 1.9 },
  },
  {
    title: 'calls/s at 16 in flight, of those of the naive proxy, checked',
    ...{ scenario: 'throughput-16', subject: 'hub-checked', measure: 'rate', to: 'proxy', atLeast: 1.4 },
  },
  {
    title: 'calls/s at 128 in flight, of those of the naive proxy, trusted',
    ...{ scenario: 'throughput-128', subject: 'hub', measure: 'rate', to: 'proxy', atLeast: 3.5 },
  },
  {
    title: 'calls/s at 128 in flight, of those of the direct server, trusted',
    ...{ scenario: 'throughput-128', subject: 'hub', measure: 'rate', to: 'direct', atLeast: 1.2 },
  },
  {
    title: 'calls/s at 128 in flight, of those of the naive proxy, checked',
    ...{ scenario: 'throughput-128', subject: 'hub-checked', measure: 'rate', to: 'proxy', atLeast: 2 },
  },
  {
    title: 'CPU of the hub per call at 128 in flight, trusted, µs',
    ...{ scenario: 'throughput-128', subject: 'hub', measure: 'hubCpuUs', atMost: 15 },
  },
  {
    title: 'CURVE and policy, µs of the hub’s CPU per call more than without, at 128 in flight',
    ...{ scenario: 'throughput-128', subject: 'socket-keys-policy', measure: 'hubCpuUs', beyond: 'socket', atMost: 15 },
  },
  {
    title: 'HTTP requests/s at 32 in flight, of those of bare node:http',
    ...{ scenario: 'http-32', subject: 'http', measure: 'rate', to: 'node-http', atLeast: 0.45 },
  },
  {
    title: 'HTTP p50 at 32 in flight, of that of bare node:http',
    ...{ scenario: 'http-32', subject: 'http', measure: 'p50', to: 'node-http', atMost: 2.2 },
  },
]

export const oneFigureGoals: readonly OneFigureGoal[] = [
  { title: 'initialize from callboard stdio without a hub, ms', figure: 'startColdMs', atMost: 500 },
  { title: 'initialize from callboard stdio with a hub, ms', figure: 'startWarmMs', atMost: 200 },
  { title: 'idle hub with 20 workers, percent of a core', figure: 'idleCpuPercent', atMost: 0.5 },
  { title: 'idle hub with 20 workers, MiB', figure: 'idleMebibytes', atMost: 100 },
]

export interface Verdict {
  readonly title: string
  readonly bound: string
  /** Undefined: what it is about was not measured in this run. */
  readonly found: Spread | undefined
  readonly verdict: 'yes' | 'NO' | 'not measured' | 'not judged'
}

/** `quick`: a few short windows prove nothing, neither way. */
export function judge(
  results: readonly ScenarioResult[],
  figures: Partial<Record<OneFigure, number>>,
  quick = false,
): Verdict[] {
  const verdicts = [
    ...goals.map((goal) => verdictOf(goal, foundOf(goal, results))),
    ...oneFigureGoals.map((goal) => {
      const value = figures[goal.figure]
      return verdictOf(goal, value === undefined ? undefined : { median: value, lower: value, upper: value })
    }),
  ]
  return verdicts.map((each) => (quick && each.found !== undefined ? { ...each, verdict: 'not judged' } : each))
}

function foundOf(goal: Goal, results: readonly ScenarioResult[]): Spread | undefined {
  const result = results.find(({ scenario }) => scenario.name === goal.scenario)
  const figuresOf = (name: SubjectName) => result?.subjects.find((subject) => subject.name === name)
  const own = valuesOf(goal.measure, figuresOf(goal.subject))
  const of = (name: SubjectName) => valuesOf(goal.measure, figuresOf(name))
  if (goal.to !== undefined) return spreadOf(ratiosOf(own, of(goal.to)))
  return spreadOf(goal.beyond === undefined ? own : differencesOf(own, of(goal.beyond)))
}

function valuesOf(measure: Measure, figures: SubjectFigures | undefined): readonly number[] {
  if (figures === undefined) return []
  switch (measure) {
    case 'p50':
      return figures.p50sUs
    case 'rate':
      return figures.rates
    case 'hubCpuUs':
      return figures.hubCpusUs
    default:
      return measure satisfies never
  }
}

function verdictOf(
  { title, atLeast, atMost }: { readonly title: string; readonly atLeast?: number; readonly atMost?: number },
  found: Spread | undefined,
): Verdict {
  const bound = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`
  if (found === undefined) return { title, bound, found, verdict: 'not measured' }
  const isMet =
    found.median >= (atLeast ?? Number.NEGATIVE_INFINITY) && found.median <= (atMost ?? Number.POSITIVE_INFINITY)
  return { title, bound, found, verdict: isMet ? 'yes' : 'NO' }
}
