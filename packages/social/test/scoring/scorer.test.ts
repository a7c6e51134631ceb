import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSocialConfig } from '../../src/config.js'
import { type ScoreInput, Scorer, signals } from '../../src/scoring/scorer.js'
import { anyText } from '../support/any-text.js'
import { scoreInput, start } from '../support/posts.js'

const minute = 60_000

function scorerOf({ keywords = ['mcp', 'ai agents'], scoring = {} }: { keywords?: string[]; scoring?: object } = {}) {
  const business = { product_name: 'Callboard', product_keywords: keywords }
  return new Scorer(parseSocialConfig({ business, scoring }))
}

/** Every maximum 0 but one of 100: its points are then the factor, in per cent. */
function percent(signal: (typeof signals)[number], input: Partial<ScoreInput>, ageMinutes = 0): number {
  const maxima = Object.fromEntries(signals.map((name) => [`${name}_max`, name === signal ? 100 : 0]))
  return scorerOf({ scoring: maxima }).score(scoreInput(input), start + ageMinutes * minute)[signal]
}

const perfect = scoreInput({ text: 'AI agents speak MCP', followers: 5_000, likes: 250 })

describe('the whole', () => {
  it('a perfect post scores 100', () => {
    const score = scorerOf().score(perfect, start)
    expect(score).toMatchObject({ total: 100, verdict: 'REPLY', meets_threshold: true, threshold: 60 })
    expect(score.maxima).toEqual({
      keyword_relevance: 27.8,
      follower: 16.7,
      recency: 11.1,
      engagement: 16.7,
      reply_count: 16.7,
      content_type: 11.1,
    })
    for (const signal of signals) expect(score[signal]).toBe(score.maxima[signal])
  })

  it('a perfect post scores 100 whatever the maxima are', () => {
    const maximum = fc.integer({ min: 0, max: 100 })
    fc.assert(
      fc.property(fc.tuple(maximum, maximum, maximum, maximum, maximum, maximum), (maxima) => {
        fc.pre(maxima.some((value) => value > 0))
        const scoring = Object.fromEntries(signals.map((name, index) => [`${name}_max`, maxima[index]]))
        expect(scorerOf({ scoring }).score(perfect, start).total).toBe(100)
      }),
    )
  })

  it('the worst post scores 0', () => {
    const { followers: _, ...worst } = scoreInput({ replies: 20, hasMedia: true })
    expect(scorerOf().score(worst, start + 361 * minute).total).toBe(0)
  })

  it('the total is rounded once, not the sum of what was rounded', () => {
    // 27.77 + 16.66 + 16.66 + 16.66 + 11.11: their roundings sum to 89.0.
    expect(scorerOf().score(perfect, start + 361 * minute).total).toBe(88.9)
  })

  it('reaching the threshold is enough', () => {
    const input = scoreInput()
    const { total } = scorerOf().score(input, start)
    expect(total).toBe(38.9)
    expect(scorerOf({ scoring: { threshold: 38.9 } }).score(input, start).verdict).toBe('REPLY')
    expect(scorerOf({ scoring: { threshold: 39 } }).score(input, start).verdict).toBe('SKIP')
  })

  it('every signal has its reason', () => {
    const input = scoreInput({ text: 'MCP!', followers: 1_234, likes: 5, replies: 1 })
    expect(scorerOf().score(input, start + 3.9 * minute).reasons).toEqual([
      'matches mcp: 9.3 of 27.8',
      '1,234 followers: 16.7 of 16.7',
      '3 min old: 11.1 of 11.1',
      '6 reactions: 1.6 of 16.7',
      '1 reply: 15.8 of 16.7',
      'text only: 11.1 of 11.1',
    ])
  })
})

describe('keywords', () => {
  const relevance = (keywords: string[], text: string, scoring: object = {}) =>
    scorerOf({ keywords, scoring: { ...scoring } }).score(scoreInput({ text }), start).keyword_relevance

  it('a word weighs 1, a phrase 2, and 3 are enough', () => {
    const keywords = ['mcp', 'ai agents', 'rust', 'typescript']
    expect(relevance(keywords, 'mcp')).toBe(9.3)
    expect(relevance(keywords, 'ai agents')).toBe(18.5)
    expect(relevance(keywords, 'mcp by ai agents')).toBe(27.8)
    expect(relevance(keywords, 'mcp by ai agents in rust')).toBe(27.8)
  })

  it('twenty more keywords do not lower a post that matches weight 3', () => {
    const few = ['mcp', 'ai agents']
    const many = [...few, ...Array.from({ length: 20 }, (_, index) => `other${index}`)]
    expect(scorerOf({ keywords: many }).score(perfect, start).total).toBe(100)
    expect(relevance(many, 'mcp by ai agents')).toBe(relevance(few, 'mcp by ai agents'))
  })

  it('with less than that in all, all of it is enough', () => {
    expect(relevance(['mcp'], 'mcp')).toBe(27.8)
  })

  it('what is enough can be set', () => {
    expect(relevance(['mcp', 'a b', 'c d', 'e'], 'mcp', { keyword_saturation: 5 })).toBe(5.6)
  })

  it('the product’s, the competitors’ and the industry’s count alike', () => {
    const business = {
      product_name: 'Callboard',
      product_keywords: ['one'],
      competitor_keywords: ['two'],
      industry_topics: ['three', 'One'],
    }
    const score = new Scorer(parseSocialConfig({ business })).score(scoreInput({ text: 'three two ONE' }), start)
    expect(score).toMatchObject({ keyword_relevance: 27.8, matched_keywords: ['one', 'two', 'three'] })
  })

  it('only whole words count', () => {
    expect(relevance(['ai', 'x', 'y'], 'he said so')).toBe(0)
    expect(relevance(['ai', 'x', 'y'], '#AI is so')).toBe(9.3)
  })
})

