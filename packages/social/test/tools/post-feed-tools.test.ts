import { VirtualClock } from '@callboard/worker/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { DiscoveredPosts } from '../../src/discovery/discovered-posts.js'
import type { NetworkPost } from '../../src/networks/network-adapter.js'
import { Scorer } from '../../src/scoring/scorer.js'
import { getDiscoveryFeedTool } from '../../src/tools/get-discovery-feed-tool.js'
import { listUnrepliedTweetsTool } from '../../src/tools/list-unreplied-tweets-tool.js'
import { scoreTweetTool } from '../../src/tools/score-tweet-tool.js'
import type { SocialTool } from '../../src/tools/social-tool.js'
import { type CallTool, serveForTest } from '../support/call-tool.js'
import { networkPost, start } from '../support/posts.js'
import { stubNetworks } from '../support/stub-networks.js'
import { withAccounts } from '../support/test-config.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const minute = 60_000
const config = {
  local: { enabled: true },
  bluesky: { enabled: true },
  business: { product_name: 'Callboard', product_keywords: ['mcp', 'ai agents'] },
}

let foundation: TestFoundation
let posts: DiscoveredPosts
let call: CallTool

beforeEach(async () => {
  foundation = await openTestFoundation({ config, clock: new VirtualClock(start) })
  posts = new DiscoveredPosts(foundation, new Scorer(foundation.config))
  call = (await serveForTest(toolsOf(posts, new Scorer(foundation.config)), foundation)).call
})
afterEach(() => foundation[Symbol.asyncDispose]())

function toolsOf(discovered: DiscoveredPosts, scorer: Scorer): readonly SocialTool[] {
  const networks = stubNetworks('bluesky', 'local')
  const parts = { posts: discovered, networks }
  return [
    getDiscoveryFeedTool(parts),
    listUnrepliedTweetsTool(parts),
    scoreTweetTool({ clock: foundation.clock, scorer, networks }),
  ]
}

const store = (network: 'bluesky' | 'local', ...all: readonly NetworkPost[]) =>
  foundation.store.transaction((db) => posts.store(db, all, { network, source: 'search', ownAccountId: 'us' }))

const weak = { text: 'about nothing', replies: 30 }

describe('get_discovery_feed', () => {
  it('tells all of a post', async () => {
    await store('bluesky', networkPost({ ref: { id: 'at://1' }, impressions: 9, postedAt: start - 3 * minute }))
    foundation.clock.advance(60 * minute)
    const { data, meta } = await call('get_discovery_feed')
    expect(data).toEqual([
      {
        id: 'at://1',
        network: 'bluesky',
        url: expect.stringMatching(/^https:/),
        author_id: 'id-of-bea',
        author_username: 'bea.example',
        content: 'Our AI agents speak MCP',
        like_count: 10,
        retweet_count: 0,
        reply_count: 0,
        impression_count: 9,
        relevance_score: 85,
        score_now: 79.4,
        reasons: expect.arrayContaining(['63 min old: 5.5 of 11.1']),
        matched_keyword: 'mcp',
        discovered_at: '2026-03-02T12:00:00.000Z',
        replied_to: false,
        can_reply: true,
        source: 'search',
      },
    ])
    expect(meta.pagination).toEqual({ result_count: 1, has_more: false })
    expect(meta).not.toHaveProperty('provider_backend')
  })

  it('leaves out what is not known', async () => {
    const { authorFollowers: _, ...unknown } = networkPost(weak)
    await store('bluesky', unknown)
    const [item] = (await call('get_discovery_feed', { min_score: 0 })).data
    expect(item).not.toHaveProperty('impression_count')
    expect(item).not.toHaveProperty('matched_keyword')
    expect(item.reasons).toContain('follower count unknown: 0.0 of 16.7')
  })

  it('says of a post that takes no reply why', async () => {
    await store('bluesky', networkPost({ replyRefusal: 'Only people it mentions may reply.' }))
    const [item] = (await call('get_discovery_feed')).data
    expect(item).toMatchObject({ can_reply: false })
    expect(item.reasons.at(-1)).toBe('no reply: Only people it mentions may reply.')
  })

  it('shows what scores 50 or more now, best first, ten at a time', async () => {
    await store(
      'bluesky',
      ...Array.from({ length: 11 }, (_, index) => networkPost({ likes: index * 5 })),
      networkPost(weak),
    )
    const first = await call('get_discovery_feed')
    expect(first.data.map(({ like_count }: { like_count: number }) => like_count)).toEqual([
      50, 45, 40, 35, 30, 25, 20, 15, 10, 5,
    ])
    const next = await call('get_discovery_feed', { cursor: first.meta.pagination!.next_token })
    expect(next.data).toMatchObject([{ like_count: 0 }])
    expect(next.meta.pagination).toEqual({ result_count: 1, has_more: false })
  })

  it('a post drops out when its age has taken enough of its score', async () => {
    await store('bluesky', networkPost())
    const total = async () => (await call('get_discovery_feed', { min_score: 80 })).data.length
    expect(await total()).toBe(1)
    foundation.clock.advance(60 * minute)
    expect(await total()).toBe(0)
  })

  it('shows one network where one is named, and marks what is of the built-in one', async () => {
    await store('bluesky', networkPost())
    await store('local', networkPost())
    const of = async (args: object) => {
      const { data, meta } = await call('get_discovery_feed', args)
      return [data.map(({ network }: { network: string }) => network).sort(), meta.provider_backend]
    }
    expect(await of({ network: 'bluesky' })).toEqual([['bluesky'], undefined])
    expect(await of({ network: 'local' })).toEqual([['local'], 'local'])
    expect(await of({})).toEqual([['bluesky', 'local'], 'local'])
    expect((await call('get_discovery_feed', { network: 'x' })).error?.code).toBe('network_not_configured')
  })
})

