import type { ToolError } from '@callboard/worker'
import { z } from 'zod'
import { recordActivity } from '../activity/record-activity.js'
import type { Database } from '../records/schema.js'
import { refusal } from '../refusal.js'
import { runIdParameter } from '../tasks/run-id.js'
import type { TaskParts } from '../tasks/task-parts.js'
import { changing, type SchedulerTool } from './scheduler-tool.js'

export function redriveRunTool(parts: TaskParts): SchedulerTool {
  return changing({
    name: 'redrive_run',
    title: 'Redrive a dead run',
    description:
      'Give a run whose outcome is "dead" fresh attempts under its old identity, also the run of a "once" task that has failed. list_runs with outcome "dead" finds them.',
    input: z.strictObject({ run_id: runIdParameter }),
    output: z.object({ run_id: z.string(), state: z.string() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
    access: 'operator',
    async change({ run_id }, actor, db) {
      const run = await findRun(db, run_id)
      if (run.task_status === 'cancelled') {
        throw refusal('CONFLICT', `The task of ${run_id} was cancelled: what it was to do is gone.`)
      }
      const state = await parts.scheduling.redrive(db, run_id)
      if (state === undefined) throw notDead(run)
      await recordActivity(db, {
        at: parts.clock.now(),
        type: 'run_retry',
        group: run.group_folder,
        ...(run.task_id !== null && { taskId: run.task_id }),
        runId: run_id,
        summary: `Run ${run_id} was redriven by ${actor.principal}.`,
        details: { by: actor.principal },
      })
      return { value: { run_id, state }, text: `${run_id} is ${state} again, with fresh attempts.` }
    },
    async afterwards(reply) {
      parts.scheduling.wake()
      return reply
    },
  })
}

type FoundRun = Awaited<ReturnType<typeof findRun>>

async function findRun(db: Database, runId: string) {
  const run = await db
    .selectFrom('runs')
    .leftJoin('tasks', 'tasks.id', 'runs.task_id')
    .select([
      'runs.id',
      'runs.group_folder',
      'runs.task_id',
      'runs.state',
      'runs.outcome',
      'tasks.status as task_status',
    ])
    .where('runs.id', '=', runId)
    .executeTakeFirst()
  if (run === undefined) throw refusal('NOT_FOUND', `There is no run ${runId}.`, { hint: 'list_runs shows the runs.' })
  return run
}

function notDead({ id, state, outcome }: FoundRun): ToolError {
  const now = outcome === null ? `It is ${state}.` : `Its outcome is "${outcome}".`
  return refusal('CONFLICT', `Only a dead run can be redriven, which ${id} is not. ${now}`)
}
