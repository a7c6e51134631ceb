import type { Database } from '../records/schema.js'
import { jitterOf } from '../schedule/jitter.js'
import { type FirePlan, planFires } from '../schedule/missed.js'
import { readTask } from '../tasks/task-records.js'
import type { TaskRow } from '../tasks/task-row.js'
import { closeRuns } from './close-runs.js'
import { dueTasks, nextTask } from './due-times.js'
import { autoPause } from './end-run.js'
import type { EngineParts } from './engine-parts.js'
import { insertSlots } from './insert-slots.js'
import { recordMissed } from './missed-runs.js'
import { resolveOverlap, tasksWithOpenRuns } from './overlap.js'
import { queuedRun, type RunRow } from './run-row.js'

/** What a task that is due comes to. */
interface Fire {
  readonly task: TaskRow
  readonly plan: FirePlan
  /** A run for each slot that is not missed, oldest first. */
  readonly slots: readonly RunRow[]
}

/** Makes runs of the slots that are due, and sets each task to its next one. Returns how many tasks were due. */
export async function fireDueTasks(parts: EngineParts): Promise<number> {
  const { store, clock } = parts
  // The writers' lock is not taken for a look.
  const next = await nextTask(store.db).executeTakeFirst()
  if (next?.at == null || next.at > clock.now()) return 0
  return store.transaction(async (db) => {
    const tasks = await dueTasks(db, clock.now()).execute()
    const fires: Fire[] = []
    for (const task of tasks) {
      const fire = await safely(db, parts, task, async () => fireOf(parts, task))
      if (typeof fire === 'string') await pauseUnreadable(db, parts, task, fire)
      else if (fire !== undefined) fires.push(fire)
    }
    await addSlots(db, parts, fires)
    for (const fire of fires) await safely(db, parts, fire.task, () => moveOn(db, parts, fire))
    return tasks.length
  })
}

/** A row that nothing can be made of must not keep the others from firing. What the database throws is no row's fault. */
async function safely<Result>(
  db: Database,
  parts: EngineParts,
  task: TaskRow,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error
    parts.log.error({ err: error, task: task.id }, 'a task could not fire')
    await pauseUnreadable(db, parts, task, error.message)
    return undefined
  }
}

async function pauseUnreadable(db: Database, parts: EngineParts, task: TaskRow, why: string): Promise<void> {
  await autoPause(db, parts, task, `its row can't be read (${why})`)
}

/** Or what is wrong with the row. */
function fireOf(parts: EngineParts, row: TaskRow): Fire | string {
  const task = readTask(row)
  if ('malformed' in task) return task.malformed
  if (row.next_fire === null) return 'its next time is missing'
  const { clock, config } = parts
  const policy = { missed: row.missed, graceMs: config.missed_grace_ms }
  // Jitter is no lateness: a slot is late by when it was due.
  const now = clock.now() - jitterOf(row.id, row.next_fire, row.jitter_ms)
  const plan = planFires(task.schedule, row.next_fire, now, policy)
  return { task: row, plan, slots: plan.run.map(({ slot, lateMs }) => slotRun(parts, row, slot, lateMs)) }
}

function slotRun({ newId, clock }: EngineParts, task: TaskRow, slot: number, lateMs: number): RunRow {
  return queuedRun({
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
}

async function addSlots(db: Database, parts: EngineParts, fires: readonly Fire[]): Promise<void> {
  const busy = await tasksWithOpenRuns(
    db,
    fires.map(({ task }) => task.id),
  )
  // Most slots meet no other run of their task: one statement stores all of these.
  const isAlone = ({ task, slots }: Fire) => slots.length === 1 && !busy.has(task.id)
  await insertSlots(
    db,
    fires.filter(isAlone).flatMap(({ slots }) => slots),
  )
  for (const { task, slots } of fires.filter((fire) => !isAlone(fire))) {
    for (const slot of slots) {
      const inserted = await insertSlots(db, [slot])
      if (inserted.has(slot.id)) await resolveOverlap(db, parts, task, slot)
    }
  }
}

async function moveOn(db: Database, parts: EngineParts, { task, plan }: Fire): Promise<void> {
  await recordMissed(db, parts, task, plan)
  const next = plan.next ?? null
  const { numUpdatedRows } = await db
    .updateTable('tasks')
    .set({ next_fire: next, due_at: next === null ? null : next + jitterOf(task.id, next, task.jitter_ms) })
    .where('id', '=', task.id)
    .where('status', '=', 'active')
    .executeTakeFirst()
  // What became of an older run has just paused the task: then nothing of it may wait.
  if (Number(numUpdatedRows) === 0) {
    await closeRuns(db, parts, task.id, { text: 'The task was paused before this run had started.', running: false })
  }
}
