import type { Clock } from '@callboard/worker/clock'
import { recordActivity } from '../activity/record-activity.js'
import type { Scheduling } from '../engine/scheduling.js'
import type { Database } from '../records/schema.js'

export interface StartableTrigger {
  readonly id: string
  readonly source: string
  readonly target: string
  /** Of the run. */
  readonly depth: number
  readonly subject: string
}

/** Consumes a trigger and queues its run. False: somebody else has consumed it, and nothing was done. */
export async function startTrigger(
  db: Database,
  { clock, scheduling }: { readonly clock: Clock; readonly scheduling: Pick<Scheduling, 'queueRun'> },
  trigger: StartableTrigger,
  transport: 'mail' | 'internal',
): Promise<boolean> {
  const { id, source, target, depth, subject } = trigger
  const at = clock.now()
  const consumed = await db
    .updateTable('triggers')
    .set({ consumed_at: at })
    .where('id', '=', id)
    .where('consumed_at', 'is', null)
    .executeTakeFirst()
  if (Number(consumed.numUpdatedRows) === 0) return false
  const runId = await scheduling.queueRun(db, { triggerId: id, group: target, depth })
  await recordActivity(db, {
    at,
    type: 'trigger_received',
    group: target,
    runId,
    summary: `Trigger from ${source}: ${subject}`,
    details: { trigger_id: id, source, depth, transport },
  })
  return true
}
