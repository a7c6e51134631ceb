import { z } from 'zod'

/** What we read of X's answers; all of it is hostile, and whatever else is in them is left out. */
const id = z.string().regex(/^\d{1,20}$/)
const count = z.int().min(0).catch(0)
const list = <Item extends z.ZodType>(item: Item, max = 100) => z.array(item).max(max)

export const tokenAnswer = z.object({
  access_token: z.string().min(1).max(4_096),
  refresh_token: z.string().min(1).max(4_096).optional(),
  /** Seconds. */
  expires_in: z
    .int()
    .min(1)
    .max(366 * 86_400),
})

const user = z.object({
  id,
  username: z.string().min(1).max(50),
  public_metrics: z.object({ followers_count: count, following_count: count, tweet_count: count }).optional(),
})

const link = z.object({
  url: z.string().max(4_096),
  expanded_url: z.string().max(4_096).optional(),
  media_key: z.string().max(100).optional(),
})

const tweet = z.object({
  id,
  text: z.string().max(100_000),
  author_id: id,
  created_at: z.iso.datetime(),
  lang: z.string().max(35).optional(),
  public_metrics: z
    .object({ like_count: count, retweet_count: count, reply_count: count, impression_count: count.optional() })
    .optional(),
  referenced_tweets: list(z.object({ type: z.string().max(50), id }), 10).optional(),
  in_reply_to_user_id: id.optional(),
  entities: z
    .object({
      urls: list(link, 200).optional(),
      mentions: list(z.object({ id: id.optional(), username: z.string().max(50) }), 200).optional(),
    })
    .optional(),
  attachments: z.object({ media_keys: list(z.string().max(100), 20).optional() }).optional(),
})

const includes = z.object({ users: list(user, 200).optional() }).optional()

/** `meta.next_token` is passed on as it came. */
const meta = z.object({ next_token: z.string().min(1).max(1_000).optional() }).optional()

export const userAnswer = z.object({ data: user })
export const foundUserAnswer = z.object({ data: user.optional() })
export const tweetsAnswer = z.object({ data: list(tweet).optional(), includes, meta })
export const tweetAnswer = z.object({ data: tweet.optional(), includes })
export const createdAnswer = z.object({ data: z.object({ id }) })

/** How X words a refusal. */
export const problemAnswer = z.object({
  title: z.string().optional().catch(undefined),
  detail: z.string().optional().catch(undefined),
  type: z.string().optional().catch(undefined),
  error_description: z.string().optional().catch(undefined),
  errors: z
    .array(z.object({ message: z.string().optional().catch(undefined) }).catch({}))
    .optional()
    .catch(undefined),
})

export type XUser = z.output<typeof user>
export type XTweet = z.output<typeof tweet>
export type XTweets = z.output<typeof tweetsAnswer>
