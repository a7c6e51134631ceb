import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { readReplies, type SentReply } from '../activity/sent-replies.js'
import { networkNames } from '../config.js'
import type { Foundation } from '../foundation.js'
import { hourMs, pageBytesMax } from '../limits.js'
import { cursorInput, sinceHoursInput } from './common-input.js'
import { backendOfAll, networkFilter } from './network-input.js'
import { pagination, readCursor, withinBytes, writeCursor } from './page-cursor.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const name = 'get_recent_replies'

const input = z.strictObject({
  since_hours: sinceHoursInput,
  limit: z.int().min(1).max(500).default(50),
  cursor: cursorInput,
  network: networkFilter,
})

const reply = z.strictObject({
  id: z.int().describe('Of the item'),
  target_tweet_id: z.string(),
  reply_tweet_id: z.string().exactOptional(),
  reply_content: z.string(),
  llm_provider: z.string().exactOptional(),
  llm_model: z.string().exactOptional(),
  created_at: z.string().describe('When it was sent, or given up'),
  status: z.enum(['posted', 'failed', 'unknown']),
  error_message: z.string().exactOptional(),
  network: z.enum(networkNames),
  url: z.string().exactOptional(),
})

export function getRecentRepliesTool({ config, store, clock }: Foundation): SocialTool {
  return answering({
    name,
    title: 'Recent replies',
    description:
      'Replies that were sent, newest first; also those that failed, and those of which nobody knows yet (unknown). What still ' +
      'waits is in list_outbox.',
    input,
    data: z.array(reply),
    marks: reads,
    async answer({ since_hours, limit, cursor, network }) {
      const before = readCursor(name, z.tuple([z.int(), z.int()]), cursor)
      const since = clock.now() - since_hours * hourMs
      const replies = await readReplies(store.db, { since, network, limit: limit + 1, before })
      const page = withinBytes(replies.slice(0, limit), pageBytesMax)
      const last = page.at(-1)
      const next =
        replies.length > page.length && last !== undefined ? writeCursor(name, [last.at, last.id]) : undefined
      return {
        data: page.map(viewOf),
        meta: { pagination: pagination(page.length, next), ...backendOfAll(config.networks, network, page) },
      }
    },
  })
}

function viewOf({ id, network, status, targetId, text, at, remoteId, url, error }: SentReply): z.input<typeof reply> {
  return {
    id,
    target_tweet_id: targetId,
    ...(remoteId !== undefined && { reply_tweet_id: remoteId }),
    reply_content: text,
    created_at: utcText(at),
    status,
    ...(error !== undefined && { error_message: error }),
    network,
    ...(url !== undefined && { url }),
  }
}
