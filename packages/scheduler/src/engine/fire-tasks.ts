import { recordActivity } from '../activity/record-activity.js'
import { queuedRunsPerTaskMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import { jitterOf } from '../schedule/jitter.js'
import { type FirePlan, planFires } from '../schedule/missed.js'
import { readTask, scheduleOf } from '../tasks/task-records.js'
import { type TaskRow, titleOf } from '../tasks/task-row.js'
import { utcText } from '../utc-text.js'
import { closeRun, closeRuns } from './close-runs.js'
import { dueTasks, nextTask } from './due-times.js'
import { autoPause, endRun } from './end-run.js'
import type { EngineParts } from './engine-parts.js'
import { queuedRun, type RunRow } from './run-row.js'

/** Makes runs of the slots that are due, and sets each task to its next one. Returns how many tasks were due. */
export async function fireDueTasks(parts: EngineParts): Promise<number> {
  const { store, clock } = parts
  // The writers' lock is not taken for a look.
  const next = await nextTask(store.db).executeTakeFirst()
  if (next?.at == null || next.at > clock.now()) return 0
  return store.transaction(async (db) => {
    const tasks = await dueTasks(db, clock.now()).execute()
    for (const task of tasks) await fireSafely(db, parts, task)
    return tasks.length
  })
}

/** A row that nothing can be made of must not keep the others from firing. What the database throws is no row's fault. */
async function fireSafely(db: Database, parts: EngineParts, row: TaskRow): Promise<void> {
  try {
    await fireTask(db, parts, row)
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error
    parts.log.error({ err: error, task: row.id }, 'a task could not fire')
    await autoPause(db, parts, row, `its row can't be read (${error.message})`)
  }
}

async function fireTask(db: Database, parts: EngineParts, row: TaskRow): Promise<void> {
  const task = readTask(row)
  if ('malformed' in task || row.next_fire === null) {
    const why = 'malformed' in task ? task.malformed : 'its next time is missing'
    return autoPause(db, parts, row, `its row can't be read (${why})`)
  }
  const { clock, config } = parts
  const schedule = scheduleOf(task)
  const policy = { missed: row.missed, graceMs: config.missed_grace_ms }
  // Jitter is no lateness: a slot is late by when it was due.
  const plan = planFires(schedule, row.next_fire, clock.now() - jitterOf(row.id, row.next_fire, row.jitter_ms), policy)
  await recordMissed(db, parts, row, plan)
  for (const { slot, lateMs } of plan.run) await addSlot(db, parts, row, slot, lateMs)
  const next = plan.next ?? null
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set({ next_fire: next, due_at: next === null ? null : next + jitterOf(row.id, next, row.jitter_ms) })
    .where('id', '=', row.id)
    .where('status', '=', 'active')
    .executeTakeFirst()
  // What became of an older run has just paused the task: then nothing of it may wait.
  if (Number(numUpdatedRows) === 0) {
    await closeRuns(db, parts, row.id, { text: 'The task was paused before this run had started.', running: false })
  }
}

/** A slot that exists is not made again, whoever made it. */
async function addSlot(db: Database, parts: EngineParts, task: TaskRow, slot: number, lateMs: number): Promise<void> {
  const { newId, clock } = parts
  const run = queuedRun({
    id: newId('run'),
    taskId: task.id,
    group: task.group_folder,
    depth: task.depth,
    scheduledFor: slot,
    dueAt: slot + jitterOf(task.id, slot, task.jitter_ms),
    createdAt: clock.now(),
    serial: task.context_mode === 'group' && task.tool === null,
    exclusive: task.overlap !== 'allow',
    lateMs,
  })
  const { inserted } = await insertSlot(db, run)
  if (inserted) await resolveOverlap(db, parts, task, run)
}

async function insertSlot(db: Database, run: RunRow): Promise<{ inserted: boolean }> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('runs')
    .values(run)
    .onConflict((conflict) => conflict.columns(['task_id', 'scheduled_for']).doNothing())
    .executeTakeFirstOrThrow()
  return { inserted: Number(numInsertedOrUpdatedRows) > 0 }
}

