import { describe, expect, it } from 'vitest'
import type { NetworkPost } from '../../../src/networks/network-adapter.js'
import { failureOf, openXSetting } from '../../support/x-setting.js'

function textsOf({ items }: { items: readonly NetworkPost[] }): string[] {
  return items.map(({ text }) => text)
}

describe('search', () => {
  it('asks for the words as they are, without reposts, and gives what is newer than the cursor', async () => {
    const { x, server } = await openXSetting()
    const alice = server.user('alice', 900)
    server.add({ author: alice, text: 'About AI agents' })
    server.add({ author: alice, text: 'RT: About AI agents', isRetweet: true })
    const page = await x.search({ keyword: 'AI agents', limit: 25 }, undefined)
    expect(page.items).toMatchObject([{ text: 'About AI agents', authorUsername: 'alice', authorFollowers: 900 }])
    expect(page.items[0]).toMatchObject({ likes: 3, reposts: 2, replies: 1, impressions: 50, isRepost: false })
    server.add({ author: alice, text: 'More about AI agents' })
    server.add({ author: alice, text: 'Most about AI agents' })
    const next = await x.search({ keyword: 'AI agents', limit: 25 }, page.cursor)
    expect(textsOf(next)).toEqual(['Most about AI agents', 'More about AI agents'])
    expect(await x.search({ keyword: 'AI agents', limit: 25 }, next.cursor)).toEqual({ items: [], cursor: next.cursor })
  })

  it('takes no keyword for an operator of X', async () => {
    const { x, server } = await openXSetting()
    await x.search({ keyword: 'a" OR from:me (b', limit: 5 }, undefined)
    await x.search({ keyword: '#mcp', limit: 5 }, undefined)
    const queries = server.requests.map(({ query }) => query.get('query')).filter((query) => query !== null)
    expect(queries).toEqual(['"a OR from:me (b" -is:retweet', '#mcp -is:retweet'])
  })

  it('asks for the fewest that X gives, whatever is wished: each costs', async () => {
    const { x, server } = await openXSetting()
    for (let count = 0; count < 12; count++) server.add({ author: server.user(`user${count}`), text: `mcp ${count}` })
    expect((await x.search({ keyword: 'mcp', limit: 25 }, undefined)).items).toHaveLength(10)
  })

  it('gives no more than were asked for, though X counts from ten', async () => {
    const { x, server } = await openXSetting()
    for (let count = 0; count < 5; count++) server.add({ author: server.user(`user${count}`), text: `mcp ${count}` })
    expect(textsOf(await x.search({ keyword: 'mcp', limit: 2 }, undefined))).toEqual(['mcp 4', 'mcp 3'])
  })

  it('starts anew from a cursor that X finds too old, or that is none', async () => {
    const { x, server, foundation } = await openXSetting()
    const old = server.add({ author: server.user('alice'), text: 'mcp' })
    foundation.clock.advance(8 * 24 * 60 * 60_000)
    server.add({ author: server.user('bob'), text: 'mcp again' })
    for (const cursor of [old.id, 'nonsense', '']) {
      expect((await x.search({ keyword: 'mcp', limit: 25 }, cursor)).items.length).toBeGreaterThan(0)
    }
  })
})

describe('mentions', () => {
  it('are read through all answers, newest first', async () => {
    const { x, server } = await openXSetting()
    const alice = server.user('alice')
    const first = server.add({ author: alice, text: '@Callboarder 0' })
    const { cursor } = await x.mentions(undefined)
    expect(cursor).toBe(first.id)
    server.pageMax = 2
    for (let count = 1; count < 6; count++) server.add({ author: alice, text: `@callboarder ${count}` })
    const page = await x.mentions(cursor)
    expect(textsOf(page)).toEqual([5, 4, 3, 2, 1].map((count) => `@callboarder ${count}`))
    expect(page.items.every(({ addressesUs, replyRefusal }) => addressesUs && replyRefusal === undefined)).toBe(true)
    expect((await x.mentions(page.cursor)).items).toEqual([])
  })
})

describe('posts of an account', () => {
  it('are found by id and by handle, whose id is asked for once', async () => {
    const { x, server } = await openXSetting()
    const alice = server.user('alice')
    server.add({ author: alice, text: 'One' })
    server.add({ author: alice, text: 'Again', isRetweet: true })
    expect(textsOf(await x.authorPosts(alice.id, undefined))).toEqual(['One'])
    expect(textsOf(await x.authorPosts('@Alice', undefined))).toEqual(['One'])
    expect(textsOf(await x.authorPosts('alice', undefined))).toEqual(['One'])
    expect(server.requests.filter(({ path }) => path.startsWith('/users/by'))).toHaveLength(1)
    for (const nobody of ['nobody', '@../me', '']) {
      expect((await failureOf(x.authorPosts(nobody, undefined))).code).toBe('not_found')
    }
  })
})

