import { utcText } from '@callboard/worker/utc-text'
import type { SocialConfig } from '../config.js'
import { targetAccounts } from '../discovery/target-accounts.js'
import type { SocialFailure } from '../envelope/failure.js'
import { fullestWindow, nextFree } from '../ledger/sliding-window.js'
import { dayMs, productReplySpan } from '../limits.js'
import type { Database } from '../records/schema.js'
import { denied } from './denied.js'
import { earlierPosts, outgoing } from './earlier-posts.js'
import { namesProduct } from './product-mention.js'
import type { Candidate, ReplyTarget } from './safety-checks.js'

type Config = Pick<SocialConfig, 'limits' | 'targets' | 'networks' | 'business'>

/** The first rule about replies that it breaks. Throws for a reply that says not what it answers. */
export async function replyProblem(
  db: Database,
  candidate: Candidate,
  config: Config,
): Promise<SocialFailure | undefined> {
  const { target } = candidate
  if (target === undefined) throw new Error('a reply without a target')
  return (
    permission(candidate, target) ??
    (await ownPost(db, candidate, target)) ??
    (await alreadyReplied(db, candidate, target)) ??
    (await repliesToAuthor(db, candidate, target, config)) ??
    (await repliesToTargets(db, candidate, target, config)) ??
    (await productMentions(db, candidate, config))
  )
}

function permission(candidate: Candidate, { refusal }: ReplyTarget): SocialFailure | undefined {
  if (refusal === undefined) return undefined
  return denied(candidate, 'reply_permission', `${candidate.network} would not take this reply: ${refusal}`)
}

async function ownPost(db: Database, candidate: Candidate, target: ReplyTarget): Promise<SocialFailure | undefined> {
  const isOurs = sameHandle(target.author, candidate.account) || (await wasPublished(db, candidate, target.id))
  if (!isOurs) return undefined
  return denied(candidate, 'own_post', 'This is a post of our own; reply to others, or propose a thread.')
}

async function wasPublished(db: Database, { network }: Candidate, remoteId: string): Promise<boolean> {
  const row = await db
    .selectFrom('outbox_parts')
    .innerJoin('outbox', 'outbox.id', 'outbox_parts.outbox_id')
    .select('outbox.id')
    .where('outbox.network', '=', network)
    .where('outbox_parts.remote_id', '=', remoteId)
    .executeTakeFirst()
  return row !== undefined
}

/** A reply that only waits for a decision does not count: of two such ones either can be approved, and then the other not. */
async function alreadyReplied(
  db: Database,
  candidate: Candidate,
  target: ReplyTarget,
): Promise<SocialFailure | undefined> {
  const { network, itemId } = candidate
  const item = await db
    .selectFrom('approval_queue')
    .select(['id', 'status'])
    .where('network', '=', network)
    .where('target_post_id', '=', target.id)
    .where('status', 'in', outgoing)
    .$if(itemId !== undefined, (query) => query.where('id', '!=', itemId!))
    .executeTakeFirst()
  if (item !== undefined) {
    const more = { item_id: item.id, status: item.status }
    return denied(
      candidate,
      'already_replied',
      `This post has our reply already: item ${item.id}, ${item.status}.`,
      more,
    )
  }
  const post = await db
    .selectFrom('discovered_posts')
    .select('replied_to')
    .where('network', '=', network)
    .where('remote_id', '=', target.id)
    .executeTakeFirst()
  return post?.replied_to === 1
    ? denied(candidate, 'already_replied', 'This post has our reply already; take another one of the feed.')
    : undefined
}

async function repliesToAuthor(
  db: Database,
  candidate: Candidate,
  { authorId, author }: ReplyTarget,
  { limits }: Config,
): Promise<SocialFailure | undefined> {
  const max = limits.max_replies_per_author_per_day
  const times = await replyTimes(db, candidate, [authorId])
  return tooMany(candidate, 'replies_to_author', times, max, {
    whom: `@${author}`,
    key: 'max_replies_per_author_per_day',
  })
}

