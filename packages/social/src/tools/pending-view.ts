import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { contentOf } from '../approval/item-content.js'
import type { Item } from '../approval/proposals.js'
import { networkNames } from '../config.js'
import { actionTypes } from './item-view.js'
import { maybeTime, textOf, time } from './outbox-view.js'

export const pendingView = z.strictObject({
  id: z.int(),
  action_type: z.enum(actionTypes),
  target_tweet_id: z.string().nullable(),
  target_author: z.string().nullable(),
  generated_content: z.string().describe('The text; the parts of a thread with a line of --- between them'),
  topic: z.string().nullable(),
  archetype: z.string().nullable(),
  score: z.number().nullable(),
  status: z.literal('pending'),
  created_at: time,
  network: z.enum(networkNames),
  rev: z.int(),
  content_hash: z.string(),
  expires_at: maybeTime,
  scheduled_for: maybeTime,
  risks: z.array(z.string()),
  origin: z.enum(['agent', 'autopilot']),
  owner: z.string(),
})

export function viewPending(item: Item): z.output<typeof pendingView> {
  const { parts, risks } = contentOf(item)
  return {
    id: item.id,
    action_type: item.action_type,
    target_tweet_id: item.target_post_id,
    target_author: item.target_author,
    generated_content: parts.join('\n---\n'),
    topic: item.topic,
    archetype: item.archetype,
    score: item.score,
    status: 'pending',
    created_at: utcText(item.created_at),
    network: item.network,
    rev: item.rev,
    content_hash: item.content_hash,
    expires_at: textOf(item.expires_at),
    scheduled_for: textOf(item.scheduled_for),
    risks: [...risks],
    origin: item.origin,
    owner: item.owner,
  }
}
