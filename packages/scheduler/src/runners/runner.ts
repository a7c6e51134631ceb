import type { Group } from '../groups/group.js'

/** Everything that one attempt of a run needs. */
export interface RunRequest {
  readonly runId: string
  readonly attempt: number
  /** Text form of the slot: the same for each attempt of a run. */
  readonly idempotencyKey: string
  readonly group: Group
  readonly contextMode: 'group' | 'isolated'
  /** With its header. */
  readonly prompt: string
  /** The direct call of a `tool` task. */
  readonly tool?: { readonly name: string; readonly args: { readonly [key: string]: unknown } }
  /** The run's token: never into an output, a log or a row. */
  readonly token: string
  readonly timeoutMs: number
  /**
   * Told of each program before it gets its prompt, a second time when one is run afresh without its session; the last one
   * counts. Rejects when the run was lost meanwhile.
   */
  onProcess(child: ChildIdentity): Promise<void>
}

export interface ChildIdentity {
  /** Of the process group; the pid of its leader. */
  readonly pgid: number
  /** Machine, boot and start time of the leader. */
  readonly identity: string | null
}

export type ErrorClass =
  | 'network'
  | 'rate_limited'
  | 'upstream'
  | 'exit'
  | 'refused'
  | 'missing_program'
  | 'bad_config'
  | 'tool_error'
  | 'outcome_unknown'
  | 'internal'

export interface RunError {
  readonly class: ErrorClass
  /** One sentence for people. */
  readonly text: string
  /** Whether another attempt could do better. */
  readonly transient: boolean
  readonly retryAfterMs?: number
}

/** What an attempt came to. Time limit, cancel and loss are the signal's: the engine knows them. */
export interface RunReport {
  /** Undefined when it did what it should. */
  readonly error?: RunError
  /** The final text, at most 64 KiB. */
  readonly text: string
  readonly stderrTail?: string
  readonly exitCode?: number
  readonly signal?: string
  readonly sessionId?: string
  readonly tokensIn?: number
  readonly tokensOut?: number
  readonly costUsd?: number
  readonly toolCalls?: number
  /** For the activity log, e.g. that a session id was rejected. */
  readonly warnings?: readonly string[]
}

/** Why an attempt's signal aborted. */
export type StopReason = 'timed_out' | 'cancelled' | 'fenced' | 'stopping'

export interface Runner {
  /**
   * Resolves when everything of the attempt has ended, also after the signal: nothing of it lives on. Its reason is a
   * {@link StopReason}. Rejects only for what is our fault.
   */
  run(request: RunRequest, signal: AbortSignal): Promise<RunReport>
}
