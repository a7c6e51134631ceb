import type { Clock } from '@callboard/worker/clock'
import { liveTasksPerGroupMax, tasksCreatedPerHourMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import { refusal } from '../refusal.js'
import { type TaskRow, titleOf } from './task-row.js'

const hourMs = 60 * 60_000

/** In the transaction that adds the task: what is counted can't change before it is stored. Throws RATE_LIMITED. */
export async function checkRoomForTask(db: Database, group: string): Promise<void> {
  const { live } = await db
    .selectFrom('tasks')
    .select(({ fn }) => fn.countAll().as('live'))
    .where('group_folder', '=', group)
    .where('status', 'in', ['active', 'paused'])
    .executeTakeFirstOrThrow()
  if (Number(live) < liveTasksPerGroupMax) return
  throw refusal(
    'RATE_LIMITED',
    `The group ${group} has ${live} tasks that are active or paused, the most it may have.`,
    {
      hint: 'Cancel one with cancel_task, or change one by its name.',
    },
  )
}

/** Whatever became of the tasks since. Throws RATE_LIMITED. */
export async function checkCreationRate(db: Database, clock: Clock, group: string): Promise<void> {
  const now = clock.now()
  const { created, oldest } = await db
    .selectFrom('tasks')
    .select(({ fn }) => [fn.countAll().as('created'), fn.min('created_at').as('oldest')])
    .where('group_folder', '=', group)
    .where('created_at', '>', now - hourMs)
    // Not for as long as a clock was ahead that has been set back since.
    .where('created_at', '<=', now + hourMs)
    .executeTakeFirstOrThrow()
  if (Number(created) < tasksCreatedPerHourMax) return
  throw refusal('RATE_LIMITED', `The group ${group} has created ${created} tasks within an hour, the most it may.`, {
    retryAfterMs: Math.max(1, Number(oldest) + hourMs - now),
    hint: 'One task with a cron or interval schedule does the work of many.',
  })
}

/**
 * A task that starts itself anew by its name makes no new task, but as many runs: they count by the same limit. Throws
 * RATE_LIMITED.
 */
export async function checkRestartRate(db: Database, clock: Clock, task: Pick<TaskRow, 'id' | 'name'>): Promise<void> {
  const now = clock.now()
  const { runs, oldest } = await db
    .selectFrom('runs')
    .select(({ fn }) => [fn.countAll().as('runs'), fn.min('created_at').as('oldest')])
    .where('task_id', '=', task.id)
    .where('created_at', '>', now - hourMs)
    // Not for as long as a clock was ahead that has been set back since.
    .where('created_at', '<=', now + hourMs)
    .executeTakeFirstOrThrow()
  if (Number(runs) < tasksCreatedPerHourMax) return
  throw refusal(
    'RATE_LIMITED',
    `The task ${titleOf(task)} has been started ${runs} times within an hour, the most it may.`,
    {
      retryAfterMs: Math.max(1, Number(oldest) + hourMs - now),
      hint: 'Give it a cron or interval schedule.',
    },
  )
}
