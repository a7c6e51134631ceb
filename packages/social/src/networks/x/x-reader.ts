import type { z } from 'zod'
import { failure, SocialFailure } from '../../envelope/failure.js'
import type { Foundation } from '../../foundation.js'
import {
  resolvedNamesMax,
  xAccountMs,
  xAuthorPostsMax,
  xLookupMax,
  xMentionPagesMax,
  xMentionsMax,
  xOwnPostPagesMax,
  xOwnPostsMax,
  xSearchBackMs,
  xSearchPosts,
} from '../../limits.js'
import { BoundedMemory } from '../bounded-memory.js'
import type { Account, NetworkPost, Page, PostRef, Query } from '../network-adapter.js'
import { foundUserAnswer, tweetAnswer, tweetsAnswer, userAnswer, type XTweet, type XTweets } from './answers.js'
import { ownedRead, postsRead, usersRead } from './prices.js'
import type { XTier } from './tiers.js'
import type { XClient, XRead } from './x-client.js'
import { idIn, newestFirst, newestOf, timeOf } from './x-ids.js'
import { postOf, type Reader } from './x-post.js'

/** The newest posts of our own, as X has them. */
export interface OwnPosts {
  readonly tweets: readonly XTweet[]
  /** Whether these are all since that time. */
  readonly isWhole: boolean
}

const fields = {
  'tweet.fields':
    'attachments,author_id,conversation_id,created_at,entities,in_reply_to_user_id,lang,public_metrics,referenced_tweets',
  expansions: 'author_id',
  'user.fields': 'public_metrics',
} as const

/** Asks X, and pays: for each post and for each author that comes with it. */
export class XReader {
  readonly #client: XClient
  readonly #clock: Foundation['clock']
  readonly #tier: XTier
  #account: { readonly account: Account; readonly until: number } | undefined
  readonly #ids = new BoundedMemory<string>(resolvedNamesMax)

  constructor({ client, clock, tier }: { client: XClient; clock: Foundation['clock']; tier: XTier }) {
    this.#client = client
    this.#clock = clock
    this.#tier = tier
  }

  /** As last seen: X has let us in, and not refused us since. */
  get knownAccount(): Account | undefined {
    return this.#account?.account
  }

  async account(signal?: AbortSignal): Promise<Account> {
    const known = this.#account
    if (known !== undefined && known.until > this.#clock.now()) return known.account
    const { data } = await this.#read(
      {
        endpoint: 'account',
        path: '/users/me',
        query: { 'user.fields': fields['user.fields'] },
        schema: userAnswer,
        estimate: usersRead(1),
        costOf: () => usersRead(1),
      },
      signal,
    )
    const { followers_count = 0, following_count = 0, tweet_count = 0 } = data.public_metrics ?? {}
    const account = {
      id: data.id,
      handle: data.username,
      followers: followers_count,
      following: following_count,
      posts: tweet_count,
    }
    this.#account = { account, until: this.#clock.now() + xAccountMs }
    return account
  }

  /** The fewest that X gives: each post and its author cost money, and a day's budget is small. */
  async search(
    { keyword, limit }: Query,
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<Page<NetworkPost>> {
    const count = xSearchPosts
    const { items, ...page } = await this.#page(
      {
        endpoint: 'search',
        path: '/tweets/search/recent',
        query: { query: `${termOf(keyword)} -is:retweet`, max_results: count, since_id: this.#searchable(cursor) },
        estimate: postsRead(count, count),
      },
      cursor,
      signal,
    )
    return { items: items.slice(0, limit), ...page }
  }

  /** All newer than the cursor, as far as a few answers hold them; without a cursor those of one answer. */
  async mentions(cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    const { id } = await this.account(signal)
    const read = {
      endpoint: 'mentions',
      path: `/users/${id}/mentions`,
      query: { max_results: xMentionsMax, since_id: idIn(cursor) },
      estimate: ownedRead(2 * xMentionsMax),
    }
    return await this.#page(read, cursor, signal, cursor === undefined ? 1 : xMentionPagesMax)
  }

  async authorPosts(author: string, cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    const id = await this.#idOf(author, signal)
    const isOurs = id === (await this.account(signal)).id
    const read = {
      endpoint: 'posts',
      path: `/users/${id}/tweets`,
      query: { max_results: xAuthorPostsMax, exclude: 'retweets', since_id: idIn(cursor) },
      estimate: isOurs ? ownedRead(xAuthorPostsMax + 1) : postsRead(xAuthorPostsMax, 1),
    }
    return await this.#page(read, cursor, signal)
  }

  async posts(refs: readonly PostRef[], signal?: AbortSignal): Promise<readonly NetworkPost[]> {
    const ids = [...new Set(refs.map(({ id }) => idIn(id)).filter((id) => id !== undefined))]
    if (ids.length === 0) return []
    const reader = await this.#reader(signal)
    if (ids.length === 1) {
      const { data, includes } = await this.#one(ids[0] ?? '', signal)
      return data === undefined ? [] : [postOf(data, includes?.users ?? [], reader)]
    }
    const posts: NetworkPost[] = []
    for (let start = 0; start < ids.length; start += xLookupMax) {
      const some = ids.slice(start, start + xLookupMax)
      const answer = await this.#tweets(
        {
          endpoint: 'posts',
          path: '/tweets',
          query: { ids: some.join(',') },
          estimate: postsRead(some.length, some.length),
        },
        signal,
      )
      posts.push(...postsOf(answer, reader))
    }
    return posts
  }

