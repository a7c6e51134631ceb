import type { Database } from '../records/schema.js'
import type { EngineParts } from './engine-parts.js'

/** A dead run waits for its turn again, with all its attempts before it; a failed `once` is active until that has ended. */
export async function redrive(
  db: Database,
  { clock }: Pick<EngineParts, 'clock'>,
  runId: string,
): Promise<'queued' | undefined> {
  const run = await db
    .selectFrom('runs')
    .select(['attempts', 'task_id'])
    .where('id', '=', runId)
    .where('outcome', '=', 'dead')
    .executeTakeFirst()
  if (run === undefined) return undefined
  await db
    .updateTable('runs')
    .set({
      state: 'queued',
      outcome: null,
      due_at: clock.now(),
      finished_at: null,
      // A second end is told in a digest again.
      digest_id: null,
      attempts_before: run.attempts,
      error_class: null,
      error: null,
    })
    .where('id', '=', runId)
    .execute()
  if (run.task_id !== null) {
    await db
      .updateTable('tasks')
      .set({ status: 'active', ended_at: null })
      .where('id', '=', run.task_id)
      .where('schedule_type', '=', 'once')
      .where('status', '=', 'failed')
      .execute()
  }
  return 'queued'
}
