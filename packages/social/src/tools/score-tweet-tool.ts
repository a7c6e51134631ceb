import type { Clock } from '@callboard/worker/clock'
import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { networkNames } from '../config.js'
import { failure } from '../envelope/failure.js'
import { postCountMax, postedAheadMs, postNameMax, postTextMax } from '../limits.js'
import type { Networks } from '../networks/networks.js'
import type { Scorer } from '../scoring/scorer.js'
import { characters, timeInput } from './common-input.js'
import { backendOfAll } from './network-input.js'
import { oneOf } from './one-of.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const points = z.number().min(0).max(100)
const perSignal = {
  keyword_relevance: points,
  follower: points,
  recency: points,
  engagement: points,
  reply_count: points,
  content_type: points,
}

const data = z.strictObject({
  total: points,
  ...perSignal,
  meets_threshold: z.boolean(),
  verdict: z.enum(['REPLY', 'SKIP']),
  threshold: points,
  maxima: z.strictObject(perSignal).describe('The most that each signal can give'),
  matched_keywords: z.array(z.string()).readonly(),
  reasons: z.array(z.string()).readonly().describe('One for each signal, like "3 min old: 11.1 of 11.1"'),
})

const count = z.int().min(0).max(postCountMax)

export interface ScoreTweetParts {
  readonly clock: Clock
  readonly scorer: Scorer
  readonly networks: Networks
}

export function scoreTweetTool({ clock, scorer, networks }: ScoreTweetParts): SocialTool {
  const switchedOn = networks.all.map(({ name }) => name)
  return answering({
    name: 'score_tweet',
    title: 'Score a post',
    description:
      'How well a post fits the profile, 0 to 100, and why: the same score that the discovery feed would give it now. Stores nothing and asks nobody.',
    input: z.strictObject({
      text: characters(postTextMax),
      author_username: characters(postNameMax),
      author_followers: count,
      likes: count,
      retweets: count,
      replies: count,
      created_at: timeInput.describe('ISO 8601 with an offset or Z; at most 5 minutes ahead.'),
      has_media: z.boolean().default(false),
      is_quote: z.boolean().default(false),
      network: oneOf(networkNames).optional().describe('Where the post is; a score is the same everywhere.'),
    }),
    data,
    marks: reads,
    async answer(input) {
      // One that is switched off is refused in its own words.
      if (input.network !== undefined) networks.get(input.network)
      const score = scorer.score(
        {
          text: input.text,
          followers: input.author_followers,
          postedAt: timeIn(input.created_at, clock.now()),
          likes: input.likes,
          reposts: input.retweets,
          replies: input.replies,
          hasMedia: input.has_media,
          isQuote: input.is_quote,
        },
        clock.now(),
      )
      return { data: { ...score, maxima: { ...score.maxima } }, meta: backendOfAll(switchedOn, input.network) }
    },
  })
}

/** UTC ms. */
function timeIn(created: string, now: number): number {
  const time = Date.parse(created)
  if (time <= now + postedAheadMs) return time
  const why = Number.isNaN(time) ? 'is no time that there is' : `is ahead of the time here, ${utcText(now)}`
  throw failure('validation_error', `created_at: ${created} ${why}; give when the post was made, or leave it unscored.`)
}
