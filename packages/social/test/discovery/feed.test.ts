import { describeBothDatabases } from '@callboard/store/testing'
import { VirtualClock } from '@callboard/worker/testing'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { DiscoveredPosts, type FeedQuery } from '../../src/discovery/discovered-posts.js'
import { type FeedSlice, oldPosts, youngPosts } from '../../src/discovery/feed-query.js'
import { inputOf } from '../../src/discovery/post-row.js'
import { stalePosts } from '../../src/discovery/stale-posts.js'
import type { NetworkPost } from '../../src/networks/network-adapter.js'
import { Scorer } from '../../src/scoring/scorer.js'
import { recencyFactor } from '../../src/scoring/signals.js'
import { networkPost, start } from '../support/posts.js'
import { openTestFoundation, seeded, type TestFoundation } from '../support/test-foundation.js'

const minute = 60_000
const found = { network: 'local', source: 'search', ownAccountId: 'us' } as const

/** Of every age and worth, many of them equal; among them the ages at which recency takes another course. */
function manyPosts(count: number): readonly NetworkPost[] {
  const random = seeded(3)
  const texts = ['nothing', 'mcp', 'ai agents', 'mcp for ai agents']
  const ages = [0, 5, 30, 60, 360, 360 + 1 / minute, 4_000]
  return Array.from({ length: count }, () =>
    networkPost({
      text: texts[Math.floor(random() * texts.length)]!,
      authorFollowers: Math.floor(random() * 4) * 400,
      likes: Math.floor(random() * 3),
      postedAt: start - Math.round((random() < 0.5 ? ages[Math.floor(random() * 7)]! : random() * 800) * minute),
    }),
  )
}

