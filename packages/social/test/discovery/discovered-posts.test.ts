import { describeBothDatabases } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { DiscoveredPosts } from '../../src/discovery/discovered-posts.js'
import type { NetworkPost } from '../../src/networks/network-adapter.js'
import { Scorer } from '../../src/scoring/scorer.js'
import { networkPost, start } from '../support/posts.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const minute = 60_000

describeBothDatabases('discovered posts', (database) => {
  let foundation: TestFoundation
  let posts: DiscoveredPosts

  beforeEach(async () => {
    const config = { limits: { blocked_authors: ['@Troll.example', 'id-of-spam'] } }
    foundation = await openTestFoundation({
      config,
      location: await database.create(),
      clock: new VirtualClock(start),
    })
    posts = new DiscoveredPosts(foundation, new Scorer(foundation.config))
  })
  afterEach(() => foundation[Symbol.asyncDispose]())

  const store = (...found: NetworkPost[]) =>
    foundation.store.transaction((db) =>
      posts.store(db, found, { network: 'local', source: 'search', ownAccountId: 'id-of-us' }),
    )
  const feed = async (minScore = 0) => (await posts.feed({ minScore, limit: 200 })).posts

  describe('what is stored', () => {
    it('is the post with its score and what that was computed from, also below the threshold', async () => {
      const [row] = await store(
        networkPost({ ref: { id: '1', cid: 'c1' }, root: { id: '0' }, lang: 'en', impressions: 7, media: 2 }),
      )
      expect(row).toMatchObject({
        network: 'local',
        remote_id: '1',
        cid: 'c1',
        root: '{"id":"0"}',
        author_followers: 2_000,
        content: 'Our AI agents speak MCP',
        posted_at: start,
        impressions: 7,
        has_media: 1,
        matched_keywords: '["mcp","ai agents"]',
        score: 73.9,
        discovered_at: start,
        replied_to: 0,
        addresses_us: 0,
        can_reply: 1,
        reply_refusal: null,
        source: 'search',
      })
      expect(await store(networkPost({ text: 'about nothing', replies: 40, media: 1 }))).toHaveLength(1)
    })

    it('is nothing of our own, nothing reposted, nothing empty, and nobody who is blocked', async () => {
      const stored = await store(
        networkPost({ authorId: 'id-of-us' }),
        networkPost({ isRepost: true }),
        networkPost({ text: ' \n\u200b ' }),
        networkPost({ authorUsername: 'troll.EXAMPLE' }),
        networkPost({ authorId: 'id-of-spam' }),
        networkPost({ ref: { id: 'x'.repeat(513) } }),
      )
      expect(stored).toEqual([])
      expect(await feed()).toEqual([])
    })

    it('says who addresses us, also when that is learned later, and by one reading alone', async () => {
      const post = networkPost({ ref: { id: '1' } })
      await store(post)
      const isAddressed = async () => (await feed())[0]!.post.addresses_us
      expect(await isAddressed()).toBe(0)
      await store({ ...post, addressesUs: true })
      expect(await isAddressed()).toBe(1)
      await store(post)
      expect(await isAddressed()).toBe(1)
    })

    it('says who takes no reply', async () => {
      await store(networkPost({ replyRefusal: 'Only accounts that it mentions may reply.' }))
      expect((await feed())[0]!.post).toMatchObject({
        addresses_us: 0,
        can_reply: 0,
        reply_refusal: 'Only accounts that it mentions may reply.',
      })
    })

    it('is bounded and storable, whatever a network sends', async () => {
      const long = 'a\0\ud800'.repeat(10_000)
      const [row] = await store(
        networkPost({
          text: long,
          url: long,
          authorUsername: long,
          lang: long,
          likes: 1e300,
          replies: -3,
          postedAt: NaN,
        }),
      )
      expect(row).toMatchObject({ likes: 1_000_000_000, replies: 0, posted_at: 0 })
      expect(row!.content).toHaveLength(10_001)
      expect(row!.author_username).toHaveLength(257)
      expect((await feed())[0]!.score.total).toBeGreaterThan(0)
    })

    it('a post that claims to be from the future is of now: it grows old like others', async () => {
      await store(networkPost({ postedAt: start + 365 * 24 * 60 * minute }))
      foundation.clock.advance(361 * minute)
      expect((await feed())[0]!.score.recency).toBe(0)
    })
  })

  describe('a post that comes again', () => {
    it('is one row, with the counts, the text and the score of now', async () => {
      const post = networkPost({ likes: 0, text: 'Our AI agents speak MCP' })
      await store(post)
      const before = (await feed())[0]!.score.total
      expect(await store({ ...post, likes: 100, text: 'Our AI agents speak', impressions: 5 })).toEqual([])
      const after = await feed()
      expect(after).toHaveLength(1)
      expect(after[0]!.post).toMatchObject({ likes: 100, content: 'Our AI agents speak', impressions: 5 })
      expect(after[0]!.score.total).not.toBe(before)
      expect(after[0]!.post.base_score).toBeCloseTo(after[0]!.score.total - 100 / 9, 0)
    })

    it('within one page, too', async () => {
      const post = networkPost()
      expect(await store(post, { ...post, likes: 11 })).toHaveLength(1)
      expect((await feed())[0]!.post.likes).toBe(11)
    })

    it('of another network is another post', async () => {
      const post = networkPost()
      await store(post)
      const found = { network: 'mastodon', source: 'search', ownAccountId: 'us' } as const
      expect(await posts.store(foundation.store.db, [post], found)).toHaveLength(1)
    })

    it('keeps when it was found, that it was replied to, and followers that are not told any more', async () => {
      const { authorFollowers: _, ...post } = networkPost({ ref: { id: '1' } })
      await store({ ...post, authorFollowers: 3_000 })
      await posts.markReplied(foundation.store.db, 'local', '1')
      foundation.clock.advance(minute)
      await store(post)
      expect(await posts.find('1', 'local')).toMatchObject({
        author_followers: 3_000,
        discovered_at: start,
        replied_to: 1,
      })
    })
  })

  it('a post that was replied to leaves the feed', async () => {
    await store(networkPost({ ref: { id: '1' } }), networkPost({ ref: { id: '2' } }))
    await posts.markReplied(foundation.store.db, 'local', '1')
    await posts.markReplied(foundation.store.db, 'local', 'never seen')
    await posts.markReplied(foundation.store.db, 'mastodon', '2')
    expect((await feed()).map(({ post }) => post.remote_id)).toEqual(['2'])
  })

  it('a 6-hour-old post scores lower than at discovery', async () => {
    await store(networkPost())
    foundation.clock.advance(6 * 60 * minute)
    const [found] = await feed()
    expect(found!.score.total).toBeLessThan(found!.post.score)
    expect(found!.post.score - found!.score.total).toBeCloseTo(0.75 * (100 / 9), 0)
  })

  it('of networks that are off nothing is shown unless asked for', async () => {
    const found = { network: 'x', source: 'search', ownAccountId: 'us' } as const
    await posts.store(foundation.store.db, [networkPost()], found)
    expect(await feed()).toEqual([])
    expect((await posts.feed({ network: 'x', minScore: 0, limit: 1 })).posts).toHaveLength(1)
  })

  it('after a change of the configuration all is scored anew, in chunks', async () => {
    await store(...Array.from({ length: 5 }, () => networkPost()), networkPost({ text: 'We love Rust' }))
    const business = { product_name: 'Other', product_keywords: ['rust'] }
    const changed = { ...foundation, config: parseSocialConfig({ business }) }
    const scorer = new Scorer(changed.config)
    const anew = new DiscoveredPosts(changed, scorer)
    expect([await anew.rescore(4), await anew.rescore(4), await anew.rescore(4)]).toEqual([4, 2, 0])
    const { posts: all } = await anew.feed({ minScore: 0, limit: 10 })
    expect(all[0]!.post).toMatchObject({ content: 'We love Rust', matched_keywords: '["rust"]' })
    for (const { post, score } of all) expect(post.base_score + score.recency).toBeCloseTo(score.total, 0)
  })

  it('a post is found by its number, too', async () => {
    const [row] = await store(networkPost())
    expect(await posts.get(row!.id)).toEqual(row)
    expect(await posts.get(row!.id + 1)).toBeUndefined()
    expect(posts.scoreOf(row!).total).toBe(row!.score)
  })
})