describe('followers', () => {
  it.each([
    [0, 0],
    [1, 0.5],
    [50, 25],
    [99, 49.5],
    [100, 50],
    [550, 75],
    [999, 99.9],
    [1_000, 100],
    [10_000, 100],
    [10_001, 100],
    [55_000, 62.5],
    [100_000, 25],
    [100_001, 25],
    [1_000_000_000, 25],
  ])('%d are worth %d %%', (followers, expected) => {
    expect(percent('follower', { followers })).toBe(expected)
  })

  it('unknown they are worth nothing, and the reason says so', () => {
    const { followers: _, ...unknown } = scoreInput({ likes: 5 })
    const score = scorerOf().score(unknown, start)
    expect(score).toMatchObject({ follower: 0, engagement: 0 })
    expect(score.reasons).toContain('follower count unknown: 0.0 of 16.7')
    expect(score.reasons).toContain('5 reactions, follower count unknown: 0.0 of 16.7')
  })
})

describe('age', () => {
  it.each([
    [0, 100],
    [5, 100],
    [17.5, 90],
    [30, 80],
    [45, 65],
    [60, 50],
    [210, 37.5],
    [360, 25],
    [360.001, 0],
    [100_000, 0],
    // From the future.
    [-5, 100],
    [-100_000, 100],
  ])('%d minutes leave %d %%', (age, expected) => {
    expect(percent('recency', {}, age)).toBe(expected)
  })

  it.each([
    [0, '0 min old'],
    [119, '119 min old'],
    [120, '2 h old'],
    [47 * 60 + 59, '47 h old'],
    [48 * 60, '2 days old'],
  ])('of %d minutes reads "%s"', (age, words) => {
    expect(scorerOf().score(scoreInput(), start + age * minute).reasons[2]).toMatch(words)
  })
})

describe('engagement', () => {
  it('five reactions of a hundred followers are all', () => {
    expect(percent('engagement', { followers: 1_000, likes: 20, reposts: 20, replies: 10 })).toBe(100)
    expect(percent('engagement', { followers: 1_000, likes: 25 })).toBe(50)
    expect(percent('engagement', { followers: 1_000, likes: 5_000 })).toBe(100)
    expect(percent('engagement', { followers: 0, likes: 1 })).toBe(100)
    expect(percent('engagement', { followers: 0 })).toBe(0)
  })
})

describe('replies', () => {
  it.each([
    [0, 100],
    [1, 95],
    [10, 50],
    [20, 0],
    [1_000, 0],
  ])('%d leave %d %%', (replies, expected) => {
    expect(percent('reply_count', { replies })).toBe(expected)
  })
})

describe('content', () => {
  it('text alone has all, media or a quote nothing', () => {
    expect(percent('content_type', {})).toBe(100)
    expect(percent('content_type', { hasMedia: true })).toBe(0)
    expect(percent('content_type', { isQuote: true })).toBe(0)
  })
})

describe('bad numbers', () => {
  const bad = fc.oneof(fc.double(), fc.constantFrom(Number.NaN, Infinity, -Infinity, -1, 1e308, 0.5))

  it('never give anything but points from 0 to 100', () => {
    const input = fc.record({
      text: anyText,
      followers: bad,
      postedAt: bad,
      likes: bad,
      reposts: bad,
      replies: bad,
      hasMedia: fc.boolean(),
      isQuote: fc.boolean(),
    })
    const scorer = scorerOf()
    fc.assert(
      fc.property(input, bad, (post, now) => {
        const score = scorer.score(post, now)
        for (const points of [score.total, ...signals.map((signal) => score[signal])]) {
          expect(points).toBeGreaterThanOrEqual(0)
          expect(points).toBeLessThanOrEqual(100)
        }
        expect(score.reasons.join()).not.toMatch(/NaN|undefined|∞/)
      }),
    )
  })
})

describe('the version of the rules', () => {
  const version = (scoring: object, keywords = ['mcp']) => scorerOf({ keywords, scoring }).version

  it('is another with other keywords, maxima or saturation, and the same with another threshold', () => {
    const usual = version({})
    expect(version({})).toBe(usual)
    expect(version({ threshold: 10 })).toBe(usual)
    expect(version({ recency_max: 11 })).not.toBe(usual)
    expect(version({ keyword_saturation: 2 })).not.toBe(usual)
    expect(version({}, ['mcp', 'other'])).not.toBe(usual)
  })
})

it('what is stored and the points for being new are the whole score', () => {
  const scorer = scorerOf()
  const { points, matched } = scorer.base(perfect)
  expect(points + scorer.recencyMax).toBeCloseTo(100, 9)
  expect(matched).toEqual(['mcp', 'ai agents'])
})
