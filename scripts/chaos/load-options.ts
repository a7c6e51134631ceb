import type { ToolKind } from './records.js'
import type { Spread } from './spread.js'

/** What a generator is told. */
export interface LoadOptions {
  /** Begins the canaries of its calls; no two generators of a stage have the same. */
  readonly name: string
  /** Calls per second, whatever becomes of those before. */
  readonly rate: number
  /** In turn. */
  readonly kinds: readonly ToolKind[]
  /** Least and most, in ms. */
  readonly workMs: readonly [number, number]
  /** Connections on the socket, of each generation of MCP. */
  readonly connections: number
  /** Every so many calls one goes over HTTP; 0: none. */
  readonly httpEvery: number
  /** How long answers may still come when no more is asked, in ms. */
  readonly settleMs: number
}

/** Half of it without a hint, a quarter each idempotent and read-only. */
export const usualLoad: LoadOptions = {
  name: 'call',
  rate: 1_000,
  kinds: ['record', 'record_idempotent', 'record', 'read'],
  workMs: [5, 20],
  connections: 4,
  httpEvery: 20,
  settleMs: 10_000,
}

/** What a generator tells when it has ended. */
export interface LoadReport {
  /** How much later than planned calls went out, in ms: what the generator adds by itself. */
  readonly lagMs: Spread
  /** Of its process, in ms. */
  readonly cpuMs: number
}
