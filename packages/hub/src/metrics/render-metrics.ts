import type { AuditCounts } from '../audit/audit-journal.js'
import type { ServiceLoad } from '../broker/statistics.js'
import { Exposition, type Labels, type SeriesType, writeLabels } from './exposition.js'
import type { HubStatistics, ProcessFigures } from './hub-statistics.js'
import { type ServiceFamily, serviceFamilies } from './service-families.js'

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** For Prometheus and all that reads its text format. `services`: only the series of these, beside the hub's own; absent: of all. */
export function renderMetrics(statistics: HubStatistics, services?: readonly string[]): string {
  const { version, process, broker, bucketsMs } = statistics
  const shown = broker.services
    .filter(({ service }) => services?.includes(service) ?? true)
    .map((load) => ({ load, labels: writeLabels({ service: load.service }) }))
  const page = new Exposition()
  writeProcess(page, version, process)
  for (const { name, help, value } of hubGauges) writeOne(page, `callboard_${name}`, 'gauge', help, value(statistics))
  for (const family of serviceFamilies) writeService(page, family, shown)
  for (const spread of spreads) writeSpread(page, spread, shown, bucketsMs)
  if (statistics.audit !== undefined) writeAudit(page, statistics.audit)
  writeCounters(page, broker.counters)
  return page.toString()
}

interface Shown {
  readonly load: ServiceLoad
  /** That name the service, written. */
  readonly labels: string
}

interface Gauge {
  readonly name: string
  readonly help: string
  readonly value: (statistics: HubStatistics) => number
}

const hubGauges: readonly Gauge[] = [
  { name: 'sessions', help: 'Sessions of agents.', value: ({ broker }) => broker.sessions },
  { name: 'connections', help: 'Connections of agents.', value: ({ broker }) => broker.connections },
  { name: 'open_calls', help: 'Calls without an outcome yet, of all services.', value: ({ broker }) => broker.calls },
  { name: 'timers', help: 'Deadlines that the hub watches.', value: ({ broker }) => broker.timers },
]

function writeService(page: Exposition, family: ServiceFamily, shown: readonly Shown[]): void {
  const name = `callboard_${family.name}`
  page.family(name, family.type, family.help)
  for (const { load, labels } of shown) {
    if ('value' in family) page.sample(name, labels, family.value(load))
    else {
      for (const [value, count = 0] of Object.entries(family.values(load))) {
        page.sample(name, `${labels},${writeLabels({ [family.label]: value })}`, count)
      }
    }
  }
}

interface SpreadFamily {
  readonly name: string
  readonly help: string
  readonly spread: 'latency' | 'queueWait'
}

const spreads: readonly SpreadFamily[] = [
  { name: 'call_duration_seconds', help: 'From the acceptance of a call to its outcome.', spread: 'latency' },
  {
    name: 'queue_wait_seconds',
    help: 'What calls waited for a worker before they were first handed to one.',
    spread: 'queueWait',
  },
]

function writeSpread(page: Exposition, family: SpreadFamily, shown: readonly Shown[], bucketsMs: Buckets): void {
  const name = `callboard_${family.name}`
  const [bucketName, sumName, countName] = [`${name}_bucket`, `${name}_sum`, `${name}_count`]
  const bounds = [...bucketsMs.map((ms) => String(ms / 1000)), '+Inf'].map((le) => writeLabels({ le }))
  page.family(name, 'histogram', family.help)
  for (const { load, labels } of shown) {
    const { counts, count, sumMs } = load[family.spread]
    let upToHere = 0
    for (const [index, bound] of bounds.entries()) {
      upToHere += counts[index] ?? 0
      page.sample(bucketName, `${labels},${bound}`, upToHere)
    }
    page.sample(sumName, labels, sumMs / 1000)
    page.sample(countName, labels, count)
  }
}

type Buckets = HubStatistics['bucketsMs']

/** What the hub counts of itself. One that is not listed here is shown as well. */
const counterHelp: Readonly<Record<string, string>> = {
  frames_dropped: 'Messages of workers that were in order and came at the wrong time or too often, by reason.',
  frames_faulty: 'Messages of workers that break the protocol, by fault.',
  sign_in_refused: 'Sign-ins of workers that were refused, by reason.',
  handshakes_refused: 'Connections to the sockets of workers that came to nothing before sign-in, by reason.',
  worker_connections: 'TCP connections of workers that were accepted, got through the handshake, and ended.',
  connections_refused: 'Connections of agents that were refused, by reason.',
  own_tools_dropped: 'Tools for single sessions that were refused, by reason.',
  not_started: 'Calls that workers gave back without having begun them, by reason.',
}

/** What is counted for each service above is no second family. */
function writeCounters(page: Exposition, counters: Readonly<Record<string, number>>): void {
  const byName = new Map<string, [reason: string, count: number][]>()
  for (const [key, count] of Object.entries(counters)) {
    const [name = '', ...reason] = key.split('.')
    byName.set(name, [...(byName.get(name) ?? []), [reason.join('.'), count]])
  }
  for (const [name, counts] of byName) {
    const family = `callboard_${name}_total`
    if (!page.family(family, 'counter', counterHelp[name] ?? 'Counted by the hub, by reason.')) continue
    for (const [reason, count] of counts) page.sample(family, writeLabels({ reason }), count)
  }
}

function writeAudit(page: Exposition, { lines, lost }: AuditCounts): void {
  writeOne(page, 'callboard_audit_lines_total', 'counter', 'Lines written to the audit journal.', lines)
  writeOne(page, 'callboard_audit_lost_total', 'counter', 'Lines that the audit journal had no room for.', lost)
}

function writeProcess(page: Exposition, version: string, figures: ProcessFigures): void {
  const { eventLoopLag: lag, residentBytes, openFileDescriptors } = figures
  const one = (name: string, help: string, value: number, type: SeriesType = 'gauge') =>
    writeOne(page, `callboard_hub_${name}`, type, help, value)
  const build = { version, node: figures.nodeVersion }
  writeOne(page, 'callboard_build_info', 'gauge', 'Always 1; the labels say which hub this is.', 1, build)
  one('start_time_seconds', 'When the process started, in seconds since 1970.', figures.startedAt / 1000)
  one('cpu_seconds_total', 'CPU time of the process, user and system.', figures.cpuMs / 1000, 'counter')
  if (residentBytes !== undefined) one('resident_memory_bytes', 'Memory that the process holds.', residentBytes)
  one('heap_used_bytes', 'Of that, used in the JavaScript heap.', figures.heapUsedBytes)
  if (openFileDescriptors !== undefined) one('open_file_descriptors', 'Open files and sockets.', openFileDescriptors)
  one('active_resources', 'What keeps the event loop alive: sockets, timers, requests.', figures.activeResources)
  one('event_loop_lag_p50_seconds', 'Median lateness of timers, over the last one to two minutes.', lag.p50Ms / 1000)
  one('event_loop_lag_p99_seconds', 'The same at the 99th of 100.', lag.p99Ms / 1000)
  one('event_loop_lag_max_seconds', 'The same at worst.', lag.maxMs / 1000)
}

function writeOne(
  page: Exposition,
  name: string,
  type: SeriesType,
  help: string,
  value: number,
  labels: Labels = {},
): void {
  page.family(name, type, help)
  page.sample(name, writeLabels(labels), value)
}
