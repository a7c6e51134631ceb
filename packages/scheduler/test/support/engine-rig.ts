import { CallFailure } from '@callboard/worker'
import { Engine } from '../../src/engine/engine.js'
import type { EngineParts } from '../../src/engine/engine-parts.js'
import type { Foundation } from '../../src/foundation.js'
import type { Hub, HubTool, RunIdentity } from '../../src/hub/hub.js'
import type { Messages, NewMessage } from '../../src/messages/messages.js'
import type { Database } from '../../src/records/schema.js'
import type { Runner, RunReport, RunRequest, StopReason } from '../../src/runners/runner.js'
import { jitterOf } from '../../src/schedule/jitter.js'
import { nextOccurrence } from '../../src/schedule/occurrences.js'
import type { Schedule } from '../../src/schedule/schedule.js'
import type { TaskRow } from '../../src/tasks/task-row.js'
import { openTestFoundation, type TestFoundation, type TestFoundationOptions } from './test-foundation.js'

/** A run that a test ends when it likes. */
export interface OpenRun {
  readonly request: RunRequest
  readonly signal: AbortSignal
  finish(report?: Partial<RunReport>): void
}

/** Runs nothing: the test plays the agents. */
export class TestRunner implements Runner {
  readonly started: RunRequest[] = []
  readonly open: OpenRun[] = []
  /** What happens to a run at once; undefined: it stays open. */
  answer: ((request: RunRequest) => Partial<RunReport> | undefined) | undefined

  run(request: RunRequest, signal: AbortSignal): Promise<RunReport> {
    this.started.push(request)
    const answer = this.answer?.(request)
    if (answer !== undefined) return Promise.resolve({ text: '', ...answer })
    return new Promise((resolve) => {
      const finish = (report: Partial<RunReport> = {}) => {
        const index = this.open.indexOf(run)
        if (index >= 0) this.open.splice(index, 1)
        resolve({ text: '', ...report })
      }
      const run = { request, signal, finish }
      this.open.push(run)
      signal.addEventListener('abort', () => finish({ error: stoppedBy(signal.reason) }), { once: true })
    })
  }
}

function stoppedBy(reason: StopReason): NonNullable<RunReport['error']> {
  return { class: 'exit', text: `It was stopped: ${reason}.`, transient: true }
}

export class TestHub implements Hub {
  readonly minted: RunIdentity[] = []
  readonly restored: string[] = []
  readonly revoked: string[] = []
  readonly revokedRuns: string[] = []
  isAway = false
  catalogue: readonly HubTool[] = []
  answer: (tool: string, args: object) => object = () => ({ content: [] })
  #serial = 0

  async mintToken(run: RunIdentity): Promise<string> {
    if (this.isAway) throw new CallFailure('unavailable', 'No hub.', { retryable: true })
    this.minted.push(run)
    return `token-${++this.#serial}`
  }

  async restoreToken(token: string): Promise<void> {
    this.restored.push(token)
  }

  async revokeToken(token: string): Promise<void> {
    this.revoked.push(token)
  }

  async revokeRun(runId: string, attempt: number): Promise<void> {
    this.revokedRuns.push(`${runId} ${attempt}`)
  }

  async call(_token: string, tool: string, args: object) {
    return this.answer(tool, args) as Awaited<ReturnType<Hub['call']>>
  }

  async tools() {
    return this.catalogue
  }
}

export class TestMessages implements Messages {
  readonly posted: NewMessage[] = []
  readonly #newId: (prefix: 'msg') => string
  readonly #now: () => number

  constructor(newId: (prefix: 'msg') => string, now: () => number) {
    this.#newId = newId
    this.#now = now
  }

  async post(db: Database, message: NewMessage) {
    const id = this.#newId('msg')
    const { group, runId, priority, text, depth } = message
    await db
      .insertInto('messages')
      .values({
        id,
        group_folder: group,
        run_id: runId ?? null,
        priority,
        text,
        depth,
        state: 'held',
        created_at: this.#now(),
      })
      .execute()
    this.posted.push(message)
    return { messageId: id, state: 'held' as const, warnings: [] }
  }
}

export interface EngineRig extends AsyncDisposable {
  readonly foundation: TestFoundation
  readonly engine: Engine
  readonly parts: EngineParts
  readonly runner: TestRunner
  readonly hub: TestHub
  readonly messages: TestMessages
  readonly killed: string[]
  addTask(task?: TaskSpec): Promise<string>
  /** Ticks until nothing is due now, and lets what was started begin. */
  run(): Promise<void>
  /** Moves the clock from one deadline of the engine to the next, up to this time. */
  runUntil(time: number | string): Promise<void>
  /** The same where each run ends at once: from deadline to deadline, and nothing else wakes anybody. */
  follow(time: number): Promise<void>
  runs(taskId?: string): Promise<SelectedRun[]>
  task(id: string): Promise<{ status: string; next_fire: number | null; failures: number; pause_reason: string | null }>
  events(type?: string): Promise<string[]>
}

export interface SelectedRun {
  readonly id: string
  readonly at: string
  readonly state: string
  readonly outcome: string | null
  readonly attempts: number
  readonly slots: number
  readonly late_ms: number
  readonly error: string | null
}

