// vitest bench --run packages/social/bench: what the feed costs beside 100,000 posts, and how fast posts are scored.
import { afterAll, bench, describe } from 'vitest'
import { parseSocialConfig } from '../src/config.js'
import { DiscoveredPosts } from '../src/discovery/discovered-posts.js'
import { Scorer } from '../src/scoring/scorer.js'
import { storeManyPosts } from '../test/support/many-posts.js'
import { scoreInput, start } from '../test/support/posts.js'
import { openTestFoundation, type TestFoundation } from '../test/support/test-foundation.js'

const count = 100_000
const hour = 60 * 60_000
const options = { time: 0, iterations: 200, warmupTime: 0, warmupIterations: 20 }
const open: TestFoundation[] = []

/** Of the last hours, all the same number in each. */
async function postsOf(hours: number): Promise<DiscoveredPosts> {
  const foundation = await openTestFoundation()
  open.push(foundation)
  const scorer = new Scorer(foundation.config)
  await storeManyPosts(foundation, scorer, { count, withinMs: hours * hour })
  return new DiscoveredPosts(foundation, scorer)
}

const ofAWeek = await postsOf(7 * 24)
const ofADay = await postsOf(24)
const second = { minScore: 0, limit: 200, cursor: (await ofAWeek.feed({ minScore: 0, limit: 200 })).cursor! }

afterAll(async () => {
  for (const foundation of open) await foundation[Symbol.asyncDispose]()
})

describe(`feed of ${count} posts`, () => {
  const read = (posts: DiscoveredPosts, query: Parameters<DiscoveredPosts['feed']>[0]) => async () =>
    void (await posts.feed(query))
  bench('of a week: the usual ten of 50 and more', read(ofAWeek, { minScore: 50, limit: 10 }), options)
  bench('of a week: the largest page', read(ofAWeek, { minScore: 0, limit: 200 }), options)
  bench('of a week: its second page', read(ofAWeek, second), options)
  bench('of one day, as from twelve networks at their busiest: ten', read(ofADay, { minScore: 50, limit: 10 }), options)
})

describe('one score', () => {
  const word = (index: number) => (index % 3 === 0 ? `some phrase${index}` : `word${index}`)
  const keywords = (from: number) => Array.from({ length: 200 }, (_, index) => word(from + index))
  const business = {
    product_name: 'Callboard',
    product_keywords: [...keywords(0).slice(2), 'mcp', 'ai agents'],
    competitor_keywords: keywords(200),
    industry_topics: keywords(400),
  }
  const scorer = new Scorer(parseSocialConfig({ business }))
  const plain = scoreInput({
    text: 'An MCP server for AI agents is out, and here is what it can do for you. '.repeat(4),
  })
  const accents = scoreInput({
    text: 'Un serveur MCP pour vos « AI agents » est là — déjà prêt à l’emploi. '.repeat(4),
  })
  bench('of 280 characters by 600 keywords', () => void scorer.score(plain, start))
  bench('of 280 characters beyond ASCII', () => void scorer.score(accents, start))
  bench('what is stored of it, without the reasons', () => void scorer.base(plain))
})