describeBothDatabases('the feed', (database) => {
  let foundation: TestFoundation
  let scorer: Scorer
  let posts: DiscoveredPosts

  beforeEach(async () => {
    foundation = await openTestFoundation({ location: await database.create(), clock: new VirtualClock(start) })
    scorer = new Scorer(foundation.config)
    posts = new DiscoveredPosts(foundation, scorer)
  })
  afterEach(() => foundation[Symbol.asyncDispose]())

  const store = (all: readonly NetworkPost[]) => foundation.store.transaction((db) => posts.store(db, all, found))

  const pages = async (query: FeedQuery) => {
    const all = []
    let cursor: string | undefined
    do {
      const page = await posts.feed({ ...query, ...(cursor !== undefined && { cursor }) })
      all.push(page.posts)
      cursor = page.cursor
    } while (cursor !== undefined)
    return all
  }

  it('has the order and the scores that scoring every post would give', async () => {
    await store(manyPosts(300))
    const rows = await foundation.store.db.selectFrom('discovered_posts').selectAll().execute()
    for (const [minScore, later] of [
      [0, 0],
      [50, 0],
      [50.03, 7 * minute],
      [38.9, 0],
      [0, 400 * minute],
    ] as const) {
      foundation.clock.set(start + later)
      const expected = rows
        .map((post) => ({ post, total: scorer.score(inputOf(post), start + later).total }))
        .filter(({ total }) => total >= minScore)
        .map(({ total }) => total)
        .sort((a, b) => b - a)
      const { posts: all } = await posts.feed({ minScore, limit: 300 })
      expect(all.map(({ score }) => score.total)).toEqual(expected)
    }
  })

  it('the database computes what the scorer computes', async () => {
    await store(manyPosts(200))
    const slice = { network: 'local', asOf: start + 2 * minute, recencyMax: scorer.recencyMax, limit: 500 } as const
    const all = [youngPosts, oldPosts].map((query) => query(foundation.store.db, { ...slice, minScore: 0 }).execute())
    const places = (await Promise.all(all)).flat()
    expect(places).toHaveLength(200)
    for (const { id, score } of places) {
      const input = inputOf((await posts.get(id))!)
      const recency = scorer.recencyMax * recencyFactor(input, slice.asOf)
      expect(score).toBeCloseTo(scorer.base(input).points + recency, 9)
    }
  })

  it('of equal posts the newest comes first', async () => {
    const old = start - 1_000 * minute
    await store([10, 30, 20].map((age) => networkPost({ ref: { id: `${age}` }, postedAt: old - age * minute })))
    const { posts: all } = await posts.feed({ minScore: 0, limit: 10 })
    expect(all.map(({ post }) => post.remote_id)).toEqual(['10', '20', '30'])
  })

  it('pages have every post once, in the order of one long page', async () => {
    await store(manyPosts(100))
    const { posts: whole } = await posts.feed({ minScore: 30, limit: 200 })
    const all = await pages({ minScore: 30, limit: 7 })
    expect(all.flat().map(({ post }) => post.id)).toEqual(whole.map(({ post }) => post.id))
    for (const page of all.slice(0, -1)) expect(page).toHaveLength(7)
    expect(all.at(-1)!.length).toBeGreaterThan(0)
  })

  it('a later page has the scores of the time of the first one', async () => {
    await store([networkPost({ likes: 50 }), networkPost({ likes: 0 })])
    const first = await posts.feed({ minScore: 0, limit: 1 })
    foundation.clock.advance(100 * minute)
    const second = await posts.feed({ minScore: 0, limit: 1, cursor: first.cursor! })
    expect(second.posts[0]!.score.recency).toBe(11.1)
    expect(second.cursor).toBeUndefined()
  })

  it('a page of all that is left is the last', async () => {
    await store([networkPost(), networkPost()])
    expect((await posts.feed({ minScore: 0, limit: 2 })).cursor).toBeUndefined()
    expect((await posts.feed({ minScore: 0, limit: 1 })).cursor).toBeDefined()
    expect(await posts.feed({ minScore: 100, limit: 1 })).toEqual({ posts: [] })
  })

  it('without any points for being new it is the same', async () => {
    const config = parseSocialConfig({ scoring: { recency_max: 0 } })
    const other = new DiscoveredPosts({ ...foundation, config }, new Scorer(config))
    await foundation.store.transaction((db) => other.store(db, manyPosts(50), found))
    const { posts: all } = await other.feed({ minScore: 0, limit: 100 })
    const totals = all.map(({ score }) => score.total)
    expect(totals).toHaveLength(50)
    expect(totals).toEqual(totals.toSorted((a, b) => b - a))
  })

  it('a cursor that no page has given is refused', async () => {
    const asked = posts.feed({ minScore: 0, limit: 1, cursor: 'forged' })
    await expect(asked).rejects.toMatchObject({ code: 'validation_error' })
  })

  it.runIf(database.dialect === 'sqlite')('no query looks at a whole table', async () => {
    const { db } = foundation.store
    const slice: FeedSlice = { network: 'local', asOf: start, minScore: 50, recencyMax: 11, limit: 201 }
    const later = { ...slice, after: { score: 60, postedAt: start, id: 1 } }
    const planOf = async (query: { explain: ReturnType<typeof oldPosts>['explain'] }) =>
      (await query.explain(undefined, sql`query plan`)).map(({ detail }) => String(detail)).join('; ')
    for (const young of [youngPosts(db, slice), youngPosts(db, later)]) {
      expect(await planOf(young)).toBe(
        'SEARCH discovered_posts USING COVERING INDEX discovered_posts_young (network=? AND replied_to=? AND posted_at>?); USE TEMP B-TREE FOR ORDER BY',
      )
    }
    expect(await planOf(oldPosts(db, slice))).toBe(
      'SEARCH discovered_posts USING COVERING INDEX discovered_posts_best (network=? AND replied_to=? AND base_score>?)',
    )
    expect(await planOf(oldPosts(db, later))).toMatch(/^SEARCH \w+ USING COVERING INDEX discovered_posts_best [^;]+$/)
    expect(await planOf(stalePosts(db, 'v', 10))).not.toMatch(/SCAN/)
  })
})
