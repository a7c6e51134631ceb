import { type Context, ToolError } from '@callboard/worker'
import type { SchedulerSchema } from '../../src/records/schema.js'
import type { TaskParts } from '../../src/tasks/task-parts.js'
import type { TaskRow } from '../../src/tasks/task-row.js'
import type { Actor } from '../../src/tools/actor.js'
import { cancelTaskTool } from '../../src/tools/cancel-task-tool.js'
import { listRunsTool } from '../../src/tools/list-runs-tool.js'
import { listTasksTool } from '../../src/tools/list-tasks-tool.js'
import { pauseTaskTool } from '../../src/tools/pause-task-tool.js'
import { redriveRunTool } from '../../src/tools/redrive-run-tool.js'
import { resumeTaskTool } from '../../src/tools/resume-task-tool.js'
import { scheduleTaskTool } from '../../src/tools/schedule-task-tool.js'
import type { SchedulerTool } from '../../src/tools/scheduler-tool.js'
import { setTaskTool } from '../../src/tools/set-task-tool.js'
import { FakeScheduling } from './fake-scheduling.js'
import { openTestFoundation, type TestFoundation, type TestFoundationOptions } from './test-foundation.js'

type HubTools = Awaited<ReturnType<Context['tools']>>
type Args = { readonly [key: string]: unknown }

/** A reply, or a refusal, as it comes; a test reads the members that its call has. */
export interface Answer {
  readonly task_id: string
  readonly created: boolean
  readonly warnings: readonly string[]
  readonly next_fires: readonly { readonly local: string; readonly utc: string }[]
  readonly fires_per_day: number
  readonly timezone: string
  readonly tasks: readonly Answer[]
  readonly runs: readonly { readonly run_id: string }[]
  readonly total: number
  readonly code: string
  readonly message: string
  readonly retryAfterMs: number
  readonly [key: string]: unknown
}

export interface Desk extends AsyncDisposable {
  readonly foundation: TestFoundation
  readonly scheduling: FakeScheduling
  /** Tools that callers see in the hub. */
  hubTools: HubTools
  /** Value and text of the reply; rejects with the refusal. */
  call(tool: string, args?: Args, actor?: Actor): Promise<Answer>
  /** Code, message and hint of the refusal that the call must meet. */
  refused(tool: string, args?: Args, actor?: Actor): Promise<Answer>
  row(taskId: string): Promise<TaskRow>
  addRun(run: Partial<RunInsert> & { readonly task_id: string }): Promise<string>
  run(runId: string): Promise<RunInsert>
  activity(): Promise<string[]>
}

type RunInsert = {
  readonly [Column in keyof SchedulerSchema['runs']]: SchedulerSchema['runs'][Column] extends {
    readonly __select__: infer Value
  }
    ? Value
    : SchedulerSchema['runs'][Column]
}

/** All task tools over a real database and a fake engine; a call is what the worker makes of it, without what wraps all tools. */
export async function openDesk(options: TestFoundationOptions = {}): Promise<Desk> {
  const foundation = await openTestFoundation({ groups: deskGroups, ...options })
  const { store, clock, newId } = foundation
  const scheduling = new FakeScheduling()
  const parts: TaskParts = { ...foundation, scheduling }
  const tools = new Map(
    [
      scheduleTaskTool,
      listTasksTool,
      pauseTaskTool,
      resumeTaskTool,
      cancelTaskTool,
      setTaskTool,
      redriveRunTool,
      listRunsTool,
    ].map((make): [string, SchedulerTool] => {
      const tool = make(parts)
      return [tool.name, tool]
    }),
  )
  const desk: Desk = {
    foundation,
    scheduling,
    hubTools: [],
    async call(name, args = {}, actor = ada(foundation)) {
      const tool = tools.get(name)!
      const input = tool.input.safeParse(args)
      if (!input.success) throw new ToolError('INVALID_ARGUMENT', describe(input.error.issues))
      const context = { tools: async () => desk.hubTools } as Context
      const reply = await perform(foundation, tool, input.data, actor, context)
      return { ...tool.output.strict().parse(reply.value), text: reply.text } as unknown as Answer
    },
    async refused(name, args, actor) {
      const failure = await desk.call(name, args, actor).then(
        (answer) => Promise.reject(new Error(`not refused: ${JSON.stringify(answer)}`)),
        (error: unknown) => error,
      )
      if (!(failure instanceof ToolError)) throw failure
      const { code, message, retryable, retryAfterMs, details } = failure
      return { code, message, retryable, retryAfterMs, hint: details?.['hint'] } as unknown as Answer
    },
    row: (id) => store.db.selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    async addRun(run) {
      const id = newId('run')
      await store.db
        .insertInto('runs')
        .values({ ...emptyRun(clock.now()), id, ...run })
        .execute()
      return id
    },
    run: (id) => store.db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    async activity() {
      const rows = await store.db.selectFrom('activity').select('event_type').orderBy('id').execute()
      return rows.map(({ event_type }) => event_type)
    },
    [Symbol.asyncDispose]: () => foundation[Symbol.asyncDispose](),
  }
  return desk
}

const runner = { kind: 'http', baseUrl: 'http://127.0.0.1:1/v1', model: 'none' } as const

const deskGroups = [
  { folder: 'main', isAdmin: true, runner },
  { folder: 'lab', tag: 'science', runner },
  { folder: 'shop', timezone: 'America/New_York' },
]

async function perform(foundation: TestFoundation, tool: SchedulerTool, input: Args, actor: Actor, context: Context) {
  if ('tell' in tool) throw new Error(`${tool.name} is none of the desk's`)
  if ('answer' in tool) return tool.answer(input, actor, context)
  await tool.check?.(input, actor, context)
  const reply = await foundation.store.transaction((db) => tool.change(input, actor, db, context))
  return (await tool.afterwards?.(reply, actor, context)) ?? reply
}

function describe(issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string {
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
}

/** An agent of the group lab. */
export function ada({ groups }: TestFoundation, more: Partial<Actor> = {}): Actor {
  const group = groups.byFolder('lab')!
  return { principal: 'agent:ada', group, isAdmin: false, isOperator: false, triggerDepth: 0, ...more }
}

/** An agent of the admin group. */
export function admin(foundation: TestFoundation): Actor {
  return ada(foundation, { principal: 'agent:boss', group: foundation.groups.admin, isAdmin: true })
}

export function operator(foundation: TestFoundation): Actor {
  return { ...admin(foundation), principal: 'operator:root', isOperator: true }
}

function emptyRun(now: number): Omit<RunInsert, 'id'> {
  return {
    task_id: null,
    trigger_id: null,
    mail_id: null,
    digest_id: null,
    group_folder: 'lab',
    depth: 0,
    scheduled_for: now,
    due_at: now,
    state: 'queued',
    outcome: null,
    serial: 0,
    exclusive: 1,
    attempts: 0,
    attempts_before: 0,
    fence: 0,
    retry_at: null,
    late_ms: 0,
    slots: 1,
    error_class: null,
    error: null,
    created_at: now,
    started_at: null,
    finished_at: null,
  }
}

/** What a caller must say of a task, and no more. */
export const daily = { prompt: 'Read the papers.', schedule_type: 'cron', schedule_value: '0 9 * * *' }
