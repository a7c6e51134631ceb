import type { HubStatistics, ServiceLoad } from '@callboard/hub'

export const bucketsMs = [10, 20, 40]
const noSpread = { counts: [0, 0, 0, 0], count: 0, sumMs: 0 }

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

export function spreadOf(...counts: number[]): ServiceLoad['latency'] {
  return { counts, count: counts.reduce((sum, count) => sum + count, 0), sumMs: 0 }
}

/** What a hub says so many seconds after the first reading. */
export function readingAt(
  seconds: number,
  services: readonly ServiceLoad[],
  process: Partial<HubStatistics['process']> = {},
): HubStatistics {
  return {
    version: '0.1.0',
    takenAt: 1_800_000_000_000 + seconds * 1_000,
    process: {
      pid: 7,
      startedAt: 1_799_999_940_000,
      nodeVersion: 'v20.20.0',
      residentBytes: 80 * 1024 * 1024,
      heapUsedBytes: 20_000_000,
      cpuMs: 1_250,
      activeResources: 12,
      eventLoopLag: { p50Ms: 0.5, p99Ms: 2.5, maxMs: 1_400 },
      ...process,
    },
    bucketsMs,
    broker: { services, counters: {}, sessions: 3, connections: 4, calls: 5, timers: 6 },
  }
}
