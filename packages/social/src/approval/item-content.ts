import type { Candidate, ReplyTarget } from '../policy/safety-checks.js'
import { contentHash } from './content-hash.js'
import type { Item, MediaNote } from './proposals.js'

/** JSON columns of an item, read. */
export interface ItemContent {
  readonly parts: readonly string[]
  readonly media: readonly MediaNote[]
  readonly target?: ReplyTarget
  readonly risks: readonly string[]
}

export function contentOf(item: Item): ItemContent {
  return {
    parts: JSON.parse(item.parts) as readonly string[],
    media: JSON.parse(item.media) as readonly MediaNote[],
    risks: JSON.parse(item.risks) as readonly string[],
    ...(item.target !== null && { target: JSON.parse(item.target) as ReplyTarget }),
  }
}

/** As rules judge it, when it goes out at that time. */
export function candidateOf(item: Item, at: number, parts = contentOf(item).parts): Candidate {
  const { target } = contentOf(item)
  return {
    network: item.network,
    account: item.account,
    action: item.action_type,
    parts,
    ...(target !== undefined && { target }),
    itemId: item.id,
    at,
  }
}

/** Of the item with these parts. */
export function hashOf(item: Omit<Item, 'id' | 'content_hash'>, parts: readonly string[]): string {
  return contentHash({
    network: item.network,
    account: item.account,
    action: item.action_type,
    parts,
    media: JSON.parse(item.media) as readonly MediaNote[],
    replyTo: item.target_post_id,
    visibility: item.visibility,
    contentWarning: item.content_warning,
    language: item.language,
    scheduledFor: item.scheduled_for,
  })
}
