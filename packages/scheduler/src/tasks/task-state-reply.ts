import { z } from 'zod'
import type { TaskStatus } from '../records/schema.js'
import type { Reply } from '../tools/scheduler-tool.js'
import { fireShape } from './upcoming-fires.js'

/** What pause_task, resume_task and cancel_task answer. */
export const taskStateShape = z.object({
  task_id: z.string(),
  status: z.string(),
  changed: z.boolean().describe('false: it was so before.'),
  next_fires: z.array(fireShape).readonly(),
  running_run: z.string().optional().describe('A run of it that goes on.'),
})

export interface TaskState {
  readonly taskId: string
  readonly status: TaskStatus
  readonly changed: boolean
  readonly nextFires?: readonly z.output<typeof fireShape>[]
  readonly runningRun?: string | undefined
}

export function taskStateReply(state: TaskState, sentence: string): Reply<z.output<typeof taskStateShape>> {
  const { taskId, status, changed, nextFires = [], runningRun } = state
  const running = runningRun === undefined ? '' : ` Its run ${runningRun} goes on.`
  return {
    value: {
      task_id: taskId,
      status,
      changed,
      next_fires: nextFires,
      ...(runningRun !== undefined && { running_run: runningRun }),
    },
    text: `${sentence}${running}`,
  }
}
