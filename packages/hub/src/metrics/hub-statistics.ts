import { readdirSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import type { AuditCounts } from '../audit/audit-journal.js'
import { bucketsMs } from '../broker/histogram.js'
import type { BrokerStatistics } from '../broker/statistics.js'
import type { Lag } from './event-loop-lag.js'

/** The numbers of a running hub at one moment. They name services, and never an agent, a session or an argument. */
export interface HubStatistics {
  readonly version: string
  /** UTC ms. */
  readonly takenAt: number
  readonly process: ProcessFigures
  /** Upper bounds of the buckets of every spread; one more bucket has what is longer. */
  readonly bucketsMs: readonly number[]
  readonly broker: BrokerStatistics
  /** Lines of the audit journal; absent: there is none. */
  readonly audit?: AuditCounts
}

export interface ProcessFigures {
  readonly pid: number
  /** UTC ms. */
  readonly startedAt: number
  readonly nodeVersion: string
  /** Absent where the system does not tell, as when the process has no descriptor left to ask it by. */
  readonly residentBytes?: number
  readonly heapUsedBytes: number
  /** Of the process, user and system together. */
  readonly cpuMs: number
  /** What keeps the event loop alive: sockets, timers, requests. */
  readonly activeResources: number
  /** Absent where the system does not tell. */
  readonly openFileDescriptors?: number
  readonly eventLoopLag: Lag
}

export function hubStatistics(
  version: string,
  takenAt: number,
  broker: BrokerStatistics,
  lag: Lag,
  audit?: AuditCounts,
): HubStatistics {
  return { version, takenAt, process: processFigures(lag), bucketsMs, broker, ...(audit !== undefined && { audit }) }
}

function processFigures(eventLoopLag: Lag): ProcessFigures {
  const residentBytes = ifTold(() => process.memoryUsage.rss())
  const { user, system } = process.cpuUsage()
  // Without the one that is open for counting.
  const openFileDescriptors = ifTold(() => readdirSync('/proc/self/fd').length - 1)
  return {
    pid: process.pid,
    startedAt: Math.round(performance.timeOrigin),
    nodeVersion: process.version,
    ...(residentBytes !== undefined && { residentBytes }),
    heapUsedBytes: getHeapStatistics().used_heap_size,
    cpuMs: (user + system) / 1000,
    activeResources: process.getActiveResourcesInfo().length,
    ...(openFileDescriptors !== undefined && { openFileDescriptors }),
    eventLoopLag,
  }
}

/** Some figures are read from files of the system. */
function ifTold(read: () => number): number | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
