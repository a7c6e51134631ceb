import { z } from 'zod'
import { attemptsShownMax, listedRunsMax } from '../limits.js'
import { refusal } from '../refusal.js'
import { taskIdParameter } from '../tasks/find-task.js'
import { listAttempts, listRuns } from '../tasks/list-runs.js'
import { runIdParameter } from '../tasks/run-id.js'
import { attemptViewShape, runViewShape, viewOfAttempt, viewOfRun } from '../tasks/run-view.js'
import type { TaskParts } from '../tasks/task-parts.js'
import { answering, type SchedulerTool } from './scheduler-tool.js'
import { textInput } from './text-input.js'

const outcomes = [
  'ok',
  'empty',
  'failed',
  'timed_out',
  'cancelled',
  'missed',
  'skipped_overlap',
  'abandoned',
  'dead',
] as const

const input = z.strictObject({
  run_id: runIdParameter.optional().describe('This run alone, with its attempts.'),
  task_id: taskIdParameter.optional(),
  group: textInput({ max: 32 }).optional().describe('Folder.'),
  outcome: z.enum(outcomes).optional(),
  state: z.enum(['queued', 'running', 'waiting', 'ended']).optional().describe('waiting: for a retry.'),
  limit: z.int().min(1).max(listedRunsMax).default(50),
})

const output = z.object({
  runs: z.array(runViewShape).readonly().describe('Newest first.'),
  attempts: z
    .array(attemptViewShape)
    .readonly()
    .optional()
    .describe(`Only with run_id: newest first, at most ${attemptsShownMax}.`),
})

export function listRunsTool({ store }: Pick<TaskParts, 'store'>): SchedulerTool {
  return answering({
    name: 'list_runs',
    title: 'List runs',
    description:
      'List runs of tasks, triggers and mails, newest first. With run_id: one run and its attempts, with their final text and the end of their stderr. Example: {"outcome": "dead", "limit": 10}',
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    access: 'operator',
    async answer(filter) {
      const runs = (await listRuns(store.db, filter)).map(viewOfRun)
      const { run_id } = filter
      if (run_id === undefined)
        return { value: { runs }, text: `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}.` }
      const [run] = runs
      if (run === undefined) throw refusal('NOT_FOUND', `There is no run ${run_id}.`, { hint: 'Ask without run_id.' })
      const attempts = (await listAttempts(store.db, run_id)).map(viewOfAttempt)
      return {
        value: { runs, attempts },
        text: `${run_id} is ${run.outcome ?? run.state}, after ${run.attempts} attempts.`,
      }
    },
  })
}
