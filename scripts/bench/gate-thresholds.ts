/**
 * What a build may cost at most. Each is a ratio or a count: none of them moves with the speed of the machine, and hardly with what
 * else it does. `npm run bench:gate -- --calibrate` prints what a build measures, and what a threshold would be with its margin.
 */
export interface Threshold {
  readonly what: string
  readonly max: number
  readonly unit: string
  /** What a threshold has above what is measured: by so much does it move from run to run, loaded or not. */
  readonly margin: number
}

export const thresholds = {
  cpuTrusted: { what: 'CPU per call over the naive proxy’s, trusted', max: 0.5, unit: ' ×', margin: 0.25 },
  cpuChecked: { what: 'CPU per call over the naive proxy’s, checked', max: 0.5, unit: ' ×', margin: 0.25 },
  heapTrusted: { what: 'heap taken up per call, trusted', max: 6.5, unit: ' KiB', margin: 0.1 },
  heapChecked: { what: 'heap taken up per call, checked', max: 11.5, unit: ' KiB', margin: 0.1 },
  batchesOut: { what: 'ZeroMQ messages to the worker for 128 calls', max: 1.5, unit: '', margin: 0.5 },
  batchesIn: { what: 'ZeroMQ messages from the worker for 128 calls', max: 1.5, unit: '', margin: 0.5 },
  messagesOut: { what: 'messages of the protocol to the worker per call', max: 1.1, unit: '', margin: 0.1 },
  messagesIn: { what: 'messages of the protocol from the worker per call', max: 1.1, unit: '', margin: 0.1 },
  writes: { what: 'writes to the agent for 128 calls', max: 1.5, unit: '', margin: 0.5 },
  promises: { what: 'promises per call', max: 0.12, unit: '', margin: 1 },
  timers: { what: 'timers and immediates for 128 calls', max: 4, unit: '', margin: 1 },
} as const satisfies { readonly [measure: string]: Threshold }

export type GateMeasure = keyof typeof thresholds