export type TaskSpec = Partial<Omit<TaskRow, 'id'>> & { readonly schedule?: Schedule }

export interface RigOptions extends TestFoundationOptions {
  readonly foundation?: TestFoundation
  readonly processId?: string
  readonly parts?: Partial<EngineParts>
  readonly others?: () => number
}

export async function openEngineRig(options: RigOptions = {}): Promise<EngineRig> {
  const foundation = options.foundation ?? (await openTestFoundation(options))
  const { clock, store, newId } = foundation
  const runner = new TestRunner()
  const hub = new TestHub()
  const messages = new TestMessages(newId, clock.now)
  const killed: string[] = []
  const parts: EngineParts = {
    ...foundation,
    processId: options.processId ?? 'process_a',
    hub,
    runner,
    messages,
    wakeMail: () => {},
    others: options.others ?? (() => 0),
    killGroup: async (pgid, identity) => void killed.push(`${pgid} ${identity}`),
    ...options.parts,
  }
  const engine = new Engine(parts)
  engine.hubChanged(true)
  const run = async () => {
    for (;;) {
      const next = await engine.tick()
      await settle()
      if (next === undefined || next > clock.now()) break
    }
    // What ended at once may have made room.
    if (runner.open.length < engine.running) return
    await engine.tick()
    await settle()
  }
  return {
    foundation,
    engine,
    parts,
    runner,
    hub,
    messages,
    killed,
    run,
    async addTask(spec) {
      const row = taskRow(foundation, spec)
      await store.db.insertInto('tasks').values(row).execute()
      return row.id
    },
    async runUntil(time) {
      const end = typeof time === 'number' ? time : Date.parse(time)
      await run()
      for (;;) {
        // Whoever sleeps is woken in time: leases are renewed, limits kept.
        const next = Math.min((await engine.tick()) ?? end, clock.nextWake ?? end)
        if (next >= end) break
        clock.advance(Math.max(0, next - clock.now()))
        await settle()
        await run()
      }
      clock.advance(end - clock.now())
      await settle()
      await run()
    },
    async follow(end) {
      for (;;) {
        const next = (await engine.tick()) ?? end
        while (engine.running > 0) await new Promise((resolve) => setImmediate(resolve))
        if (next >= end) break
        clock.advance(Math.max(0, next - clock.now()))
      }
    },
    async runs(taskId) {
      const rows = await store.db
        .selectFrom('runs')
        .selectAll()
        .$if(taskId !== undefined, (query) => query.where('task_id', '=', taskId ?? ''))
        .orderBy('scheduled_for')
        .orderBy('id')
        .execute()
      return rows.map(({ id, scheduled_for, state, outcome, attempts, slots, late_ms, error }) => {
        return { id, at: new Date(scheduled_for).toISOString(), state, outcome, attempts, slots, late_ms, error }
      })
    },
    task: (id) =>
      store.db
        .selectFrom('tasks')
        .select(['status', 'next_fire', 'failures', 'pause_reason'])
        .where('id', '=', id)
        .executeTakeFirstOrThrow(),
    async events(type) {
      const rows = await store.db.selectFrom('activity').select('event_type').orderBy('id').execute()
      return rows.map(({ event_type }) => event_type).filter((each) => type === undefined || each === type)
    },
    async [Symbol.asyncDispose]() {
      const closing = engine.close()
      await settle()
      clock.advance(10_000)
      await closing
      if (options.foundation === undefined) await foundation[Symbol.asyncDispose]()
    },
  }
}

/** As the tools would have made it. */
export function taskRow({ clock, newId }: Pick<Foundation, 'clock' | 'newId'>, spec: TaskSpec = {}) {
  const { schedule = { type: 'interval', everyMs: 60_000, anchor: clock.now(), timeZone: 'UTC' }, ...row } = spec
  const id = newId('task')
  const next = nextOccurrence(schedule, clock.now()) ?? (schedule.type === 'once' ? schedule.at : null)
  return {
    id,
    group_folder: 'main',
    prompt: 'Do it.',
    schedule_type: schedule.type,
    schedule_value: valueText(schedule),
    timezone: schedule.timeZone,
    anchor: schedule.type === 'interval' ? schedule.anchor : clock.now(),
    context_mode: 'isolated' as const,
    missed: 'latest' as const,
    overlap: 'skip' as const,
    jitter_ms: 0,
    expect: 'any' as const,
    deliver: 'none' as const,
    depth: 0,
    status: 'active' as const,
    next_fire: next,
    due_at: next === null ? null : next + jitterOf(id, next, row.jitter_ms ?? 0),
    failures: 0,
    version: 1,
    created_by: 'agent:main',
    creator_group: 'main',
    created_at: clock.now(),
    ...row,
  }
}

function valueText(schedule: Schedule): string {
  switch (schedule.type) {
    case 'cron':
      return schedule.pattern
    case 'interval':
      return String(schedule.everyMs)
    case 'once':
      return new Date(schedule.at).toISOString().slice(0, 19)
  }
}

/** Lets everything that needs no time happen. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
