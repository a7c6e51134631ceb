/**
 * The tools of the replicas: two whose calls may be handed over twice, and three without a hint, of which one has a short
 * deadline and one keeps the event loop for itself.
 */
export type ToolKind = 'record' | 'record_idempotent' | 'record_brief' | 'read' | 'burn'

/** One call as its agent saw it. Times are UTC ms with fractions, comparable between the processes of one machine. */
export interface CallRecord {
  /** Unique per call, in its arguments and in its result. */
  readonly canary: string
  readonly kind: ToolKind
  readonly sentAt: number
  /** When the first answer came. */
  readonly answeredAt?: number
  readonly answers: number
  /** Of the first answer: `result`, a failure's code, or what the agent saw in place of an answer. */
  readonly outcome?: string
  /** Answers that carry the canary of another call, or none though they are results. */
  readonly foreign: number
  /** Of the replica whose result it is. */
  readonly process?: string
}

/** One execution as its replica wrote it down: the beginning before the work, the end before the answer. */
export interface RunRecord {
  readonly canary: string
  readonly kind: ToolKind
  readonly process: string
  readonly startedAt: number
  readonly endedAt?: number
}

/** Something was done to a process: its calls may fail from then on. */
export interface Fault {
  readonly at: number
  readonly process: string
}

/** Whether the hub may hand such a call over a second time. */
export const isRepeatable = (kind: ToolKind): boolean => kind === 'record_idempotent' || kind === 'read'

/** Of `record_brief`. */
export const briefTimeoutMs = 1_000
