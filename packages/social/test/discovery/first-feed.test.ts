import { expect, it } from 'vitest'
import { DiscoveredPosts } from '../../src/discovery/discovered-posts.js'
import { discoveryLoop } from '../../src/discovery/discovery-loop.js'
import { openLocal } from '../../src/networks/local/open-local.js'
import { Scorer } from '../../src/scoring/scorer.js'
import { openTestFoundation } from '../support/test-foundation.js'

it('the feed of a newcomer who has configured nothing shows samples after the first turn, the best one first', async () => {
  await using foundation = await openTestFoundation()
  const network = await openLocal({ handle: 'you', foundation })
  const discovered = new DiscoveredPosts(foundation, new Scorer(foundation.config))
  await discoveryLoop({ foundation, network, discovered }).turn(new AbortController().signal)

  const { posts } = await discovered.feed({ minScore: 50, limit: 10 })
  expect(posts.length).toBeGreaterThanOrEqual(2)
  expect(posts[0]).toMatchObject({ post: { can_reply: 1 }, score: { verdict: 'REPLY' } })
  const totals = posts.map(({ score }) => score.total)
  expect(totals).toEqual([...totals].sort((a, b) => b - a))
  // It was the first keyword that was searched for.
  for (const { score } of posts) expect(score.matched_keywords).toContain('mcp')
  for (const { post } of posts) expect(post.source).toBe('sample')
})
