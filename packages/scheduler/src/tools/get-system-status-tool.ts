import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import { type StatusSources, systemStatus } from '../status/system-status.js'
import { open, type SchedulerTool } from './scheduler-tool.js'

const count = z.int().min(0)
const time = z.string().nullable().describe('ISO 8601, UTC; null: never, or none.')
const health = z.object({
  configured: z.boolean(),
  connected: z.boolean(),
  last_ok_at: time,
  last_error: z.string().nullable().describe('Shown to the admin group only.'),
})

const output = z.object({
  uptime_s: count,
  version: z.string(),
  now: z.string(),
  timezone: z.string(),
  imap: health,
  smtp: health,
  registered_groups: count,
  active_tasks: count,
  paused_tasks: count,
  active_agents: count.describe('Runs that are at work now.'),
  queued_runs: count.describe('Runs that wait for their turn or for a retry.'),
  next_due: time,
  overdue: count.describe('Tasks whose time has passed without a run.'),
  dead_runs: count,
  outbox: z.object({ pending: count, oldest_age_s: count.nullable(), dead: count }),
  digest: z.object({ last_sent_at: time, next_at: time, items: count }),
  triggers_last_hour: count,
  triggers_unreceived: count,
  processes: z.array(z.object({ id: z.string(), heartbeat_age_s: count, stale: z.boolean() })),
  search_provider: z.enum(['searxng', 'brave', 'perplexity']).nullable(),
})

type Status = z.output<typeof output>

export function getSystemStatusTool(foundation: Foundation, sources: StatusSources): SchedulerTool {
  return open({
    name: 'get_system_status',
    title: 'System status',
    description:
      "Whether the scheduler, its mail and its runs are well, at this moment; also the time now and the system's time zone.",
    input: z.strictObject({}),
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    access: 'anyone',
    async tell(_input, { isAdmin }) {
      const value = await systemStatus(foundation, sources, isAdmin)
      return { value, text: statusText(value) }
    },
  })
}

function statusText(status: Status): string {
  const { uptime_s, version, active_tasks, paused_tasks, active_agents, queued_runs, dead_runs, outbox } = status
  return [
    `The scheduler ${version} is up for ${uptime_s} s: ${active_tasks} active and ${paused_tasks} paused tasks,`,
    `${active_agents} runs at work, ${queued_runs} queued, ${dead_runs} dead;`,
    `mail out ${mailText(status.smtp)}, mail in ${mailText(status.imap)}, ${outbox.pending} mails to be sent, ${outbox.dead} dead.`,
  ].join(' ')
}

function mailText({ configured, connected }: Status['smtp']): string {
  if (!configured) return 'not configured'
  return connected ? 'connected' : 'not connected'
}
