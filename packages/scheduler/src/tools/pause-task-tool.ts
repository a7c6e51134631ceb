import { z } from 'zod'
import { findTask, taskIdParameter } from '../tasks/find-task.js'
import { pauseTask } from '../tasks/pause-task.js'
import type { TaskParts } from '../tasks/task-parts.js'
import { taskStateReply, taskStateShape } from '../tasks/task-state-reply.js'
import { changing, type SchedulerTool } from './scheduler-tool.js'

export function pauseTaskTool(parts: TaskParts): SchedulerTool {
  return changing({
    name: 'pause_task',
    title: 'Pause a task',
    description:
      'Pause a scheduled task: no run of it starts until resume_task, not even one that waits for its turn or a retry. A run that goes on is finished.',
    input: z.strictObject({ task_id: taskIdParameter }),
    output: taskStateShape,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    access: 'group',
    async change({ task_id }, actor, db) {
      const state = await pauseTask(db, parts, await findTask(db, task_id, actor), actor)
      return taskStateReply(state, state.changed ? `Paused ${task_id}.` : `${task_id} was paused already.`)
    },
    async afterwards(reply) {
      parts.scheduling.wake()
      return reply
    },
  })
}
