import type { Database } from '../records/schema.js'

/** What others ask of the engine. What takes a `db` is part of the caller's transaction. */
export interface Scheduling {
  /** After a commit: a task was made or changed, a run was queued or closed. Also stops the children of runs that were closed. Never throws. */
  wake(): void
  /** Queues the run of a trigger or of a mail; returns its id. */
  queueRun(db: Database, run: NewRun): Promise<string>
  /** Ends what of a task has not started, or waits for a retry; with `running` what runs, too. */
  closeRuns(db: Database, taskId: string, why: CloseReason): Promise<ClosedRuns>
  /** Gives a dead run fresh attempts under its old identity. Undefined: it is not dead. */
  redrive(db: Database, runId: string): Promise<'queued' | undefined>
  /** UTC ms until which this process has work to do or to wait for; undefined: none. */
  readonly holdUntil: number | undefined
}

/** A run that is not a task's; exactly one of the ids is given. */
export interface NewRun {
  readonly triggerId?: string
  readonly mailId?: string
  readonly group: string
  readonly depth: number
}

export interface CloseReason {
  /** The runs' `error`, e.g. `The task was paused before this run had started.` */
  readonly text: string
  readonly running: boolean
}

export interface ClosedRuns {
  readonly closed: number
  /** A run that goes on. */
  readonly runningRun?: string
}
