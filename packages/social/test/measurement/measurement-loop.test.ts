import { describeBothDatabases } from '@callboard/store/testing'
import { expect, it } from 'vitest'
import { followersLoop } from '../../src/measurement/followers-loop.js'
import { measurementLoop } from '../../src/measurement/measurement-loop.js'
import { getStatsTool } from '../../src/tools/get-stats-tool.js'
import { serveForTest } from '../support/call-tool.js'
import { FakeNetwork } from '../support/fake-network.js'
import { insertPosted } from '../support/posted-item.js'
import { openTestFoundation } from '../support/test-foundation.js'

const never = new AbortController().signal
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

describeBothDatabases('measurement', (database) => {
  async function open() {
    const foundation = await openTestFoundation({
      location: await database.create(),
      config: { business: { product_name: 'Callboard', product_keywords: ['mcp'] }, bluesky: { enabled: true } },
    })
    const { store, clock } = foundation
    const network = new FakeNetwork({ clock })
    const loop = measurementLoop(foundation, network)
    const { call } = await serveForTest([getStatsTool(foundation)], foundation)
    return {
      foundation,
      network,
      turn: () => loop.turn(never),
      asked: () => network.requests.flatMap(({ operation, argument }) => (operation === 'posts' ? [argument] : [])),
      measured: () =>
        store.db
          .selectFrom('performance')
          .select(['position', 'due', 'likes', 'score'])
          .orderBy('measured_at')
          .execute(),
      topics: () =>
        store.db
          .selectFrom('topic_scores')
          .select(['topic', 'format', 'total_posts', 'avg_performance'])
          .orderBy('topic')
          .execute(),
      stats: async (args = {}) => (await call('get_stats', args)).data,
      [Symbol.asyncDispose]: () => foundation[Symbol.asyncDispose](),
    }
  }

  it('is made an hour, a day and a week after a post was sent, and never again', async () => {
    await using all = await open()
    const { clock, store } = all.foundation
    const { ref } = all.network.add()
    const sentAt = clock.now()
    await insertPosted(store.db, { remoteIds: [ref.id], sentAt })
    let likes = 0
    for (let quarter = 0; quarter < 4 * 24 * 30; quarter += 1) {
      likes += 1
      all.network.setCounts(ref.id, { likes })
      if (quarter % 4 === 3 || clock.now() - sentAt <= 2 * hour) await all.turn()
      clock.advance(15 * minute)
    }
    expect(all.asked()).toHaveLength(3)
    expect(await all.measured()).toEqual([
      { position: 0, due: '1h', likes: 5, score: 15 },
      { position: 0, due: '24h', likes: 100, score: 300 },
      { position: 0, due: '7d', likes: 676, score: 2028 },
    ])
  })

  it('leaves out a point that nobody was there for', async () => {
    await using all = await open()
    const { clock, store } = all.foundation
    const { ref } = all.network.add()
    await insertPosted(store.db, { remoteIds: [ref.id], sentAt: clock.now() })
    clock.advance(3 * day)
    await all.turn()
    await all.turn()
    expect((await all.measured()).map(({ due }) => due)).toEqual(['24h'])
    expect(all.asked()).toHaveLength(1)
  })

  it('gives replies their figures', async () => {
    await using all = await open()
    const { clock, store } = all.foundation
    const reply = all.network.add({ likes: 4, replies: 1 })
    const tweet = all.network.add({ reposts: 2, impressions: 4_000 })
    await insertPosted(store.db, { action: 'reply', remoteIds: [reply.ref.id], sentAt: clock.now() })
    await insertPosted(store.db, { remoteIds: [tweet.ref.id], sentAt: clock.now() })
    expect(await all.stats()).toMatchObject({ avg_reply_engagement: 0, replies_measured: 0 })
    clock.advance(hour)
    await all.turn()
    expect(await all.stats()).toMatchObject({
      avg_reply_engagement: 17,
      replies_measured: 1,
      avg_tweet_engagement: 2,
      tweets_measured: 1,
    })
    clock.advance(day)
    expect(await all.stats({ days: 1 })).toMatchObject({ replies_measured: 0, tweets_measured: 0 })
    expect(await all.stats({ days: 2 })).toMatchObject({ replies_measured: 1, tweets_measured: 1 })
  })

  it('changes the score of a topic: the average of the newest measurement of each post', async () => {
    await using all = await open()
    const { clock, store } = all.foundation
    const [one, two] = [all.network.add({ likes: 10 }), all.network.add({ likes: 20 })]
    const about = { topic: 'mcp', archetype: 'tip' }
    await insertPosted(store.db, { ...about, remoteIds: [one.ref.id], sentAt: clock.now() })
    clock.advance(hour)
    await insertPosted(store.db, { ...about, remoteIds: [two.ref.id], sentAt: clock.now() })
    await all.turn()
    expect(await all.topics()).toEqual([{ topic: 'mcp', format: 'tip', total_posts: 1, avg_performance: 30 }])
    clock.advance(hour)
    await all.turn()
    expect(await all.topics()).toEqual([{ topic: 'mcp', format: 'tip', total_posts: 2, avg_performance: 45 }])
    all.network.setCounts(one.ref.id, { likes: 40 })
    clock.advance(22 * hour)
    await all.turn()
    expect(await all.topics()).toEqual([{ topic: 'mcp', format: 'tip', total_posts: 2, avg_performance: 90 }])
    const { top_topics } = await all.stats()
    expect(top_topics).toEqual([
      { topic: 'mcp', format: 'tip', total_posts: 2, avg_performance: 90, network: 'bluesky' },
    ])
  })

  it('counts a thread once, by its first post; a reply is of no topic', async () => {
    await using all = await open()
    const { clock, store } = all.foundation
    const parts = [all.network.add({ likes: 10 }), all.network.add({ likes: 1 })]
    const reply = all.network.add({ likes: 99 })
    const remoteIds = parts.map(({ ref }) => ref.id)
    await insertPosted(store.db, { action: 'thread', topic: 'mcp', remoteIds, sentAt: clock.now() })
    await insertPosted(store.db, { action: 'reply', topic: 'mcp', remoteIds: [reply.ref.id], sentAt: clock.now() })
    clock.advance(hour)
    await all.turn()
    expect(await all.topics()).toEqual([{ topic: 'mcp', format: '', total_posts: 1, avg_performance: 30 }])
    expect(await all.measured()).toHaveLength(3)
    expect(await all.stats()).toMatchObject({ tweets_measured: 1, avg_tweet_engagement: 30 })
  })

  it('notes once that a post is gone, asks for it no more, and keeps what was known', async () => {
    await using all = await open()
    const { clock, store } = all.foundation
    const { ref } = all.network.add({ likes: 10 })
    const early = all.network.add()
    const sentAt = clock.now()
    await insertPosted(store.db, { topic: 'mcp', remoteIds: [ref.id], sentAt })
    await insertPosted(store.db, { topic: 'mcp', remoteIds: [early.ref.id], sentAt })
    all.network.delete(early.ref.id)
    clock.advance(hour)
    await all.turn()
    all.network.delete(ref.id)
    for (let n = 0; n < 20; n += 1) {
      clock.advance(12 * hour)
      await all.turn()
    }
    expect(all.asked()).toEqual([[ref.id, early.ref.id], [ref.id]])
    expect(await all.topics()).toMatchObject([{ total_posts: 1, avg_performance: 30 }])
    expect(await all.stats({ days: 30 })).toMatchObject({ tweets_measured: 1, avg_tweet_engagement: 30 })
    const log = await store.db.selectFrom('action_log').select(['action_type', 'message']).execute()
    expect(log).toEqual([
      { action_type: 'analytics', message: 'Measured 1 of 2 posts on bluesky; the others are gone.' },
      { action_type: 'analytics', message: 'Measured 0 of 1 posts on bluesky; the others are gone.' },
    ])
  })

  it('asks of what is posted only, and of its own network, in requests of bounded size', async () => {
    await using all = await open()
    const { clock, store } = all.foundation
    const sentAt = clock.now()
    await insertPosted(store.db, { remoteIds: ['failed'], sentAt, status: 'failed' })
    await insertPosted(store.db, { remoteIds: ['elsewhere'], sentAt, network: 'mastodon' })
    for (let n = 0; n < 30; n += 1) await insertPosted(store.db, { remoteIds: [all.network.add().ref.id], sentAt })
    clock.advance(hour)
    await all.turn()
    expect(all.asked().map((ids) => (ids as string[]).length)).toEqual([25, 5])
  })

  it('stores nothing of a request that failed, and asks again', async () => {
    await using all = await open()
    const { clock, store } = all.foundation
    const { ref } = all.network.add()
    await insertPosted(store.db, { remoteIds: [ref.id], sentAt: clock.now() })
    clock.advance(hour)
    all.network.failNext('posts')
    await expect(all.turn()).rejects.toThrow('does not answer')
    expect(await all.measured()).toEqual([])
    await all.turn()
    expect(await all.measured()).toHaveLength(1)
  })

  it('goes by the followers of now where those of then are not known', async () => {
    await using all = await open()
    const { clock, store } = all.foundation
    const { ref } = all.network.add({ likes: 1 })
    all.network.own.followers = 500
    await insertPosted(store.db, { remoteIds: [ref.id], sentAt: clock.now(), followers: null })
    clock.advance(hour)
    await all.turn()
    expect(await all.measured()).toMatchObject([{ score: 6 }])
  })

  it('notes no followers that the network does not tell, and goes by those it told last', async () => {
    await using all = await open()
    const { foundation, network } = all
    const { store, clock } = foundation
    const loop = followersLoop(foundation, network)
    await loop.turn(never)
    clock.advance(day)
    Object.assign(network.own, { followers: 0, isUncounted: true })
    await loop.turn(never)
    expect(await store.db.selectFrom('follower_snapshots').select('follower_count').execute()).toEqual([
      { follower_count: 100 },
    ])
    const { ref } = network.add({ likes: 1 })
    await insertPosted(store.db, { remoteIds: [ref.id], sentAt: clock.now(), followers: null })
    clock.advance(hour)
    await all.turn()
    expect(await all.measured()).toMatchObject([{ score: 30 }])
    delete network.own.isUncounted
    await loop.turn(never)
    expect(await store.db.selectFrom('follower_snapshots').selectAll().execute()).toHaveLength(2)
  })

  it('notes the followers once each UTC day', async () => {
    await using all = await open()
    const { foundation, network } = all
    const loop = followersLoop(foundation, network)
    for (let passed = 0; passed < 48; passed += 1) {
      network.own.followers += 1
      await loop.turn(never)
      foundation.clock.advance(hour)
    }
    expect(network.asked('account')).toBe(3)
    const { follower_trend } = await all.stats()
    expect(follower_trend).toEqual([
      { date: '2026-03-02', follower_count: 101, following_count: 50, tweet_count: 10, network: 'bluesky' },
      { date: '2026-03-03', follower_count: 113, following_count: 50, tweet_count: 10, network: 'bluesky' },
      { date: '2026-03-04', follower_count: 137, following_count: 50, tweet_count: 10, network: 'bluesky' },
    ])
  })
})
