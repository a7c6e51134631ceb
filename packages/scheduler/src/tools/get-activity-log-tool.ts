import { z } from 'zod'
import { activityText, readActivity } from '../activity/activity-log.js'
import { eventTypes } from '../activity/record-activity.js'
import type { Foundation } from '../foundation.js'
import { activityEntriesMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import { answering, type SchedulerTool } from './scheduler-tool.js'

const input = z.strictObject({
  agent: z.string().trim().min(1).max(64).describe('Only entries of this group (its folder).').optional(),
  event_type: z.enum(eventTypes).describe('Only entries of this type.').optional(),
  limit: z.int().min(1).max(activityEntriesMax).default(50).describe('How many of the newest entries.'),
})

const output = z.object({
  entries: z.array(
    z.object({
      id: z.int(),
      ts: z.string(),
      event_type: z.string(),
      group: z.string().nullable(),
      task_id: z.string().optional(),
      run_id: z.string().optional(),
      summary: z.string(),
      details: z.record(z.string(), z.unknown()),
    }),
  ),
  warnings: z.array(z.string()),
})

export function getActivityLogTool({ store }: Foundation): SchedulerTool {
  return answering({
    name: 'get_activity_log',
    title: 'Activity log',
    description:
      'What all groups have been doing, newest first: runs, triggers, messages, mail, tasks, refusals. For the admin group only.',
    input,
    output,
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    access: 'admin',
    async answer({ agent, event_type: type, limit }) {
      const filter = { ...(agent !== undefined && { group: agent }), ...(type !== undefined && { type }), limit }
      const entries = await readActivity(store.db, filter)
      const warnings = entries.length === 0 && agent !== undefined ? await unknownGroup(store.db, agent) : []
      const text = [...warnings, entries.length === 0 ? 'There are no such entries.' : activityText(entries)].join('\n')
      return { value: { entries: [...entries], warnings: [...warnings] }, text }
    },
  })
}

/** A group that was removed is not unknown: its history is there. */
async function unknownGroup(db: Database, folder: string): Promise<readonly string[]> {
  const row = await db.selectFrom('groups').select('folder').where('folder', '=', folder).executeTakeFirst()
  if (row !== undefined) return []
  const known = await db
    .selectFrom('groups')
    .select('folder')
    .where('removed_at', 'is', null)
    .orderBy('folder')
    .execute()
  return [`There is no group ${folder}; there are ${known.map((group) => group.folder).join(', ')}.`]
}
