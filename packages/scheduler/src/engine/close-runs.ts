import type { Database } from '../records/schema.js'
import type { EngineParts } from './engine-parts.js'
import type { ClosedRuns, CloseReason } from './scheduling.js'

/** Ends what of a task has not started; its task is told nothing, since whoever closes them changes it. */
export async function closeRuns(
  db: Database,
  { clock }: Pick<EngineParts, 'clock'>,
  taskId: string,
  { text, running }: CloseReason,
): Promise<ClosedRuns> {
  const open = await db
    .selectFrom('runs')
    .select(['id', 'state', 'fence'])
    .where('task_id', '=', taskId)
    .where('state', 'in', ['queued', 'waiting', 'running'])
    .execute()
  const closing = open.filter(({ state }) => running || state !== 'running')
  for (const run of closing) await closeRun(db, clock.now(), run, text)
  const runningRun = open.find(({ state }) => state === 'running' && !running)?.id
  return { closed: closing.length, ...(runningRun !== undefined && { runningRun }) }
}

/** The higher fence is what its process, whichever that is, loses the run by. */
export async function closeRun(
  db: Database,
  now: number,
  run: { readonly id: string; readonly fence: number },
  error: string,
): Promise<void> {
  await db
    .updateTable('runs')
    .set({ state: 'ended', outcome: 'cancelled', finished_at: now, retry_at: null, error, fence: run.fence + 1 })
    .where('id', '=', run.id)
    .execute()
  await db
    .updateTable('attempts')
    .set({ outcome: 'cancelled', finished_at: now, error })
    .where('run_id', '=', run.id)
    .where('outcome', 'is', null)
    .execute()
}
