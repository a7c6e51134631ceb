import { flag, storable } from '@callboard/store'
import type { NetworkName } from '../config.js'
import { postCountMax, postIdMax, postNameMax, postTextMax, postUrlMax } from '../limits.js'
import type { NetworkPost, PostRef } from '../networks/network-adapter.js'
import type { Row } from '../records/row.js'
import type { PostSource } from '../records/schema.js'
import type { ScoreInput } from '../scoring/scorer.js'
import { isBlank } from '../text/blank-text.js'

export type DiscoveredPost = Row<'discovered_posts'>

/** How and when posts were found. */
export interface Found {
  readonly network: NetworkName
  readonly source: PostSource
  readonly ownAccountId: string
}

/** Whether it is somebody else's own words, by somebody whom we want to hear. `blocked`: names in small letters without @, or ids. */
export function isFit(post: NetworkPost, { ownAccountId }: Pick<Found, 'ownAccountId'>, blocked: ReadonlySet<string>) {
  if (post.isRepost || post.authorId === ownAccountId || isBlank(post.text)) return false
  if (blocked.has(post.authorId) || blocked.has(nameOf(post.authorUsername))) return false
  return post.ref.id !== '' && post.ref.id.length <= postIdMax
}

export function nameOf(written: string): string {
  return written.trim().replace(/^@/, '').toLowerCase()
}

/** What may be another at the next look. Followers once known, and that it addresses us, are not forgotten. */
export function changingColumns(post: NetworkPost, known?: Pick<DiscoveredPost, 'author_followers' | 'addresses_us'>) {
  return {
    author_username: storable(post.authorUsername, postNameMax),
    author_followers: countOf(post.authorFollowers) ?? known?.author_followers ?? null,
    content: storable(post.text, postTextMax),
    likes: countOf(post.likes) ?? 0,
    reposts: countOf(post.reposts) ?? 0,
    replies: countOf(post.replies) ?? 0,
    impressions: countOf(post.impressions),
    has_media: flag(post.media > 0),
    is_quote: flag(post.isQuote),
    addresses_us: flag(post.addressesUs || known?.addresses_us === 1),
    can_reply: flag(post.replyRefusal === undefined),
    reply_refusal: post.replyRefusal === undefined ? null : storable(post.replyRefusal, postUrlMax),
  }
}

/** What stays. A post whose author says that it is from the future was posted now: it would be new for ever. */
export function lastingColumns(post: NetworkPost, { network, source }: Found, now: number) {
  const { ref, root, lang } = post
  return {
    network,
    remote_id: storable(ref.id, postIdMax),
    cid: ref.cid === undefined ? null : storable(ref.cid, postIdMax),
    root: root === undefined ? null : JSON.stringify(refOf(root)),
    url: storable(post.url, postUrlMax),
    author_id: storable(post.authorId, postIdMax),
    lang: lang === undefined ? null : storable(lang, postNameMax),
    posted_at: Number.isFinite(post.postedAt) ? Math.max(0, Math.min(Math.trunc(post.postedAt), now)) : 0,
    source: post.isSample ? ('sample' as const) : source,
    discovered_at: now,
    replied_to: flag(false),
  }
}

/** Of a stored post: what its score is computed from. */
export function inputOf(row: Pick<DiscoveredPost, InputColumn>): ScoreInput {
  return {
    text: row.content,
    ...(row.author_followers !== null && { followers: row.author_followers }),
    postedAt: row.posted_at,
    likes: row.likes,
    reposts: row.reposts,
    replies: row.replies,
    hasMedia: row.has_media === 1,
    isQuote: row.is_quote === 1,
  }
}

export const inputColumns = [
  'content',
  'author_followers',
  'posted_at',
  'likes',
  'reposts',
  'replies',
  'has_media',
  'is_quote',
] as const
type InputColumn = (typeof inputColumns)[number]

function refOf({ id, cid }: PostRef): PostRef {
  return { id: storable(id, postIdMax), ...(cid !== undefined && { cid: storable(cid, postIdMax) }) }
}

function countOf(count: number | undefined): number | null {
  if (count === undefined || !Number.isFinite(count)) return null
  return Math.max(0, Math.min(Math.trunc(count), postCountMax))
}
