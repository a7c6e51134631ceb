import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Scorer } from '../../src/scoring/scorer.js'
import { scoreTweetTool } from '../../src/tools/score-tweet-tool.js'
import { type CallTool, serveForTest } from '../support/call-tool.js'
import { stubNetworks } from '../support/stub-networks.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'

const post = {
  text: 'Our AI agents speak MCP',
  author_username: 'bea.example',
  author_followers: 5_000,
  likes: 250,
  retweets: 0,
  replies: 0,
  created_at: '2026-03-02T11:57:00Z',
}

let foundation: TestFoundation
let call: CallTool

beforeAll(async () => {
  foundation = await openTestFoundation()
  const scorer = new Scorer(foundation.config)
  const networks = stubNetworks('local')
  const tool = scoreTweetTool({ clock: foundation.clock, scorer, networks })
  call = (await serveForTest([tool], foundation)).call
})
afterAll(() => foundation[Symbol.asyncDispose]())

const score = (changes: object = {}) => call('score_tweet', { ...post, ...changes })

it('tells the score, its parts, and why', async () => {
  const { data, meta } = await score()
  expect(data).toEqual({
    total: 100,
    keyword_relevance: 27.8,
    follower: 16.7,
    recency: 11.1,
    engagement: 16.7,
    reply_count: 16.7,
    content_type: 11.1,
    meets_threshold: true,
    verdict: 'REPLY',
    threshold: 60,
    maxima: {
      keyword_relevance: 27.8,
      follower: 16.7,
      recency: 11.1,
      engagement: 16.7,
      reply_count: 16.7,
      content_type: 11.1,
    },
    matched_keywords: ['mcp', 'ai agents'],
    reasons: expect.arrayContaining(['3 min old: 11.1 of 11.1']),
  })
  expect(meta.provider_backend).toBe('local')
})

it('media and quotes are told to it', async () => {
  expect((await score({ has_media: true })).data.content_type).toBe(0)
  expect((await score({ is_quote: true })).data.content_type).toBe(0)
})

it('stores nothing', async () => {
  expect(await foundation.store.db.selectFrom('discovered_posts').selectAll().execute()).toEqual([])
})

it('of the built-in network the reply says so, and a network that is off is refused', async () => {
  expect((await score({ network: 'local' })).meta.provider_backend).toBe('local')
  expect((await score({ network: 'x' })).error?.code).toBe('network_not_configured')
})

describe('created_at', () => {
  it.each([
    ['another offset', '2026-03-02T12:57:00+01:00', 11.1],
    ['without seconds', '2026-03-02T11:57Z', 11.1],
    ['now', '2026-03-02T12:00:00Z', 11.1],
    ['5 minutes ahead: a clock that is not quite right', '2026-03-02T12:05:00Z', 11.1],
    ['long ago', '2006-03-21T20:50:14.000Z', 0],
  ])('%s', async (_, created_at, recency) => {
    expect((await score({ created_at })).data.recency).toBe(recency)
  })

  it('up to 5 minutes ahead is no age', async () => {
    expect((await score({ created_at: '2026-03-02T12:05:00Z' })).data.reasons).toContain('0 min old: 11.1 of 11.1')
  })

  it.each([
    ['more than 5 minutes ahead', '2026-03-02T12:05:00.001Z'],
    ['no time', 'yesterday'],
    ['no day', '2026-02-30T12:00:00Z'],
    ['without an offset: anybody’s guess', '2026-03-02T12:00:00'],
    ['a day', '2026-03-02'],
    ['empty', ''],
    ['a number', 1_772_452_800],
  ])('%s is refused', async (_, created_at) => {
    const { error } = await score({ created_at })
    expect(error).toMatchObject({ code: 'validation_error', message: expect.stringContaining('created_at') })
  })
})

describe('refuses', () => {
  it.each([
    ['an empty text', { text: '' }],
    ['a text of 10,001 characters', { text: 'a'.repeat(10_001) }],
    ['a name of 257 characters', { author_username: 'a'.repeat(257) }],
    ['less than no followers', { author_followers: -1 }],
    ['half a like', { likes: 0.5 }],
    ['more than there can be', { retweets: 1_000_000_001 }],
    ['text for a number', { replies: '3' }],
    ['what it does not know', { views: 3 }],
    ['an unknown network', { network: 'myspace' }],
  ])('%s', async (_, changes) => {
    expect((await score(changes)).error?.code).toBe('validation_error')
  })

  it.each(Object.keys(post))('a call without %s', async (missing) => {
    const { error } = await score({ [missing]: undefined })
    expect(error).toMatchObject({ code: 'validation_error', message: expect.stringContaining(missing) })
  })
})

it('takes the longest text, of characters that are two units each', async () => {
  expect((await score({ text: '🔥'.repeat(10_000) })).success).toBe(true)
})