/** What becomes of the new slot, and of older ones that have not ended. */
async function resolveOverlap(db: Database, parts: EngineParts, task: TaskRow, slot: RunRow): Promise<void> {
  const older = await db
    .selectFrom('runs')
    .selectAll()
    .where('task_id', '=', task.id)
    .where('state', 'in', ['queued', 'running', 'waiting'])
    .where('id', '!=', slot.id)
    .execute()
  for (const run of older.filter(({ state }) => state === 'waiting')) {
    const error = `The next slot came before its retry. Last: ${run.error ?? run.error_class ?? 'unknown'}`
    await endRun(db, parts, run, { outcome: 'failed', errorClass: run.error_class ?? 'superseded', error })
  }
  const running = older.filter(({ state }) => state === 'running')
  const queued = older.filter(({ state }) => state === 'queued').length
  if (queued >= queuedRunsPerTaskMax) return skip(db, parts, slot, `${queued} older slots of this task wait already`)
  if (running.length === 0 || task.overlap === 'allow') return
  if (task.overlap === 'skip') return skip(db, parts, slot, 'The slot before was still running')
  if (task.overlap === 'queue_one' && queued > 0) {
    return skip(db, parts, slot, 'The slot before was still running, and one waits already')
  }
  if (task.overlap === 'cancel_running') {
    for (const run of running) await closeRun(db, parts.clock.now(), run, 'The next slot of this task took its place.')
  }
}

async function skip(db: Database, parts: EngineParts, slot: RunRow, why: string): Promise<void> {
  await endRun(db, parts, slot, { outcome: 'skipped_overlap', error: `${why}.` })
  await recordActivity(db, {
    at: parts.clock.now(),
    type: 'run_skipped',
    group: slot.group_folder,
    taskId: slot.task_id!,
    runId: slot.id,
    summary: `The slot of ${utcText(slot.scheduled_for)} was skipped: ${why}.`,
  })
}

async function recordMissed(db: Database, parts: EngineParts, task: TaskRow, plan: FirePlan): Promise<void> {
  const { missed, missedMore } = plan
  if (missed.length === 0 && missedMore === undefined) return
  const now = parts.clock.now()
  const rows = missed.map((slot) => missedRun(parts, task, slot, now, 1))
  if (missedMore !== undefined) {
    const text = `${missedMore.isCountExact ? '' : 'At least '}${missedMore.count} slots from ${utcText(missedMore.from)} to ${utcText(missedMore.to)}.`
    rows.push({ ...missedRun(parts, task, missedMore.to, now, missedMore.count), error: text })
  }
  for (const row of rows) await insertSlot(db, row)
  const count = missed.length + (missedMore?.count ?? 0)
  await recordActivity(db, {
    at: now,
    type: 'run_missed',
    group: task.group_folder,
    taskId: task.id,
    summary: `Task ${titleOf(task)} missed ${missedMore?.isCountExact === false ? 'at least ' : ''}${count} slots; ${plan.run.length} of them run now.`,
    details: { slots: count, policy: task.missed },
  })
  if (task.schedule_type === 'once' && plan.run.length === 0) await endMissedOnce(db, parts, task)
}

async function endMissedOnce(db: Database, { clock, messages }: EngineParts, task: TaskRow): Promise<void> {
  await db
    .updateTable('tasks')
    .set({ status: 'failed', ended_at: clock.now(), next_fire: null, due_at: null })
    .where('id', '=', task.id)
    .execute()
  const text = `The task ${titleOf(task)} was due at ${utcText(task.next_fire!)} while nothing ran here, and is not made up for.`
  await messages.post(db, {
    group: task.group_folder,
    depth: task.depth,
    priority: 'notify',
    text,
    isNotice: true,
  })
}

function missedRun(parts: EngineParts, task: TaskRow, slot: number, now: number, slots: number): RunRow {
  return {
    ...queuedRun({
      id: parts.newId('run'),
      taskId: task.id,
      group: task.group_folder,
      depth: task.depth,
      scheduledFor: slot,
      dueAt: slot,
      createdAt: now,
      serial: false,
      exclusive: false,
      lateMs: now - slot,
    }),
    state: 'ended',
    outcome: 'missed',
    slots,
    finished_at: now,
    error: 'Nothing ran here at that time.',
  }
}
