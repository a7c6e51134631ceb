import type { Row } from '../../records/row.js'
import { mentionedNames } from '../../text/mentioned-names.js'
import type { NetworkPost, PostRef } from '../network-adapter.js'
import { sampleFollowersOf } from './sample-posts.js'

/** A row and whose post it answers. */
export interface LocalRow extends Row<'local_posts'> {
  readonly parent_account: string | null
}

/** As other networks would tell of it, to the account `handle`. */
export function postOf(row: LocalRow, handle: string): NetworkPost {
  const { account, text, created_at: postedAt, likes, reposts, replies } = row
  return {
    ref: refOf(row.id),
    url: urlOf(row.id),
    authorId: account,
    authorUsername: account,
    authorFollowers: sampleFollowersOf(account) ?? 0,
    text,
    postedAt,
    likes,
    reposts,
    replies,
    media: (JSON.parse(row.media) as unknown[]).length,
    isQuote: false,
    isRepost: false,
    ...(row.sample === 1 && { isSample: true as const }),
    ...(row.reply_to !== null && { replyTo: refOf(row.reply_to) }),
    addressesUs: addresses(row, handle),
  }
}

export function refOf(id: number): PostRef {
  return { id: String(id) }
}

export function urlOf(id: number): string {
  return `local:${id}`
}

/** Undefined for what is no id of a row; nobody has written 10^15 posts. */
export function idIn(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

/** By another account: mentions it, or answers it. */
export function addresses({ account, text, parent_account }: LocalRow, handle: string): boolean {
  if (isSame(account, handle)) return false
  if (parent_account !== null && isSame(parent_account, handle)) return true
  return mentionedNames(text).some((name) => isSame(name, `@${handle}`))
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
