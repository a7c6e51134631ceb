import type { HubStatistics } from '@callboard/hub'
import { now } from '../hub-process.js'
import { control, readHub } from './hub-control.js'
import { courseOf, type Point, type Trend, trendOf } from './linear-trend.js'
import { usageOf } from './process-usage.js'
import { type Check, none } from './scenario.js'

/** What a hub holds at one moment. */
export interface Sample {
  /** UTC ms. */
  readonly at: number
  readonly residentBytes: number
  readonly heapUsedBytes: number
  readonly handles: number
  /** What keeps the hub's event loop alive: sockets, timers, requests. */
  readonly resources: number
  readonly sessions: number
  /** Without those that are kept for clients of HTTP that have none. */
  readonly connections: number
  readonly calls: number
  readonly queued: number
  readonly conversations: number
  readonly timers: number
}

/** What must be as it was, when the load has ended. */
export const kept = [
  'handles',
  'resources',
  'sessions',
  'connections',
  'calls',
  'queued',
  'conversations',
  'timers',
] as const

export async function sampleOf(pid: number, socket: string): Promise<Sample> {
  // Before the hub is asked, which opens a socket.
  const { residentBytes, handles } = usageOf(pid)
  const metrics = (await control(socket, { command: 'metrics' })) as HubStatistics
  const { heapUsedBytes, activeResources: resources } = metrics.process
  const { hub, snapshot } = await readHub(socket)
  const { keptConnections = 0 } = hub as { readonly keptConnections?: number }
  const { sessions, connections, calls, queued, conversations, timers } = snapshot
  return {
    at: now(),
    residentBytes,
    heapUsedBytes,
    handles,
    resources,
    sessions,
    connections: connections - keptConnections,
    calls: calls.length,
    queued,
    conversations,
    timers,
  }
}

export const isBack = (start: Sample, end: Sample): boolean => kept.every((what) => end[what] <= start[what])

export function leftovers(start: Sample, end: Sample): Check[] {
  return kept.map((what) => {
    const more = Math.max(0, end[what] - start[what])
    return none(`${what} more than at the start, when the load has ended`, more, [`${start[what]} became ${end[what]}`])
  })
}

const mebibyte = 2 ** 20
/** What a day of which adds up to less than a browser's tab. */
const smallBytesPerHour = mebibyte
const smallHandlesPerHour = 1

/** Over the second half: the first is that of caches that fill, and of code that is compiled. */
export function trends(samples: readonly Sample[]): { readonly memory: Trend; readonly handles: Trend } {
  const half = samples.slice(Math.floor(samples.length / 2))
  const of = (what: 'residentBytes' | 'handles'): Trend =>
    trendOf(half.map((sample): Point => ({ at: sample.at, value: sample[what] })))
  return { memory: of('residentBytes'), handles: of('handles') }
}

export function trendChecks({ memory, handles }: ReturnType<typeof trends>): Check[] {
  return [
    check('RSS of the hub, slope over the second half', memory, smallBytesPerHour, mebibyte, 'MiB'),
    check('handles of the hub, slope over the second half', handles, smallHandlesPerHour, 1, 'handles'),
  ]
}

function check(what: string, trend: Trend, small: number, unit: number, word: string): Check {
  const course = courseOf(trend, small)
  const per = (value: number) => (value / unit).toFixed(2)
  const slope = `${per(trend.perHour)} ± ${per(trend.standardErrorPerHour)} ${word}/h: ${course}`
  return {
    what,
    goal: `0 ± 2 standard errors, or ≤ ${per(small)} ${word}/h`,
    measured: course === 'unknown' ? `${trend.blocks} minutes are too few to say` : slope,
    isMet: course === 'flat' || course === 'falling',
    about: 'time',
  }
}
