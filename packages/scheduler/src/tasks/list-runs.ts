import { attemptsShownMax } from '../limits.js'
import type { Database, RunOutcome, RunState } from '../records/schema.js'

export interface RunFilter {
  readonly run_id?: string | undefined
  readonly task_id?: string | undefined
  /** Folder. */
  readonly group?: string | undefined
  readonly outcome?: RunOutcome | undefined
  readonly state?: RunState | undefined
  readonly limit: number
}

/** Newest first, with the name of the task, also of a cancelled one. */
export function listRuns(db: Database, filter: RunFilter) {
  const { run_id, task_id, group, outcome, state, limit } = filter
  return (
    db
      .selectFrom('runs')
      .leftJoin('tasks', 'tasks.id', 'runs.task_id')
      .selectAll('runs')
      .select('tasks.name as task_name')
      .$if(run_id !== undefined, (query) => query.where('runs.id', '=', run_id!))
      .$if(task_id !== undefined, (query) => query.where('runs.task_id', '=', task_id!))
      .$if(group !== undefined, (query) => query.where('runs.group_folder', '=', group!))
      .$if(outcome !== undefined, (query) => query.where('runs.outcome', '=', outcome!))
      .$if(state !== undefined, (query) => query.where('runs.state', '=', state!))
      // Ids sort by the time when a run was made.
      .orderBy('runs.id', 'desc')
      .limit(limit)
      .execute()
  )
}

export type ListedRun = Awaited<ReturnType<typeof listRuns>>[number]

/** The newest first. */
export function listAttempts(db: Database, runId: string) {
  return db
    .selectFrom('attempts')
    .selectAll()
    .where('run_id', '=', runId)
    .orderBy('n', 'desc')
    .limit(attemptsShownMax)
    .execute()
}

export type ListedAttempt = Awaited<ReturnType<typeof listAttempts>>[number]