/** All configured targets share one limit. */
async function repliesToTargets(
  db: Database,
  candidate: Candidate,
  target: ReplyTarget,
  config: Config,
): Promise<SocialFailure | undefined> {
  const { network } = candidate
  const rows = await db
    .selectFrom('targets')
    .select('account_id')
    .where('network', '=', network)
    .where('status', '=', 'active')
    .execute()
  const ids = rows.map(({ account_id }) => account_id)
  const isNamed = targetAccounts(config).some(
    (each) => each.network === network && (each.account === target.authorId || sameHandle(each.account, target.author)),
  )
  const isTarget = isNamed || ids.includes(target.authorId)
  if (!isTarget) return undefined
  const times = await replyTimes(db, candidate, [...new Set([...ids, target.authorId])])
  return tooMany(candidate, 'replies_to_targets', times, config.limits.max_target_replies_per_day, {
    whom: 'target accounts',
    key: 'max_target_replies_per_day',
  })
}

/** When we replied to them, or will, close enough to the candidate to share a day with it. Ascending. */
async function replyTimes(
  db: Database,
  { network, itemId, at }: Candidate,
  authorIds: readonly string[],
): Promise<readonly number[]> {
  const rows = await db
    .selectFrom('rate_ledger')
    .leftJoin('outbox', 'outbox.id', 'rate_ledger.outbox_id')
    .select('rate_ledger.at')
    .where('rate_ledger.author_id', 'in', authorIds)
    .where('rate_ledger.at', '>', at - dayMs)
    .where('rate_ledger.action_type', '=', 'reply')
    .where('rate_ledger.network', '=', network)
    .where('rate_ledger.state', 'in', ['reserved', 'used'])
    .$if(itemId !== undefined, (query) =>
      query.where(({ or, eb }) => or([eb('outbox.approval_id', 'is', null), eb('outbox.approval_id', '!=', itemId!)])),
    )
    .orderBy('rate_ledger.at')
    .execute()
  return rows.map((row) => row.at)
}

function tooMany(
  candidate: Candidate,
  rule: 'replies_to_author' | 'replies_to_targets',
  times: readonly number[],
  max: number,
  { whom, key }: { readonly whom: string; readonly key: string },
): SocialFailure | undefined {
  const [from, to] = fullestWindow(times, dayMs, candidate.at)
  if (to - from < max) return undefined
  const free = nextFree(times, { max, windowMs: dayMs }, candidate.at)
  const when =
    free === undefined ? 'an operator has switched them off' : `the next one may be sent at ${utcText(free)} or later`
  return denied(
    candidate,
    rule,
    `At most ${max} ${max === 1 ? 'reply' : 'replies'} to ${whom} in 24 hours (social.limits.${key}); ${when}.`,
    { max, ...(free !== undefined && { next_free_at: utcText(free) }) },
  )
}

/**
 * Of {@link productReplySpan} replies in a row at most that share may name the product. The share is of the span, not of the
 * replies so far: the very first one may.
 */
async function productMentions(
  db: Database,
  candidate: Candidate,
  { limits, business }: Config,
): Promise<SocialFailure | undefined> {
  const { network, itemId, parts } = candidate
  if (!namesProduct(parts, business)) return undefined
  // 0.55 · 20 is a little more than 11, and 0.29 · 100 a little less than 29.
  const max = Math.floor(limits.product_mention_ratio * productReplySpan + 1e-9)
  const earlier = await earlierPosts(db, { network, itemId, only: 'reply' }, productReplySpan - 1)
  const naming = earlier.filter((post) => namesProduct(post.parts, business)).length
  if (naming < max) return undefined
  return denied(
    candidate,
    'product_mention_ratio',
    `${naming} of our last ${earlier.length} replies name ${business.product_name}, and ${max} of ${productReplySpan} may ` +
      '(social.limits.product_mention_ratio); write this one without it.',
    { max, of: productReplySpan },
  )
}

function sameHandle(one: string, other: string): boolean {
  return bare(one) === bare(other)
}

const bare = (handle: string) => handle.replace(/^@/, '').toLowerCase()
