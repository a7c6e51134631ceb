import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { readLog } from '../activity/action-log.js'
import type { Foundation } from '../foundation.js'
import { hourMs } from '../limits.js'
import type { Row } from '../records/row.js'
import { cursorInput, sinceHoursInput } from './common-input.js'
import { backendOfAll, networkFilter } from './network-input.js'
import { pagination, readCursor, writeCursor } from './page-cursor.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const name = 'get_action_log'

const input = z.strictObject({
  since_hours: sinceHoursInput,
  action_type: z
    .string()
    .min(1)
    .max(200)
    .describe('Only this one: discovery_reply, mention_reply, target_reply, tweet, thread, analytics, tweet_posted, …')
    .optional(),
  limit: z.int().min(1).max(500).default(100),
  cursor: cursorInput,
  network: networkFilter,
})

const entry = z.strictObject({
  id: z.int(),
  action_type: z.string(),
  status: z.enum(['success', 'failure', 'dry_run', 'skipped', 'alert']),
  message: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  created_at: z.string(),
})

export function getActionLogTool({ config, store, clock }: Foundation): SocialTool {
  return answering({
    name,
    title: 'Action log',
    description:
      'What was done and what was not, and why: the newest page first, the oldest entry first inside it. Older pages follow by ' +
      'cursor; the log reaches 14 days back.',
    input,
    data: z.array(entry),
    marks: reads,
    async answer({ since_hours, action_type: type, limit, cursor, network }) {
      const before = readCursor(name, z.tuple([z.int(), z.int()]), cursor)
      const since = clock.now() - since_hours * hourMs
      const { entries, older } = await readLog(store.db, { since, type, network }, limit, before)
      const next = older === undefined ? undefined : writeCursor(name, older)
      return {
        data: entries.map(viewOf),
        meta: { pagination: pagination(entries.length, next), ...backendOfAll(config.networks, network, entries) },
      }
    },
  })
}

function viewOf({ id, action_type, status, message, metadata, created_at }: Row<'action_log'>) {
  return {
    id,
    action_type,
    status,
    message,
    metadata: JSON.parse(metadata) as Record<string, unknown>,
    created_at: utcText(created_at),
  }
}
