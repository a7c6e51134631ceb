import { describe, expect, it } from 'vitest'
import type { NetworkName } from '../../src/config.js'
import { utcDate } from '../../src/measurement/utc-date.js'
import { getFollowerTrendTool } from '../../src/tools/get-follower-trend-tool.js'
import { getStatsTool } from '../../src/tools/get-stats-tool.js'
import { serveForTest } from '../support/call-tool.js'
import { openTestFoundation } from '../support/test-foundation.js'

const dayMs = 24 * 60 * 60_000

/** Today is 2026-03-02. */
async function open(config: object = {}) {
  const foundation = await openTestFoundation({ config })
  const { store, clock } = foundation
  const { call } = await serveForTest([getStatsTool(foundation), getFollowerTrendTool(foundation)], foundation)
  return {
    call,
    async note(daysAgo: number, followers: number, network: NetworkName = 'local') {
      const at = clock.now() - daysAgo * dayMs
      const counts = { follower_count: followers, following_count: 1, tweet_count: 2 }
      await store.db
        .insertInto('follower_snapshots')
        .values({ network, date: utcDate(at), ...counts, at })
        .execute()
    },
    async score(topic: string, average: number, posts = 1) {
      const row = { network: 'local', topic, format: 'tip', total_posts: posts, avg_performance: average } as const
      await store.db
        .insertInto('topic_scores')
        .values({ ...row, updated_at: 0 })
        .execute()
    },
    [Symbol.asyncDispose]: () => foundation[Symbol.asyncDispose](),
  }
}

describe('get_stats', () => {
  it('answers on a fresh database', async () => {
    await using all = await open()
    const { data, meta } = await all.call('get_stats')
    expect(data).toEqual({
      follower_trend: [],
      net_follower_change_7d: 0,
      net_follower_change_30d: 0,
      top_topics: [],
      avg_reply_engagement: 0,
      avg_tweet_engagement: 0,
      replies_measured: 0,
      tweets_measured: 0,
    })
    expect(meta.provider_backend).toBe('local')
  })

  it('shows the snapshots of so many UTC days, today among them', async () => {
    await using all = await open()
    for (const daysAgo of [7, 6, 1, 0]) await all.note(daysAgo, 100 - daysAgo)
    const dates = async (args: object) =>
      (await all.call('get_stats', args)).data.follower_trend.map(({ date }: { date: string }) => date)
    expect(await dates({})).toEqual(['2026-02-24', '2026-03-01', '2026-03-02'])
    expect(await dates({ days: 1 })).toEqual(['2026-03-02'])
    expect(await dates({ days: 365 })).toHaveLength(4)
  })

  it('compares the newest snapshot with the latest that is old enough', async () => {
    await using all = await open()
    await all.note(1, 130)
    const change = async () => {
      const { data } = await all.call('get_stats')
      return [data.net_follower_change_7d, data.net_follower_change_30d]
    }
    expect(await change()).toEqual([0, 0])
    await all.note(6, 120)
    expect(await change()).toEqual([0, 0])
    await all.note(9, 150)
    expect(await change()).toEqual([-20, 0])
    await all.note(7, 125)
    await all.note(30, 30)
    expect(await change()).toEqual([5, 100])
  })

  it('names the five topics that work best', async () => {
    await using all = await open()
    for (const [topic, average] of Object.entries({ a: 1, b: 6, c: 3, d: 4, e: 5, f: 2 }))
      await all.score(topic, average)
    await all.score('measured, and all its posts are gone', 0, 0)
    const { data } = await all.call('get_stats')
    expect(data.top_topics.map(({ topic }: { topic: string }) => topic)).toEqual(['b', 'e', 'd', 'c', 'f'])
    expect(data.top_topics[0]).toEqual({
      topic: 'b',
      format: 'tip',
      total_posts: 1,
      avg_performance: 6,
      network: 'local',
    })
  })

  it('is of the default network, or of the one that is named', async () => {
    await using all = await open({
      business: { product_name: 'Callboard', product_keywords: ['mcp'] },
      bluesky: { enabled: true },
    })
    await all.note(0, 10, 'bluesky')
    await all.note(0, 20, 'mastodon')
    const usual = await all.call('get_stats')
    expect(usual.data.follower_trend).toMatchObject([{ follower_count: 10 }])
    expect(usual.meta).not.toHaveProperty('provider_backend')
    const named = await all.call('get_stats', { network: 'mastodon' })
    expect(named.data.follower_trend).toMatchObject([{ follower_count: 20, network: 'mastodon' }])
  })

  it.each([{ days: 0 }, { days: 366 }, { days: 1.5 }, { days: '7' }, { network: 'myspace' }, { weeks: 1 }])(
    'refuses %j',
    async (args) => {
      await using all = await open()
      const { error } = await all.call('get_stats', args)
      expect(error).toMatchObject({ code: 'validation_error', retryable: false })
    },
  )
})

describe('get_follower_trend', () => {
  it('gives the newest page first, oldest first in it', async () => {
    await using all = await open()
    for (let daysAgo = 0; daysAgo < 10; daysAgo += 1) await all.note(daysAgo, 100 - daysAgo)
    const followers: number[][] = []
    let cursor: string | undefined
    do {
      const { data, meta } = await all.call('get_follower_trend', { limit: 4, ...(cursor && { cursor }) })
      followers.push(data.map((row: { follower_count: number }) => row.follower_count))
      expect(meta.pagination).toMatchObject({
        result_count: data.length,
        has_more: meta.pagination?.next_token !== undefined,
      })
      cursor = meta.pagination?.next_token
    } while (cursor !== undefined)
    expect(followers).toEqual([
      [97, 98, 99, 100],
      [93, 94, 95, 96],
      [91, 92],
    ])
  })

  it('has the objects of get_stats, seven unless told otherwise', async () => {
    await using all = await open()
    for (let daysAgo = 0; daysAgo < 10; daysAgo += 1) await all.note(daysAgo, 100 - daysAgo)
    const { data, meta } = await all.call('get_follower_trend')
    expect(data).toEqual((await all.call('get_stats')).data.follower_trend)
    expect(data).toHaveLength(7)
    expect(meta.provider_backend).toBe('local')
  })

  it('says of an empty database that there is nothing', async () => {
    await using all = await open()
    const { data, meta } = await all.call('get_follower_trend')
    expect(data).toEqual([])
    expect(meta.pagination).toEqual({ result_count: 0, has_more: false })
  })

  it.each([
    { limit: 0 },
    { limit: 366 },
    { cursor: 'nonsense' },
    { cursor: '' },
    { cursor: Buffer.from('2026-3-2').toString('base64url') },
  ])('refuses %j', async (args) => {
    await using all = await open()
    const { error } = await all.call('get_follower_trend', args)
    expect(error).toMatchObject({ code: 'validation_error' })
  })
})
