import { clockSkewMs } from '../../limits.js'
import type { Database } from '../../records/schema.js'
import type { FindOutcome, Prepared, PublishKey } from '../network-adapter.js'
import { compareTexts } from './link-text.js'
import { referenceOf } from './x-post.js'
import type { OwnPosts } from './x-reader.js'

/** The id of the one post that can be it; absent only where all posts since its time were seen. Pure. */
export function judgeFound(
  { part, key }: Prepared,
  { tweets, isWhole }: OwnPosts,
  claimed: ReadonlySet<string>,
): string | Exclude<FindOutcome, { kind: 'sent' }> {
  const candidates = tweets.filter((tweet) => {
    const isAnswer = referenceOf(tweet, 'replied_to') === part.parent?.id
    return isAnswer && !claimed.has(tweet.id) && Date.parse(tweet.created_at) >= key.createdAt - clockSkewMs
  })
  const verdicts = candidates.map((tweet) => ({ id: tweet.id, verdict: compareTexts(part.text, tweet) }))
  const same = verdicts.filter(({ verdict }) => verdict === 'same')
  const isUnclear = verdicts.some(({ verdict }) => verdict === 'unclear')
  const [only, ...others] = same
  if (only !== undefined && others.length === 0 && !isUnclear) return only.id
  if (same.length > 1) return undecidable('The account has several posts with this text since then.')
  if (isUnclear) return undecidable('A post of the account may be it, but X hides where its links lead.')
  if (!isWhole) return undecidable('The account has more posts since then than are looked through.')
  return { kind: 'absent' }
}

function undecidable(message: string): FindOutcome & { kind: 'undecidable' } {
  return { kind: 'undecidable', message: `${message} Look on X whether it is out.` }
}

/** Posts that are known to be other parts. */
export async function claimedElsewhere(
  db: Database,
  ids: readonly string[],
  { key }: PublishKey,
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  const rows = await db
    .selectFrom('outbox_parts as part')
    .innerJoin('outbox', 'outbox.id', 'part.outbox_id')
    .select('part.remote_id')
    .where('outbox.network', '=', 'x')
    .where('part.remote_id', 'in', ids)
    .where('part.publish_key', '!=', key)
    .execute()
  return new Set(rows.map(({ remote_id }) => remote_id ?? ''))
}
