import type { WindowOrder } from './client/client-messages.js'
import { largeWindowMs, windowMs } from './limits.js'
import type { Way } from './subjects/subject.js'

export type ScenarioName =
  | 'latency'
  | 'throughput-1'
  | 'throughput-16'
  | 'throughput-128'
  | 'http-1'
  | 'http-32'
  | 'payload-100b'
  | 'payload-10kb'
  | 'payload-1mb'

export interface Scenario extends WindowOrder {
  readonly name: ScenarioName
  readonly title: string
  /** Of the subjects that take part. */
  readonly way: Exclude<Way, 'both'>
  /** What the ratios are of: the median latency, or calls per second. */
  readonly measure: 'latency' | 'rate'
  /** All processes of the subject, and the client, on one CPU. */
  readonly pinned: boolean
}

const usual = { way: 'lines', measure: 'rate', pinned: false, payload: 'typical', ms: windowMs } as const

export const scenarios: readonly Scenario[] = [
  {
    ...usual,
    name: 'latency',
    title: 'Latency, 1 in flight, on one CPU',
    inFlight: 1,
    measure: 'latency',
    pinned: true,
  },
  { ...usual, name: 'throughput-1', title: 'Throughput, 1 in flight', inFlight: 1 },
  { ...usual, name: 'throughput-16', title: 'Throughput, 16 in flight', inFlight: 16 },
  { ...usual, name: 'throughput-128', title: 'Throughput, 128 in flight', inFlight: 128 },
  { ...usual, name: 'http-1', title: 'HTTP, 1 in flight', inFlight: 1, way: 'http', measure: 'latency' },
  { ...usual, name: 'http-32', title: 'HTTP, 32 in flight', inFlight: 32, way: 'http' },
  { ...usual, name: 'payload-100b', title: '100 B there and back, 16 in flight', inFlight: 16, payload: '100 B' },
  { ...usual, name: 'payload-10kb', title: '10 KB there and back, 16 in flight', inFlight: 16, payload: '10 KB' },
  {
    ...usual,
    ...{ name: 'payload-1mb', title: '1 MB there and back, 4 in flight', inFlight: 4, payload: '1 MB' },
    ms: largeWindowMs,
  },
]