describe('the reply rule', () => {
  async function refusals(tier: 'PayPerUse' | 'Enterprise' | 'Free' | 'unknown') {
    const { x, server } = await openXSetting({ tier })
    const alice = server.user('alice')
    const own = server.add({ author: server.me, text: 'Ours' })
    const refs = [
      server.add({ author: alice, text: 'Nice weather' }),
      server.add({ author: alice, text: 'Ask @CALLBOARDER' }),
      server.add({ author: alice, text: 'Look', quotes: own.id }),
      server.add({ author: alice, text: 'An answer without a name', replyTo: own.id }),
      own,
    ]
    const posts = await x.posts(refs)
    return refs.map(({ id }) => {
      const { addressesUs, replyRefusal } = posts.find(({ ref }) => ref.id === id)!
      return [addressesUs, replyRefusal === undefined ? 'may' : 'may not']
    })
  }

  it('lets us answer who mentions or quotes us, and ourselves', async () => {
    expect(await refusals('PayPerUse')).toEqual([
      [false, 'may not'],
      [true, 'may'],
      [true, 'may'],
      [true, 'may not'],
      [false, 'may'],
    ])
  })

  it('lets an Enterprise account answer anybody, and a Free one nobody', async () => {
    expect((await refusals('Enterprise')).map(([, may]) => may)).toEqual(['may', 'may', 'may', 'may', 'may'])
    for (const tier of ['Free', 'unknown'] as const) {
      expect((await refusals(tier)).map(([, may]) => may)).toEqual(['may not', 'may not', 'may not', 'may not', 'may'])
    }
  })

  it('is not met by a quote of somebody else', async () => {
    const { x, server } = await openXSetting()
    const other = server.add({ author: server.user('bob'), text: 'Theirs' })
    const post = server.add({ author: server.user('alice'), text: 'Look', quotes: other.id })
    expect((await x.posts([post]))[0]).toMatchObject({ isQuote: true, addressesUs: false })
  })
})

describe('tiers', () => {
  it.each([
    ['Free', true, false, false],
    ['Basic', true, true, true],
    ['Pro', true, true, true],
    ['PayPerUse', true, true, true],
    ['Enterprise', true, true, true],
  ] as const)('%s', async (tier, canPost, canReply, canSearch) => {
    const { x } = await openXSetting({ tier })
    expect(x.capabilities).toMatchObject({ tier, canPost, canReply, canSearch, canDiscover: canSearch })
  })

  it('unknown: it may post once X has let it in', async () => {
    const { x } = await openXSetting({ tier: 'unknown' })
    expect(x.capabilities).toMatchObject({ canPost: false, canReply: false, canSearch: false, canDiscover: false })
    await x.account()
    expect(x.capabilities).toMatchObject({ canPost: true, canReply: false, canSearch: false })
  })

  it('that may not read is told so', async () => {
    const { x, server } = await openXSetting({ tier: 'Free' })
    for (const read of [
      x.search({ keyword: 'mcp', limit: 5 }, undefined),
      x.mentions(undefined),
      x.authorPosts('alice', undefined),
    ]) {
      expect((await failureOf(read)).code).toBe('capability_missing')
    }
    expect(server.requests).toEqual([])
  })
})

describe('the account', () => {
  it('is asked for again after hours only: it costs', async () => {
    const { x, server, foundation } = await openXSetting()
    expect(await x.account()).toEqual({ id: '1000', handle: 'Callboarder', followers: 120, following: 10, posts: 42 })
    foundation.clock.advance(5 * 60 * 60_000)
    await x.account()
    expect(server.requests).toHaveLength(1)
    foundation.clock.advance(2 * 60 * 60_000)
    await x.account()
    expect(server.requests).toHaveLength(2)
  })

  it('is checked in words, and anew once X has refused us', async () => {
    const { x, server } = await openXSetting({ refreshToken: '' })
    expect(await x.check()).toEqual({ status: 'ok', message: 'X lets @Callboarder in; tier PayPerUse.' })
    server.expireAccess()
    expect(await x.check()).toMatchObject({ status: 'ok' })
    expect((await failureOf(x.mentions(undefined))).code).toBe('network_auth_expired')
    expect(await x.check()).toMatchObject({ status: 'error', message: expect.stringContaining('operator') })
  })
})