  /** Since that time, newest first. */
  async ownPosts(since: number, signal?: AbortSignal): Promise<OwnPosts> {
    const { id } = await this.account(signal)
    const tweets: XTweet[] = []
    let next: string | undefined
    for (let page = 0; page < xOwnPostPagesMax; page++) {
      const { data = [], meta } = await this.#tweets(
        {
          endpoint: 'posts',
          path: `/users/${id}/tweets`,
          query: {
            max_results: xOwnPostsMax,
            exclude: 'retweets',
            // X takes whole seconds only.
            start_time: new Date(since).toISOString().replace(/\.\d+Z$/, 'Z'),
            pagination_token: next,
          },
          estimate: ownedRead(xOwnPostsMax + 1),
        },
        signal,
      )
      tweets.push(...data)
      next = meta?.next_token
      if (next === undefined) return { tweets, isWhole: true }
    }
    return { tweets, isWhole: false }
  }

  async #one(id: string, signal: AbortSignal | undefined): Promise<z.output<typeof tweetAnswer>> {
    const read: XRead<typeof tweetAnswer> = {
      endpoint: 'posts',
      path: `/tweets/${id}`,
      query: fields,
      schema: tweetAnswer,
      estimate: postsRead(1, 1),
      costOf: ({ data, includes }) => postsRead(data === undefined ? 0 : 1, includes?.users?.length ?? 0),
    }
    try {
      return await this.#read(read, signal)
    } catch (error) {
      if (error instanceof SocialFailure && error.code === 'not_found') return {}
      throw error
    }
  }

  async #idOf(author: string, signal: AbortSignal | undefined): Promise<string> {
    const handle = author.replace(/^@/, '')
    if (handle === author && idIn(author) !== undefined) return author
    if (!/^\w{1,50}$/.test(handle)) throw nobody()
    const known = this.#ids.get(handle.toLowerCase())
    if (known !== undefined) return known
    const { data } = await this.#read(
      {
        endpoint: 'account',
        path: `/users/by/username/${handle}`,
        schema: foundUserAnswer,
        estimate: usersRead(1),
        costOf: (answer) => usersRead(answer.data === undefined ? 0 : 1),
      },
      signal,
    )
    if (data === undefined) throw nobody()
    this.#ids.set(handle.toLowerCase(), data.id)
    return data.id
  }

  async #page(
    read: TweetsRead,
    cursor: string | undefined,
    signal: AbortSignal | undefined,
    pagesMax = 1,
  ): Promise<Page<NetworkPost>> {
    const reader = await this.#reader(signal)
    const items: NetworkPost[] = []
    let next: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const query = { ...read.query, pagination_token: next }
      const answer = await this.#tweets({ ...read, query }, signal)
      items.push(...postsOf(answer, reader))
      next = answer.meta?.next_token
      if (next === undefined) break
    }
    const newest = newestOf([...items.map(({ ref }) => ref.id), ...(idIn(cursor) === undefined ? [] : [cursor ?? ''])])
    return { items: items.sort(newestFirst), ...(newest !== undefined && { cursor: newest }) }
  }

  #tweets({ query, ...read }: TweetsRead, signal: AbortSignal | undefined): Promise<XTweets> {
    const isOwned = read.path.startsWith(`/users/${this.#account?.account.id}/`)
    return this.#read(
      {
        ...read,
        query: { ...fields, ...query },
        schema: tweetsAnswer,
        costOf: ({ data = [], includes }) => {
          const authors = includes?.users?.length ?? 0
          return isOwned ? ownedRead(data.length + authors) : postsRead(data.length, authors)
        },
      },
      signal,
    )
  }

  async #read<Schema extends z.ZodType>(read: XRead<Schema>, signal?: AbortSignal): Promise<z.output<Schema>> {
    try {
      return await this.#client.read(read, signal)
    } catch (error) {
      // Whoever asks for the account next learns of it.
      if (error instanceof SocialFailure && shutOut.has(error.code)) this.#account = undefined
      throw error
    }
  }

  async #reader(signal: AbortSignal | undefined): Promise<Reader> {
    const { id, handle } = await this.account(signal)
    return { id, handle, tier: this.#tier }
  }

  #searchable(cursor: string | undefined): string | undefined {
    const id = idIn(cursor)
    return id !== undefined && timeOf(id) > this.#clock.now() - xSearchBackMs ? id : undefined
  }
}

type TweetsRead = Pick<XRead<typeof tweetsAnswer>, 'endpoint' | 'path' | 'query' | 'estimate'>

const shutOut: ReadonlySet<string> = new Set(['network_auth_expired', 'network_account_restricted'])

/** Quoted, so that a keyword that reads as one of X's operators is none. */
function termOf(keyword: string): string {
  const words = keyword.replace(/["\\\s]+/g, ' ').trim()
  return /^#[\p{L}\p{N}_]+$/u.test(words) ? words : `"${words}"`
}

function postsOf({ data = [], includes }: XTweets, reader: Reader): NetworkPost[] {
  return data.map((tweet) => postOf(tweet, includes?.users ?? [], reader))
}

function nobody() {
  return failure('not_found', 'X has no such account.', { details: { network: 'x' } })
}
