import { expect, it } from 'vitest'
import { performanceScore } from '../../src/measurement/performance-score.js'

it('weighs reactions, for each thousand views', () => {
  expect(performanceScore({ likes: 10, replies: 2, reposts: 5, impressions: 2_000 }, 7)).toBe(30)
  expect(performanceScore({ likes: 1, replies: 0, reposts: 0, impressions: 0 }, 7)).toBe(3_000)
})

it('goes by the followers where nobody counts views', () => {
  expect(performanceScore({ likes: 10, replies: 2, reposts: 5 }, 1_000)).toBe(60)
  expect(performanceScore({ likes: 1, replies: 0, reposts: 0 }, 0)).toBe(3_000)
})
