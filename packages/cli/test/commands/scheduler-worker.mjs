import { readFileSync } from 'node:fs'
import { defineWorker, ToolError } from '@callboard/worker'
import { z } from 'zod'

/** Plays the scheduler: two tasks, and runs as they are asked for. */
const worker = defineWorker({ service: 'scheduler', version: '1.0.0' })
const output = z.looseObject({})

const task = (id, name, group, fires, status = 'active') => ({
  task_id: id,
  name,
  group,
  status,
  timezone: 'Europe/Paris',
  next_fires: fires.map((hour) => ({ local: `2026-03-02T${hour + 1}:00:00`, utc: `2026-03-02T${hour}:00:00Z` })),
})

worker.tool('list_tasks', { description: 'Lists', input: z.strictObject({}), output }, () => ({
  tasks: [
    task('task_A', 'daily', 'main', [12, 14]),
    task('task_B', null, 'lab', [13]),
    task('task_C', 'old\u001b[2J', 'lab', [], 'paused'),
  ],
}))

const filter = z.strictObject({ task_id: z.string().optional(), group: z.string().optional(), limit: z.int() })

worker.tool('list_runs', { description: 'Lists', input: filter, output, roles: ['operator'] }, (asked, { caller }) => {
  if (asked.group === 'nobody') throw new ToolError('NOT_FOUND', 'There is no group nobody.')
  const run = { task_id: 'task_A', trigger_id: null, mail_id: null, name: 'daily', group: asked.group ?? 'main' }
  const times = { scheduled_for: '2026-03-01T12:00:00Z', state: 'ended', duration_ms: 1_234 }
  return {
    runs: [
      { run_id: 'run_1', ...run, ...times, outcome: 'ok', attempts: 1, error: null },
      {
        run_id: 'run_2',
        ...run,
        ...times,
        outcome: 'dead',
        attempts: 3,
        error: `exit\ncode 1${asked.group === 'long' ? ': far too long'.repeat(9) : ''}`,
      },
    ],
    asked,
    principal: caller.principal,
  }
})

const secret = readFileSync(`${process.env.CALLBOARD_DATA}/sign-in.secret`, 'utf8').trim()
await worker.start({ endpoint: `ipc://${process.env.CALLBOARD_RUNTIME}/worker.sock`, secret, logLevel: 'silent' })
process.send('ready')
