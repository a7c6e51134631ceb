import type { WindowReport } from '../client/client-messages.js'
import { Latencies, type PackedLatencies } from '../client/latencies.js'

/** A window, with what the subject's processes used meanwhile. */
export interface MeasuredWindow extends WindowReport {
  readonly hubCpuMs: number
  /** Of all its processes, the hub's included. */
  readonly cpuMs: number
}

/** What the windows of one subject in one scenario say. */
export interface Figures {
  readonly callsPerSecond: number
  readonly p50Us: number
  readonly p99Us: number
  readonly hubCpuUs: number
  readonly cpuUs: number
  readonly clientCpuUs: number
  /** Per round, for ratios and differences. */
  readonly rates: readonly number[]
  readonly p50sUs: readonly number[]
  readonly hubCpusUs: readonly number[]
}

export function figuresOf(windows: readonly MeasuredWindow[]): Figures {
  const sum = (value: (window: MeasuredWindow) => number) => windows.reduce((all, window) => all + value(window), 0)
  const latencies = Latencies.of(windows.map((window) => window.latencies))
  const perCall = (value: (window: MeasuredWindow) => number) => (sum(value) * 1_000) / sum(({ calls }) => calls)
  return {
    callsPerSecond: (sum(({ calls }) => calls) * 1_000) / sum(({ elapsedMs }) => elapsedMs),
    p50Us: latencies.quantile(0.5),
    p99Us: latencies.quantile(0.99),
    hubCpuUs: perCall(({ hubCpuMs }) => hubCpuMs),
    cpuUs: perCall(({ cpuMs }) => cpuMs),
    clientCpuUs: perCall(({ clientCpuMs }) => clientCpuMs),
    rates: windows.map(({ calls, elapsedMs }) => (calls * 1_000) / elapsedMs),
    p50sUs: windows.map(({ latencies: packed }) => medianOf(packed)),
    hubCpusUs: windows.map(({ calls, hubCpuMs }) => (hubCpuMs * 1_000) / calls),
  }
}

function medianOf(packed: PackedLatencies): number {
  return Latencies.of([packed]).quantile(0.5)
}
