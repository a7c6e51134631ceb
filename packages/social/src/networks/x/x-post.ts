import type { NetworkPost } from '../network-adapter.js'
import type { XTweet, XUser } from './answers.js'
import { plainText } from './link-text.js'
import { replyRefusalOf, type XTier } from './tiers.js'

/** As whom, and by which rules, we read. */
export interface Reader {
  readonly id: string
  readonly handle: string
  readonly tier: XTier
}

/** `users`: those that came with the answer; a suspended author is not among them. */
export function postOf(tweet: XTweet, users: readonly XUser[], reader: Reader): NetworkPost {
  const author = users.find(({ id }) => id === tweet.author_id)
  const username = author?.username ?? tweet.author_id
  const { like_count = 0, retweet_count = 0, reply_count = 0, impression_count } = tweet.public_metrics ?? {}
  const replyTo = referenceOf(tweet, 'replied_to')
  const isOurs = tweet.author_id === reader.id
  const namesUs = !isOurs && mentionsOrQuotes(tweet, reader)
  const refusal = isOurs ? undefined : replyRefusalOf(reader.tier, namesUs)
  return {
    ref: { id: tweet.id },
    url: `https://x.com/${author?.username ?? 'i'}/status/${tweet.id}`,
    authorId: tweet.author_id,
    authorUsername: username,
    ...(author?.public_metrics && { authorFollowers: author.public_metrics.followers_count }),
    text: plainText(tweet),
    ...(tweet.lang !== undefined && { lang: tweet.lang }),
    postedAt: Date.parse(tweet.created_at),
    likes: like_count,
    reposts: retweet_count,
    replies: reply_count,
    ...(impression_count !== undefined && { impressions: impression_count }),
    media: tweet.attachments?.media_keys?.length ?? 0,
    isQuote: referenceOf(tweet, 'quoted') !== undefined,
    isRepost: referenceOf(tweet, 'retweeted') !== undefined,
    ...(replyTo !== undefined && { replyTo: { id: replyTo } }),
    addressesUs: namesUs || (!isOurs && tweet.in_reply_to_user_id === reader.id),
    ...(refusal !== undefined && { replyRefusal: refusal }),
  }
}

export function referenceOf(tweet: XTweet, type: 'replied_to' | 'quoted' | 'retweeted'): string | undefined {
  return tweet.referenced_tweets?.find((reference) => reference.type === type)?.id
}

/** X's reply rule asks for one of these; an answer to our post without our name in it is neither. */
function mentionsOrQuotes(tweet: XTweet, { id, handle }: Reader): boolean {
  const { mentions = [], urls = [] } = tweet.entities ?? {}
  if (mentions.some((mention) => mention.id === id || isSame(mention.username, handle))) return true
  const quoted = referenceOf(tweet, 'quoted')
  // The quoted post itself would cost another read; the link to it says whose it is.
  return quoted !== undefined && urls.some(({ expanded_url }) => isLinkTo(expanded_url, handle, quoted))
}

function isLinkTo(url: string | undefined, handle: string, id: string): boolean {
  const [, user, status] = /^https?:\/\/(?:x|twitter)\.com\/(\w+)\/status\/(\d+)/i.exec(url ?? '') ?? []
  return user !== undefined && isSame(user, handle) && status === id
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
