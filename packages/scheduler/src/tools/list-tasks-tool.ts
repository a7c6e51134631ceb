import { z } from 'zod'
import { listTasks } from '../tasks/list-tasks.js'
import type { TaskParts } from '../tasks/task-parts.js'
import { taskViewShape, viewOf } from '../tasks/task-view.js'
import { answering, type SchedulerTool } from './scheduler-tool.js'

const output = z.object({
  tasks: z.array(taskViewShape).readonly().describe('Active and paused ones first; then those that have ended.'),
  total: z.int().describe('More than are shown when there are too many for one reply.'),
})

export function listTasksTool({ store }: Pick<TaskParts, 'store'>): SchedulerTool {
  return answering({
    name: 'list_tasks',
    title: 'List tasks',
    description:
      'List all scheduled tasks of your group (the admin group sees those of all groups): schedule, next fires, how the last run went. Tasks that have ended stay for 30 days.',
    input: z.strictObject({}),
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    access: 'group',
    async answer(_input, actor) {
      const { tasks, total } = await listTasks(store.db, actor.isAdmin ? undefined : actor.group.folder)
      const value = { tasks: tasks.map(viewOf), total }
      return { value, text: sentenceOf(value) }
    },
  })
}

function sentenceOf({ tasks, total }: z.output<typeof output>): string {
  if (total === 0) return 'There are no tasks.'
  const counts = new Map<string, number>()
  for (const { status } of tasks) counts.set(status, (counts.get(status) ?? 0) + 1)
  const states = [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
  const shown = tasks.length < total ? `; the first ${tasks.length} are shown` : ''
  return `${total} ${total === 1 ? 'task' : 'tasks'}: ${states}${shown}.`
}
