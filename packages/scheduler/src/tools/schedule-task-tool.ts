import { z } from 'zod'
import type { Database } from '../records/schema.js'
import { changeTask } from '../tasks/change-task.js'
import { checkToolCall } from '../tasks/check-tool-call.js'
import { createTask } from '../tasks/create-task.js'
import { defineTask } from '../tasks/define-task.js'
import { targetGroup } from '../tasks/target-group.js'
import { taskParameters } from '../tasks/task-parameters.js'
import type { TaskParts } from '../tasks/task-parts.js'
import type { TaskRow } from '../tasks/task-row.js'
import { writtenTaskReply, writtenTaskShape } from '../tasks/written-task.js'
import { changing, type SchedulerTool } from './scheduler-tool.js'
import { textInput } from './text-input.js'

const { prompt, schedule_type, schedule_value } = taskParameters

const input = z.strictObject({
  prompt,
  schedule_type,
  schedule_value,
  context_mode: taskParameters.context_mode.default('group'),
  target_chat_id: textInput({ max: 64 })
    .optional()
    .describe('Admin group only: schedule for another group, by folder, tag or "email:tag:<tag>".'),
  timezone: taskParameters.timezone.optional(),
  name: taskParameters.name
    .optional()
    .describe('Unique in the group; the same name again replaces that task: its id and history stay.'),
  missed: taskParameters.missed.default('latest'),
  overlap: taskParameters.overlap.default('skip'),
  jitter_ms: taskParameters.jitter_ms.default(0),
  allow_past: taskParameters.allow_past.default(false),
  expect: taskParameters.expect.default('any'),
  deliver: taskParameters.deliver.default('none'),
  tool: taskParameters.tool.optional(),
  args: taskParameters.args.optional(),
  idempotency_key: textInput({ max: 128 }).optional().describe('A repeat with the same key has no second effect.'),
})

const description = `Schedule a recurring or one-time task: at each fire an agent of your group gets the prompt.
schedule_value by schedule_type, in local time of timezone:
- cron: five fields, minute hour day month weekday, e.g. "0 9 * * 1-5" (weekdays at 9:00). No @daily, no seconds; steps as */15.
- interval: milliseconds as a string, e.g. "3600000" (hourly), at least 60000; the first fire is one interval from now.
- once: "2026-02-01T15:30:00", without Z or offset.
What a run writes at its end is not sent to anybody: say in the prompt to use send_message, or set deliver.
Example: {"prompt": "Read the new papers on X and send_message a summary.", "schedule_type": "cron", "schedule_value": "0 9 * * 1-5", "name": "papers"}`

export function scheduleTaskTool(parts: TaskParts): SchedulerTool {
  return changing({
    name: 'schedule_task',
    title: 'Schedule a task',
    description,
    input,
    output: writtenTaskShape,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    access: 'group',
    async check({ tool, args = {} }, _actor, context) {
      if (tool !== undefined) await checkToolCall(tool, args, context)
    },
    async change(given, actor, db) {
      const group = targetGroup(given.target_chat_id, actor, parts.groups)
      const definition = defineTask(given, given.timezone ?? group.timezone ?? parts.timeZone)
      const known = await taskNamed(db, group.folder, definition.name)
      const allowPast = given.allow_past
      const written =
        known === undefined
          ? await createTask(db, parts, { definition, group: group.folder, allowPast }, actor)
          : await changeTask(db, parts, known, { definition, timed: true, allowPast, takenOver: true }, actor)
      return writtenTaskReply(written, { created: known === undefined, group, now: parts.clock.now() })
    },
    async afterwards(reply) {
      parts.scheduling.wake()
      return reply
    },
  })
}

async function taskNamed(db: Database, group: string, name: string | null): Promise<TaskRow | undefined> {
  if (name === null) return undefined
  return db
    .selectFrom('tasks')
    .selectAll()
    .where('group_folder', '=', group)
    .where('name', '=', name)
    .where('cancelled_at', 'is', null)
    .executeTakeFirst()
}
