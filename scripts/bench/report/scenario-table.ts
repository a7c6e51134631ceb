import { guards } from '../subjects/installation-kind.js'
import { differencesOf, ratiosOf, type Spread, spreadOf } from '../windows/ratios.js'
import type { ScenarioResult, SubjectFigures } from '../windows/run-scenario.js'
import { columns } from './columns.js'

const head = ['', 'calls/s', 'p50 µs', 'p99 µs', 'hub µs', 'all µs', 'client µs', 'hub MiB'] as const

/** A row for each subject, with its ratios to the bases that take part. */
export function scenarioTable({ scenario, pinned, subjects }: ScenarioResult): string {
  const bases = (scenario.way === 'http' ? ['node-http', 'mcp-hub'] : ['proxy', 'direct']).flatMap((name) =>
    subjects.filter((subject) => subject.name === name),
  )
  const plain = subjects.some(isGuard) ? subjects.find(({ name }) => name === 'socket') : undefined
  const values = ({ rates, p50sUs }: SubjectFigures) => (scenario.measure === 'latency' ? p50sUs : rates)
  const rows = subjects.map((subject) => [
    subject.title,
    ...[subject.callsPerSecond, subject.p50Us, subject.p99Us].map((value) => value.toFixed(0)),
    ...[subject.hubCpuUs, subject.cpuUs, subject.clientCpuUs].map((value) => value.toFixed(1)),
    subject.hubMebibytes.toFixed(0),
    ...(plain === undefined ? [] : [moreThan(plain, subject)]),
    ...bases.map((base) => (base === subject ? '1' : spreadText(spreadOf(ratiosOf(values(subject), values(base)))))),
  ])
  const unpinned = scenario.pinned && !pinned ? ' (not pinned)' : ''
  const what = scenario.measure === 'latency' ? 'p50' : 'calls/s'
  return `${scenario.title}${unpinned}\n${columns([...head, ...(plain === undefined ? [] : ['hub µs − socket']), ...bases.map(({ name }) => `${what} / ${name}`)], rows)}`
}

const isGuard = ({ name }: SubjectFigures) => guards.some((guard) => name === `socket-${guard}`)

/** What a guard costs the hub per call, round by round. */
function moreThan(plain: SubjectFigures, subject: SubjectFigures): string {
  return isGuard(subject) ? spreadText(spreadOf(differencesOf(subject.hubCpusUs, plain.hubCpusUs)), 1) : ''
}

export function spreadText(spread: Spread | undefined, digits = 2): string {
  if (spread === undefined) return '-'
  const [median, lower, upper] = [spread.median, spread.lower, spread.upper].map((value) => value.toFixed(digits))
  return lower === upper ? median! : `${median} (${lower}–${upper})`
}
