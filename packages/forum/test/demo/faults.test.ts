import { describe, expect, it } from 'vitest'
import { openForum } from './support/forum-client.js'

async function forumWithTopic() {
  const opened = await openForum()
  opened.forum.addUser('ada')
  const topic = opened.forum.addTopic({ title: 'A topic', username: 'ada', raw: 'The first' })
  const reply = () => opened.user('ada').post('/posts.json', { topic_id: topic.id, raw: 'A reply' })
  return { ...opened, topic, reply }
}

describe('a fault', () => {
  it('happens so many times, and then no more', async () => {
    const { anonymous, server } = await openForum()
    server.fault({ on: /^GET \/about/g, times: 2, kind: 'status', status: 503, json: { error_type: 'read_only' } })
    const statuses = []
    for (let index = 0; index < 3; index++) statuses.push((await anonymous.get('/about.json')).status)
    expect(statuses).toEqual([503, 503, 200])
    expect(await anonymous.get('/site.json')).toMatchObject({ status: 200 })
  })

  it.each([
    ['cut', 2],
    ['drop', 1],
    ['cut-body', 2],
  ] as const)('%s breaks the connection, and leaves %i posts', async (kind, posts) => {
    const { server, reply, topic } = await forumWithTopic()
    server.fault({ on: /^POST/, kind })
    await expect(reply()).rejects.toThrow()
    expect(topic.posts).toHaveLength(posts)
    expect(await reply()).toMatchObject({ status: 200 })
  })

  it('may do what was asked, and say that it went wrong', async () => {
    const { server, reply, topic } = await forumWithTopic()
    server.fault({ on: /^POST/, kind: 'done-then-status', status: 502 })
    const { status, headers } = await reply()
    expect([status, headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8'])
    expect(topic.posts).toHaveLength(2)
  })

  it('may hold an answer to what is done, or stall before it is', async () => {
    const { server, reply, topic } = await forumWithTopic()
    for (const [kind, posts] of [
      ['hold', 2],
      ['stall', 2],
    ] as const) {
      server.fault({ on: /^POST/, kind })
      const waiting = reply()
      await server.held()
      expect(topic.posts).toHaveLength(posts)
      server.release()
      expect(await waiting).toMatchObject({ status: 200 })
    }
    expect(topic.posts).toHaveLength(3)
  })

  it('does not do what was stalled, when nobody waits for it any more', async () => {
    const { server, topic, as } = await forumWithTopic()
    const { key } = server.keys.user('ada')
    server.fault({ on: /^POST/, kind: 'stall' })
    const leaving = new AbortController()
    const request = fetch(`${server.base}/posts.json`, {
      method: 'POST',
      headers: { 'user-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ topic_id: topic.id, raw: 'A reply' }),
      signal: leaving.signal,
    })
    await server.held()
    leaving.abort()
    await expect(request).rejects.toThrow()
    await server.abandoned()
    server.release()
    await as({}).get('/about.json')
    expect(topic.posts).toHaveLength(1)
  })

  it('may lead elsewhere, show a page, or echo the headers', async () => {
    const { server, as } = await openForum()
    const ask = () => as({ 'api-key': server.keys.admin.key, 'api-username': 'mayor' }).get('/about.json')
    server.fault({ on: /about/, kind: 'redirect', location: 'http://elsewhere.invalid/' })
    const moved = await ask()
    expect([moved.status, moved.headers.get('location')]).toEqual([302, 'http://elsewhere.invalid/'])
    server.fault({ on: /about/, kind: 'html', html: '<title>Just a moment...</title>' })
    expect(await ask()).toMatchObject({ status: 200, text: '<title>Just a moment...</title>' })
    server.fault({ on: /about/, kind: 'echo', status: 422 })
    expect(await ask()).toMatchObject({ status: 422, text: expect.stringContaining(server.keys.admin.key) })
  })
})

describe('limits', () => {
  it('of one action are told in JSON', async () => {
    const { server, anonymous } = await openForum()
    server.fault({ on: /about/, kind: 'rate-limit', shape: 'json', seconds: 3 })
    const { status, headers, json } = await anonymous.get('/about.json')
    expect([status, headers.get('retry-after'), headers.get('discourse-rate-limit-error-code')]).toEqual([
      429,
      '3',
      null,
    ])
    expect(json).toEqual({
      errors: ['Too many times, try again in 3 seconds.'],
      error_type: 'rate_limit',
      extras: { wait_seconds: 3, time_left: '3 seconds' },
    })
  })

  it('may name the time as a date', async () => {
    const { server, anonymous, clock } = await openForum()
    server.fault({ on: /about/, kind: 'rate-limit', shape: 'json', seconds: 3, date: true })
    const { headers } = await anonymous.get('/about.json')
    expect(Date.parse(headers.get('retry-after')!)).toBe(clock.now() + 3_000)
  })

  it('of an address are told in plain text, with both headers', async () => {
    const { server, anonymous } = await openForum()
    server.fault({ on: /about/, kind: 'rate-limit', shape: 'text', seconds: 8 })
    const { status, headers, text } = await anonymous.get('/about.json')
    expect(status).toBe(429)
    expect(text).toMatch(/^Slow down, too many requests from this IP address/)
    expect(headers.get('content-type')).toMatch('text/plain')
    expect(headers.get('retry-after')).toBe('8')
    expect(headers.get('discourse-rate-limit-error-code')).toBe('ip_10_secs_limit')
  })

  it('of searches are told in a shape of their own, without any header', async () => {
    const { server, anonymous } = await openForum()
    server.fault({ on: /search/, kind: 'rate-limit', shape: 'search', seconds: 5 })
    const { status, headers, json } = await anonymous.get('/search.json?q=words')
    expect([status, headers.get('retry-after')]).toEqual([429, null])
    expect(json).toEqual({ failed: 'FAILED', message: expect.any(String) })
  })
})

describe('the list of requests', () => {
  it('has them in order, with paths from the base on', async () => {
    const { server, user, forum, clock } = await openForum({ basePath: '/forumA' })
    forum.addUser('ada')
    await user('ada').get('/search.json?q=words')
    clock.advance(1_000)
    await user('ada').post('/drafts.json', { draft_key: 'new_topic', data: '{}' })
    expect(server.requests).toMatchObject([
      { method: 'GET', path: '/search.json?q=words', inside: true, body: '', at: clock.now() - 1_000 },
      { method: 'POST', path: '/drafts.json', json: { draft_key: 'new_topic', data: '{}' }, at: clock.now() },
    ])
    expect(server.seen(/^POST /)).toHaveLength(1)
    expect(server.requests[0]!.headers['user-api-key']).toBe(server.keys.user('ada').key)
  })

  it('shows what came beside the base path, where there is nothing', async () => {
    const { server } = await openForum({ basePath: '/forumA' })
    for (const path of ['/about.json', '/forumAB/about.json']) {
      expect((await fetch(`${server.origin}${path}`)).status).toBe(404)
    }
    expect(server.requests).toMatchObject([
      { path: '/about.json', inside: false },
      { path: '/forumAB/about.json', inside: false },
    ])
  })
})
