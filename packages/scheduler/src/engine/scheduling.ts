import type { Database } from '../records/schema.js'

/** What others ask of the engine. */
export interface Scheduling {
  /** There may be something to do: a task was made or changed, a run was queued. Never throws. */
  wake(): void
  /** Ends, inside the caller's transaction, what of a task has not started; with `running` also what runs. */
  closeRuns(db: Database, taskId: string, why: CloseReason): Promise<ClosedRuns>
  /** Stops the children of runs that were closed, after the commit. Never throws. */
  stopLost(): void
  /** UTC ms until which this process has work to do or to wait for; undefined: none. */
  readonly holdUntil: number | undefined
}

export interface CloseReason {
  /** For the runs' `error`. */
  readonly text: string
  readonly running: boolean
}

export interface ClosedRuns {
  readonly closed: number
  /** A run that goes on. */
  readonly runningRun?: string
}

/** A run that is not a task's. */
export interface NewRun {
  readonly triggerId?: string
  readonly mailId?: string
  readonly group: string
  readonly depth: number
}
