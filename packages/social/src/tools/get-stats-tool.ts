import { z } from 'zod'
import { networkNames } from '../config.js'
import type { Foundation } from '../foundation.js'
import { engagementSince, topTopics } from '../measurement/engagement.js'
import { followerTrend, netFollowerChange } from '../measurement/follower-trend.js'
import { utcDate, windowStart } from '../measurement/utc-date.js'
import { backendOf, networkInput } from './network-input.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export const snapshotSchema = z.strictObject({
  date: z.string().describe('UTC date'),
  follower_count: z.int(),
  following_count: z.int(),
  tweet_count: z.int(),
  network: z.enum(networkNames),
})

const data = z.strictObject({
  follower_trend: z.array(snapshotSchema).describe('Oldest first'),
  net_follower_change_7d: z.int().describe('0 while there is no snapshot that is 7 days old'),
  net_follower_change_30d: z.int(),
  top_topics: z.array(
    z.strictObject({
      topic: z.string(),
      format: z.string(),
      total_posts: z.int(),
      avg_performance: z.number(),
      network: z.enum(networkNames),
    }),
  ),
  avg_reply_engagement: z
    .number()
    .describe('Average performance of the replies of these days; 0 where none is measured'),
  avg_tweet_engagement: z.number().describe('The same of posts and threads'),
  replies_measured: z.int(),
  tweets_measured: z.int(),
})

export function getStatsTool({ store, clock, config }: Foundation): SocialTool {
  return answering({
    name: 'get_stats',
    title: 'Statistics',
    description:
      'How the account does on one network: followers by day, the topics that work best, and what replies and posts of the last days have brought. Performance is (3 likes + 5 replies + 4 reposts) for each thousand views, or followers where nobody counts views.',
    input: z.strictObject({
      days: z.int().min(1).max(365).default(7).describe('UTC days, today among them.'),
      network: networkInput,
    }),
    data,
    marks: reads,
    async answer({ days, network = config.networks[0] }) {
      const now = clock.now()
      const since = windowStart(days, now)
      const { replies, tweets } = await engagementSince(store.db, network, since)
      return {
        data: {
          follower_trend: [...(await followerTrend(store.db, { network, limit: days, since: utcDate(since) }))],
          net_follower_change_7d: await netFollowerChange(store.db, network, 7, now),
          net_follower_change_30d: await netFollowerChange(store.db, network, 30, now),
          top_topics: await topTopics(store.db, network),
          avg_reply_engagement: replies.average,
          avg_tweet_engagement: tweets.average,
          replies_measured: replies.measured,
          tweets_measured: tweets.measured,
        },
        meta: backendOf(network),
      }
    },
  })
}
