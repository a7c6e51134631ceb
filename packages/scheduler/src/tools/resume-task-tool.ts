import { z } from 'zod'
import { findTask, taskIdParameter } from '../tasks/find-task.js'
import { resumeTask } from '../tasks/resume-task.js'
import type { TaskParts } from '../tasks/task-parts.js'
import { type TaskState, taskStateReply, taskStateShape } from '../tasks/task-state-reply.js'
import { changing, type SchedulerTool } from './scheduler-tool.js'

export function resumeTaskTool(parts: TaskParts): SchedulerTool {
  return changing({
    name: 'resume_task',
    title: 'Resume a task',
    description:
      'Resume a paused task. Its next fire is computed from now; what would have fired during the pause never does. A "once" task whose time has passed can\'t be resumed: schedule a new one.',
    input: z.strictObject({ task_id: taskIdParameter }),
    output: taskStateShape,
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    access: 'group',
    async change({ task_id }, actor, db) {
      const state = await resumeTask(db, parts, await findTask(db, task_id, actor), actor)
      return taskStateReply(state, sentenceOf(state))
    },
    async afterwards(reply) {
      parts.scheduling.wake()
      return reply
    },
  })
}

function sentenceOf({ taskId, changed, nextFires = [] }: TaskState): string {
  const [next] = nextFires
  const when = next === undefined ? '' : ` Next fire: ${next.local} (${next.utc}).`
  return `${changed ? `Resumed ${taskId}.` : `${taskId} was active already.`}${when}`
}