describe('what X says of its limits', () => {
  it('is kept by endpoint', async () => {
    const { x, foundation, publish } = await openXSetting()
    await x.search({ keyword: 'mcp', limit: 5 }, undefined)
    await publish('Hello')
    const resetsAt = foundation.clock.now() + 900_000
    expect(x.rates).toContainEqual({ endpoint: 'search', limit: 300, remaining: 299, resetsAt })
    expect(x.rates.map(({ endpoint }) => endpoint).sort()).toEqual(['account', 'search', 'write'])
  })

  it('fails a read with the time at which it may be tried again', async () => {
    const { x, server, foundation } = await openXSetting()
    const reset = Math.floor(foundation.clock.now() / 1_000) + 60
    server.failNext('search', {
      kind: 'answer',
      status: 429,
      body: {},
      headers: { 'x-rate-limit-reset': String(reset) },
    })
    await expect(x.search({ keyword: 'mcp', limit: 5 }, undefined)).rejects.toMatchObject({
      code: 'network_rate_limited',
      retryable: true,
      options: { rateLimitReset: reset * 1_000, retryAfterMs: 60_000 },
    })
  })
})

describe('answers that are none of X', () => {
  const tweet = { id: '1', text: 'mcp', author_id: '2', created_at: '2026-03-02T12:00:00Z' }
  it.each([
    '',
    'null',
    '[]',
    '{"data":{}}',
    '{"data":[null]}',
    '{"data":[{}]}',
    JSON.stringify({ data: [{ ...tweet, id: '../1' }] }),
    JSON.stringify({ data: [{ ...tweet, created_at: 'yesterday' }] }),
    JSON.stringify({ data: [{ ...tweet, text: 7 }] }),
    JSON.stringify({ data: [tweet], includes: { users: [{ id: '2' }] } }),
    JSON.stringify({ data: Array.from({ length: 200 }, () => tweet) }),
    JSON.stringify({ data: [{ ...tweet, entities: { urls: 'x' } }] }),
  ])('fail as such: %s', async (body) => {
    const { x, server } = await openXSetting()
    server.failNext('search', { kind: 'answer', status: 200, body })
    expect((await failureOf(x.search({ keyword: 'mcp', limit: 5 }, undefined))).code).toBe('network_api_error')
  })

  it('may leave out what is not needed, and count nonsense', async () => {
    const { x, server } = await openXSetting()
    const odd = { ...tweet, public_metrics: { like_count: -1, retweet_count: 'many', reply_count: 1e300 } }
    server.failNext('search', { kind: 'answer', status: 200, body: { data: [odd] } })
    const { items } = await x.search({ keyword: 'mcp', limit: 5 }, undefined)
    expect(items).toMatchObject([
      { authorUsername: '2', url: 'https://x.com/i/status/1', likes: 0, reposts: 0, replies: 0 },
    ])
    expect(items[0]).not.toHaveProperty('authorFollowers')
  })

  it('can not blow up a text by links that lead to links', async () => {
    const { x, server } = await openXSetting()
    const urls = Array.from({ length: 100 }, () => ({
      url: 'https://t.co/a',
      expanded_url: 'https://t.co/a https://t.co/a',
    }))
    const odd = { ...tweet, text: 'https://t.co/a', entities: { urls: [...urls, { url: '', expanded_url: 'x' }] } }
    server.failNext('search', { kind: 'answer', status: 200, body: { data: [odd] } })
    const { items } = await x.search({ keyword: 'mcp', limit: 5 }, undefined)
    expect(items[0]?.text).toBe('https://t.co/a https://t.co/a')
  })
})

describe('references', () => {
  it('are ids, or URLs of X', async () => {
    const { x } = await openXSetting()
    for (const text of [
      '1234567890',
      ' https://x.com/alice/status/1234567890 ',
      'https://twitter.com/alice/status/1234567890?s=20',
      'https://mobile.twitter.com/i/web/status/1234567890/photo/1',
    ]) {
      expect([text, x.parseRef(text)]).toEqual([text, { id: '1234567890' }])
    }
    for (const text of [
      '',
      '0',
      'local:1',
      'https://x.com/alice',
      'https://x.com.example/a/status/1',
      '1'.repeat(20),
    ]) {
      expect([text, x.parseRef(text)]).toEqual([text, undefined])
    }
  })
})
