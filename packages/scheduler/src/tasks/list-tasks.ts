import { listedTasksMax, promptShownMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import type { TaskRow } from './task-row.js'

export interface ListedTask {
  /** With as much of its prompt as is shown. */
  readonly row: TaskRow
  readonly isRunning: boolean
  readonly lastRun: LastRun | undefined
}

export interface LastRun {
  readonly id: string
  readonly outcome: string | null
  readonly scheduled_for: number
  readonly started_at: number | null
  readonly finished_at: number | null
  readonly error: string | null
}

export interface TaskList {
  readonly tasks: readonly ListedTask[]
  /** Of all, those left out too. */
  readonly total: number
}

/** Of one group, or of all: what lives first, oldest first; then what ended, newest first. Three queries for any number. */
export async function listTasks(db: Database, group: string | undefined): Promise<TaskList> {
  const visible = () =>
    db
      .selectFrom('tasks')
      .where('status', '!=', 'cancelled')
      .$if(group !== undefined, (query) => query.where('group_folder', '=', group!))
  const { total } = await visible()
    .select(({ fn }) => fn.countAll().as('total'))
    .executeTakeFirstOrThrow()
  const found = await visible()
    .select(columns)
    .select(({ fn, val, selectFrom }) => [
      fn<string>('substr', ['prompt', val(1), val(promptShownMax)]).as('prompt'),
      selectFrom('runs')
        .select('runs.id')
        .whereRef('runs.task_id', '=', 'tasks.id')
        .where('runs.state', '=', 'running')
        .limit(1)
        .as('running_run'),
      // By slot, so that its unique index leads to the newest without a look at the others.
      selectFrom('runs')
        .select('runs.id')
        .whereRef('runs.task_id', '=', 'tasks.id')
        .where('runs.state', '=', 'ended')
        .orderBy('runs.scheduled_for', 'desc')
        .limit(1)
        .as('last_run'),
    ])
    .orderBy(({ fn, val }) => fn.coalesce('ended_at', val(Number.MAX_SAFE_INTEGER)), 'desc')
    .orderBy('id')
    .limit(listedTasksMax)
    .execute()
  const runs = await runsById(
    db,
    found.flatMap(({ last_run }) => last_run ?? []),
  )
  const tasks = found.map(({ running_run, last_run, ...row }) => ({
    row,
    isRunning: running_run !== null,
    lastRun: runs.get(last_run ?? ''),
  }))
  return { tasks, total: Number(total) }
}

/** All but the prompt, which may be long. */
const columns = [
  'id',
  'group_folder',
  'name',
  'schedule_type',
  'schedule_value',
  'timezone',
  'anchor',
  'context_mode',
  'missed',
  'overlap',
  'jitter_ms',
  'expect',
  'deliver',
  'tool',
  'args',
  'depth',
  'status',
  'pause_reason',
  'next_fire',
  'due_at',
  'failures',
  'version',
  'created_by',
  'creator_group',
  'created_at',
  'ended_at',
  'cancelled_at',
] as const

async function runsById(db: Database, ids: readonly string[]): Promise<ReadonlyMap<string, LastRun>> {
  if (ids.length === 0) return new Map()
  const runs = await db
    .selectFrom('runs')
    .select(['id', 'outcome', 'scheduled_for', 'started_at', 'finished_at', 'error'])
    .where('id', 'in', ids)
    .execute()
  return new Map(runs.map((run) => [run.id, run]))
}
