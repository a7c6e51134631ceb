import { readEnvironment } from '../environment.js'
import { escapeControls } from '../escape-controls.js'
import { askService } from '../hub-link/operator-client.js'
import { exit, print, printJson } from '../output.js'
import { tableOf } from '../table.js'
import { UsageError } from '../usage-error.js'

export interface TasksOptions {
  readonly history?: boolean
  /** Folder. */
  readonly group?: string
  readonly task?: string
  readonly limit?: number
  readonly json?: boolean
}

/** Of what list_tasks answers, what is shown here. */
interface Task {
  readonly task_id: string
  readonly name: string | null
  readonly group: string
  readonly timezone: string
  readonly status: string
  readonly next_fires: readonly { readonly local: string; readonly utc: string }[]
}

/** Of list_runs. */
interface Run {
  readonly run_id: string
  readonly task_id: string | null
  readonly trigger_id: string | null
  readonly mail_id: string | null
  readonly name: string | null
  readonly group: string
  readonly scheduled_for: string
  readonly state: string
  readonly outcome: string | null
  readonly attempts: number
  readonly duration_ms: number | null
  readonly error: string | null
}

export interface UpcomingRun extends Pick<Task, 'task_id' | 'name' | 'group' | 'timezone'> {
  readonly local: string
  readonly utc: string
}

const limitDefault = 20
/** What list_runs gives at most. */
const limitMax = 500
const errorShownMax = 80

export async function runTasks(options: TasksOptions): Promise<never> {
  const { limit = limitDefault } = options
  if (!Number.isInteger(limit) || limit > limitMax) {
    throw new UsageError(`--limit must be a whole number from 1 to ${limitMax}.`)
  }
  await (options.history ? showHistory(options, limit) : showUpcoming(options, limit))
  return exit(0)
}

async function showUpcoming({ group, task, json }: TasksOptions, limit: number): Promise<void> {
  const answer = (await askService(readEnvironment(), 'scheduler', 'list_tasks', {})) as {
    readonly tasks: readonly Task[]
  }
  const tasks = answer.tasks.filter(
    (each) => (group === undefined || each.group === group) && (task === undefined || each.task_id === task),
  )
  const upcoming = upcomingRuns(tasks).slice(0, limit)
  if (json) printJson({ upcoming })
  else print(describeUpcoming(upcoming, tasks))
}

async function showHistory({ group, task, json }: TasksOptions, limit: number): Promise<void> {
  const filter = { ...(group !== undefined && { group }), ...(task !== undefined && { task_id: task }), limit }
  const answer = await askService(readEnvironment(), 'scheduler', 'list_runs', filter)
  const { runs } = answer as { readonly runs: readonly Run[] }
  if (json) printJson({ runs })
  else print(describeHistory(runs))
}

/** Of each task those that it names, all together: the soonest first. */
export function upcomingRuns(tasks: readonly Task[]): readonly UpcomingRun[] {
  return tasks
    .flatMap(({ task_id, name, group, timezone, next_fires }) =>
      next_fires.map(({ local, utc }) => ({ utc, local, timezone, group, task_id, name })),
    )
    .sort((a, b) => Date.parse(a.utc) - Date.parse(b.utc))
}

export function describeUpcoming(upcoming: readonly UpcomingRun[], tasks: readonly Pick<Task, 'status'>[]): string {
  const paused = tasks.filter(({ status }) => status === 'paused').length
  const also = paused === 0 ? '' : ` ${paused} ${paused === 1 ? 'task is' : 'tasks are'} paused.`
  if (upcoming.length === 0) return `No run is coming.${also}`
  const rows = upcoming.map((run) => [run.local, run.timezone, run.utc, run.group, run.name ?? '-', run.task_id])
  return [...tableOf('LOCAL ZONE UTC GROUP NAME TASK', rows), ...(also === '' ? [] : ['', also.trim()])].join('\n')
}

export function describeHistory(runs: readonly Run[]): string {
  if (runs.length === 0) return 'There are no runs.'
  const rows = runs.map((run) => [
    run.scheduled_for,
    run.outcome ?? run.state,
    run.group,
    run.name ?? run.task_id ?? run.trigger_id ?? run.mail_id ?? '-',
    String(run.attempts),
    run.duration_ms === null ? '-' : `${(run.duration_ms / 1000).toFixed(1)} s`,
    run.run_id,
    escapeControls(shortened(run.error ?? '')),
  ])
  return tableOf('SCHEDULED OUTCOME GROUP WHAT ATTEMPTS TOOK RUN ERROR', rows).join('\n')
}

/** The whole of it is in --json. */
function shortened(text: string): string {
  return text.length <= errorShownMax ? text : `${text.slice(0, errorShownMax - 1)}…`
}