describe('list_unreplied_tweets', () => {
  it('has the same items, also the weak ones', async () => {
    await store('bluesky', networkPost(), networkPost(weak))
    const { data } = await call('list_unreplied_tweets')
    expect(data).toHaveLength(2)
    expect(data[0]).toEqual((await call('get_discovery_feed')).data[0])
    expect((await call('list_unreplied_tweets', { threshold: 60 })).data).toHaveLength(1)
  })
})

describe('both lists', () => {
  const both = ['get_discovery_feed', 'list_unreplied_tweets'] as const

  it('a replied post leaves the feed and the unreplied list', async () => {
    await store('bluesky', networkPost({ ref: { id: 'a' } }), networkPost({ ref: { id: 'b' } }))
    await foundation.store.transaction((db) => posts.markReplied(db, 'bluesky', 'a'))
    for (const name of both) expect((await call(name)).data).toMatchObject([{ id: 'b' }])
  })

  it.each([
    { limit: 0 },
    { limit: 1.5 },
    { limit: 201 },
    { cursor: 'forged' },
    { cursor: '' },
    { network: 'myspace' },
    { offset: 3 },
  ])('refuse %j', async (args) => {
    for (const name of both) expect((await call(name, args)).error?.code).toBe('validation_error')
  })

  it('refuse scores outside of 0 to 100', async () => {
    for (const score of [-0.1, 100.1, '50']) {
      expect((await call('get_discovery_feed', { min_score: score })).error?.code).toBe('validation_error')
      expect((await call('list_unreplied_tweets', { threshold: score })).error?.code).toBe('validation_error')
    }
  })

  it('take their largest pages', async () => {
    expect((await call('get_discovery_feed', { limit: 100 })).success).toBe(true)
    expect((await call('get_discovery_feed', { limit: 101 })).success).toBe(false)
    expect((await call('list_unreplied_tweets', { limit: 200 })).success).toBe(true)
  })
})

describe('tool and feed', () => {
  const scoredByTool = async (post: NetworkPost, tool = call) => {
    const { data } = await tool('score_tweet', {
      text: post.text,
      author_username: post.authorUsername,
      author_followers: post.authorFollowers,
      likes: post.likes,
      retweets: post.reposts,
      replies: post.replies,
      created_at: new Date(post.postedAt).toISOString(),
      has_media: post.media > 0,
      is_quote: post.isQuote,
    })
    return { score_now: data.total, reasons: data.reasons }
  }

  it('score a post equally at one time', async () => {
    const post = networkPost({ likes: 17, reposts: 3, replies: 4, authorFollowers: 777, postedAt: start - 20_500 })
    await store('bluesky', post)
    for (const minutes of [0, 4.9, 25, 40, 200, 100, 5_000]) {
      foundation.clock.advance(minutes * minute)
      expect((await call('list_unreplied_tweets')).data[0]).toMatchObject(await scoredByTool(post))
    }
  })

  it('agree after a change of the configuration, before and after all is scored anew', async () => {
    const post = networkPost()
    await store('bluesky', post, networkPost({ text: 'Rust, Rust, Rust' }))
    const business = { product_name: 'Other', product_keywords: ['rust', 'mcp'] }
    const changed = {
      ...foundation,
      config: parseSocialConfig(withAccounts({ ...config, business, scoring: { follower_max: 40 } })),
    }
    const scorer = new Scorer(changed.config)
    const discovered = new DiscoveredPosts(changed, scorer)
    const { call: callChanged } = await serveForTest(toolsOf(discovered, scorer), changed)
    const inFeed = async () =>
      (await callChanged('list_unreplied_tweets')).data.find(
        ({ content }: { content: string }) => content === post.text,
      )
    const byTool = await scoredByTool(post, callChanged)
    expect(byTool.score_now).not.toBe((await scoredByTool(post)).score_now)
    expect(await inFeed()).toMatchObject(byTool)
    expect(await discovered.rescore(100)).toBe(2)
    expect(await inFeed()).toMatchObject(byTool)
  })
})
