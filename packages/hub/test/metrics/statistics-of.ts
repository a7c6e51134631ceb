import { bucketsMs } from '../../src/broker/histogram.js'
import type { ServiceLoad } from '../../src/broker/statistics.js'
import type { HubStatistics } from '../../src/metrics/hub-statistics.js'

export const noSpread = { counts: [...bucketsMs, 0].map(() => 0), count: 0, sumMs: 0 }

/** A service that has done nothing yet, but for what is given. */
export function loadOf(service: string, more: Partial<ServiceLoad> = {}): ServiceLoad {
  return {
    service,
    version: '1.0.0',
    workers: { ready: 0, suspect: 0, draining: 0, ejected: 0 },
    inFlight: 0,
    suspended: 0,
    credits: 0,
    queued: 0,
    definitionsHeld: 0,
    oldestQueuedMs: 0,
    outcomes: {},
    latency: noSpread,
    queueWait: noSpread,
    retries: 0,
    shed: {},
    workersJoined: 0,
    workersLeft: {},
    ejections: 0,
    ...more,
  }
}

export function statisticsOf(
  services: readonly ServiceLoad[],
  more: Partial<HubStatistics['broker']> = {},
  process: Partial<HubStatistics['process']> = {},
): HubStatistics {
  return {
    version: '0.1.0',
    takenAt: 1_800_000_000_000,
    process: {
      pid: 7,
      startedAt: 1_799_999_000_000,
      nodeVersion: 'v20.20.0',
      residentBytes: 80_000_000,
      heapUsedBytes: 20_000_000,
      cpuMs: 1_250,
      activeResources: 12,
      eventLoopLag: { p50Ms: 0.5, p99Ms: 2.5, maxMs: 40 },
      ...process,
    },
    bucketsMs,
    broker: { services, counters: {}, sessions: 0, connections: 0, calls: 0, timers: 0, ...more },
  }
}
