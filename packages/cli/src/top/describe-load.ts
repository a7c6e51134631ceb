import type { HubStatistics } from '@callboard/hub'
import { escapeControls } from '../escape-controls.js'
import { tableOf } from '../table.js'
import { type LoadRow, loadRows } from './load-rows.js'

/** A line about the hub and a table of its services, of which no more than `rowsMax` are shown. */
export function describeLoad(
  before: HubStatistics | undefined,
  now: HubStatistics,
  rowsMax = Number.POSITIVE_INFINITY,
): string {
  const rows = loadRows(before, now)
  const hidden = Math.max(0, rows.length - rowsMax)
  const table = tableOf(
    'SERVICE WORKERS CALLS/S ERRORS/S P50 P99 IN-FLIGHT QUEUED OLDEST',
    rows.slice(0, rows.length - hidden).map(cellsOf),
  )
  const lines = [hubLine(now), ...(rows.length === 0 ? ['no services'] : table)]
  if (hidden > 0) lines.push(`and ${hidden} more`)
  return lines.map((line) => escapeControls(line)).join('\n')
}

function hubLine({ version, takenAt, process, broker }: HubStatistics): string {
  const { p99Ms, maxMs } = process.eventLoopLag
  return [
    `hub ${version}`,
    `process ${process.pid}`,
    `up ${time(takenAt - process.startedAt)}`,
    process.residentBytes === undefined ? '? MiB' : `${Math.round(process.residentBytes / 1024 / 1024)} MiB`,
    `event loop late ${time(p99Ms)} (p99), ${time(maxMs)} at worst`,
    `${broker.sessions} sessions`,
    `${broker.calls} calls`,
  ].join(', ')
}

function cellsOf({ service, workers, inFlight, credits, queued, oldestQueuedMs, since }: LoadRow): readonly string[] {
  const states = Object.entries(workers).filter(([, count]) => count > 0)
  return [
    service,
    states.map(([state, count]) => `${count} ${state}`).join(', ') || 'none',
    rate(since?.callsPerSecond),
    rate(since?.errorsPerSecond),
    since?.p50Ms === undefined ? '-' : time(since.p50Ms),
    since?.p99Ms === undefined ? '-' : time(since.p99Ms),
    `${inFlight}/${credits}`,
    String(queued),
    queued === 0 ? '-' : time(oldestQueuedMs),
  ]
}

const rate = (perSecond: number | undefined): string => (perSecond === undefined ? '-' : rounded(perSecond))

const rounded = (value: number): string => value.toFixed(value < 10 ? 1 : 0)

function time(ms: number): string {
  if (ms === Number.POSITIVE_INFINITY) return 'longer'
  if (ms < 1_000) return `${rounded(ms)} ms`
  if (ms < 120_000) return `${rounded(ms / 1_000)} s`
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`
  return ms < 172_800_000 ? `${Math.round(ms / 3_600_000)} h` : `${Math.round(ms / 86_400_000)} d`
}
