import { z } from 'zod'
import { changeTask } from '../tasks/change-task.js'
import { checkToolCall } from '../tasks/check-tool-call.js'
import { redefineTask } from '../tasks/define-task.js'
import { findAnyTask, taskIdParameter } from '../tasks/find-task.js'
import { taskParameters } from '../tasks/task-parameters.js'
import type { TaskParts } from '../tasks/task-parts.js'
import { writtenTaskReply, writtenTaskShape } from '../tasks/written-task.js'
import { changing, type SchedulerTool } from './scheduler-tool.js'

const input = z.strictObject({ task_id: taskIdParameter, ...z.object(taskParameters).partial().shape })

export function setTaskTool(parts: TaskParts): SchedulerTool {
  return changing({
    name: 'set_task',
    title: 'Change a task',
    description:
      'Change any task, with or without a name. Takes the parameters of schedule_task; what is absent stays as it is. A paused task stays paused; an ended one starts anew when a schedule is given. Example: {"task_id": "task_…", "schedule_value": "0 8 * * *"}',
    input,
    output: writtenTaskShape,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    access: 'operator',
    async check({ task_id, tool, args }, _actor, context) {
      if (tool === undefined && args === undefined) return
      const row = await findAnyTask(parts.store.db, task_id)
      const called = tool ?? row.tool
      const isAsBefore = called === row.tool && args === undefined
      if (called !== null && !isAsBefore) await checkToolCall(called, args ?? {}, context)
    },
    async change(given, actor, db) {
      const row = await findAnyTask(db, given.task_id)
      const { schedule_type, schedule_value, timezone, allow_past } = given
      const timed = [schedule_type, schedule_value, timezone, allow_past].some((value) => value !== undefined)
      const definition = redefineTask(row, given)
      const change = { definition, timed, allowPast: allow_past ?? false, takenOver: false }
      const written = await changeTask(db, parts, row, change, actor)
      const group = parts.groups.byFolder(row.group_folder)
      return writtenTaskReply(written, { created: false, group, now: parts.clock.now() })
    },
    async afterwards(reply) {
      parts.scheduling.wake()
      return reply
    },
  })
}
