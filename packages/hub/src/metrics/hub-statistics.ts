import { readdirSync } from 'node:fs'
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
  readonly residentBytes: number
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
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const openFileDescriptors = countFileDescriptors()
  return {
    pid: process.pid,
    startedAt: Math.round(performance.timeOrigin),
    nodeVersion: process.version,
    residentBytes: rss,
    heapUsedBytes: heapUsed,
    cpuMs: (user + system) / 1000,
    activeResources: process.getActiveResourcesInfo().length,
    ...(openFileDescriptors !== undefined && { openFileDescriptors }),
    eventLoopLag,
  }
}

/** Without the one that is open for counting. */
function countFileDescriptors(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length - 1
  } catch {
    return undefined
  }
}
