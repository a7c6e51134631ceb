import { z } from 'zod'
import { cancelTask } from '../tasks/cancel-task.js'
import { findTask, taskIdParameter } from '../tasks/find-task.js'
import type { TaskParts } from '../tasks/task-parts.js'
import { taskStateReply, taskStateShape } from '../tasks/task-state-reply.js'
import { changing, type SchedulerTool } from './scheduler-tool.js'

export function cancelTaskTool(parts: TaskParts): SchedulerTool {
  return changing({
    name: 'cancel_task',
    title: 'Cancel a task',
    description:
      'Cancel and permanently delete a scheduled task. A run of it that goes on is stopped. There is no way back; use pause_task for a while without it.',
    input: z.strictObject({ task_id: taskIdParameter }),
    output: taskStateShape,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    access: 'group',
    async change({ task_id }, actor, db) {
      const stopped = await cancelTask(db, parts, await findTask(db, task_id, actor), actor)
      const run = stopped === undefined ? '' : ` Its run ${stopped} is being stopped.`
      return taskStateReply({ taskId: task_id, status: 'cancelled', changed: true }, `Cancelled ${task_id}.${run}`)
    },
    async afterwards(reply) {
      parts.scheduling.wake()
      return reply
    },
  })
}
