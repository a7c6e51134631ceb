import { describe, expect, test } from 'vitest'
import { type Answering, adminKey, json, nobody, quiet, serveWeb, text, until, userKey } from './web.js'

/** Answers when it is told to, one after the other. */
function held() {
  const open: (() => void)[] = []
  const answering: Answering = (_, response) => {
    open.push(() => response.end('{}'))
  }
  return { answering, open, next: () => open.shift()?.() }
}

describe('requests at once to one forum', () => {
  test('are as many as are allowed, for all credentials together, and leave in the order in which they came', async () => {
    const server = held()
    await using web = await serveWeb(server.answering, { concurrency: 2 })
    const names = ['a', 'b', 'c', 'd', 'e']
    const all = names.map((name, index) =>
      web.client(index % 2 === 0 ? adminKey : nobody).get(`/${name}`, [], web.scope),
    )
    const seen = () => web.requests.map(({ path }) => path.slice(1)).join('')
    await until(() => server.open.length === 2)
    await quiet()
    expect([...seen()].sort().join('')).toBe('ab')
    for (const count of [3, 4, 5]) {
      server.next()
      await until(() => web.requests.length === count)
    }
    expect(seen().slice(2)).toBe('cde')
    server.next()
    server.next()
    await Promise.all(all)
  })

  test('are counted for each forum', async () => {
    const server = held()
    await using web = await serveWeb(server.answering, { concurrency: 1 })
    const all = ['/forumA', '/forumB'].map((path) => web.client(adminKey, path).get('/x', [], web.scope))
    await until(() => server.open.length === 2)
    server.next()
    server.next()
    await Promise.all(all)
  })

  test('are counted until the whole answer is there', async () => {
    let end = () => {}
    const dripping: Answering = (_, response) => {
      response.write('{')
      end = () => response.end('}')
    }
    await using web = await serveWeb([dripping, json({})], { concurrency: 1 })
    const first = web.client().get('/a', [], web.scope)
    await until(() => web.requests.length === 1)
    const second = web.client().get('/b', [], web.scope)
    await quiet()
    expect(web.requests.length).toBe(1)
    end()
    await Promise.all([first, second])
  })

  test('do not wait behind one that was given up', async () => {
    const server = held()
    await using web = await serveWeb(server.answering, { concurrency: 1 })
    const stop = new AbortController()
    const first = web.client().get('/a', [], web.scope)
    const second = web.client().get('/b', [], { ...web.scope, signal: stop.signal })
    const third = web.client().get('/c', [], web.scope)
    await until(() => server.open.length === 1)
    stop.abort(new Error('enough'))
    await expect(second).rejects.toThrow('enough')
    server.next()
    await first
    await until(() => server.open.length === 1)
    server.next()
    await third
    expect(web.requests.map(({ path }) => path)).toEqual(['/a', '/c'])
  })

  test('wait no longer than their call may take', async () => {
    await using web = await serveWeb(() => {}, { concurrency: 1, timeoutMs: 50_000 })
    const first = web.client().get('/a', [], web.scope)
    const second = web.client().get('/b', [], { ...web.scope, deadline: web.clock.now() + 1_000 })
    await until(() => web.requests.length === 1)
    web.clock.advance(1_000)
    await expect(second).rejects.toMatchObject({ code: 'timeout', message: expect.stringMatching(/other requests/) })
    web.stop.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    expect(web.requests.length).toBe(1)
    expect(web.clock.nextWake).toBeUndefined()
  })
})

const many = (count: number, get: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, get))

describe('requests in a time', () => {
  test.each([
    ['an admin key', adminKey, 60, 60_000],
    ['a user key', userKey, 20, 60_000],
    ['nobody', nobody, 50, 10_000],
  ])('of %s are no more than the forum takes; the next one waits', async (_, credential, count, windowMs) => {
    await using web = await serveWeb(json({}))
    const scope = { ...web.scope, deadline: web.clock.now() + windowMs + 1 }
    await many(count, () => web.client(credential).get('/x', [], scope))
    const next = web.client(credential).get('/x', [], scope)
    await quiet()
    expect(web.requests.length).toBe(count)
    web.clock.advance(windowMs - 1)
    await quiet()
    expect(web.requests.length).toBe(count)
    web.clock.advance(1)
    await next
  })

  test('are refused at once when they would wait for too long, also behind others that wait', async () => {
    await using web = await serveWeb(json({}))
    const scope = { ...web.scope, deadline: web.clock.now() + 60_001 }
    const get = () => web.client(userKey).get('/x', [], scope)
    await many(20, get)
    web.clock.advance(1_000)
    const waiting = many(20, get)
    await expect(get()).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(/no more requests for another 119 s/),
      details: { retry_after_s: 119 },
      retryable: true,
    })
    await expect(web.client(userKey).get('/x', [], web.scope)).rejects.toMatchObject({ code: 'rate_limited' })
    web.clock.advance(59_000)
    await waiting
    expect(web.requests.length).toBe(40)
  })

  test('of one credential do not hold those of another', async () => {
    await using web = await serveWeb(json({}))
    await many(20, () => web.client(userKey).get('/x', [], web.scope))
    const waiting = web.client(userKey).get('/x', [], { ...web.scope, deadline: web.clock.now() + 70_000 })
    await web.client(adminKey).get('/x', [], web.scope)
    expect(web.requests.length).toBe(21)
    web.clock.advance(60_000)
    await waiting
  })

  test('are waited for no longer once they are given up', async () => {
    await using web = await serveWeb(json({}))
    await many(20, () => web.client(userKey).get('/x', [], web.scope))
    const scope = { ...web.scope, deadline: web.clock.now() + 70_000 }
    const waiting = web.client(userKey).get('/x', [], scope)
    await quiet()
    expect(web.clock.nextWake).toBe(web.clock.now() + 60_000)
    web.stop.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    expect(web.clock.nextWake).toBeUndefined()
  })

  test('count what is written, too', async () => {
    await using web = await serveWeb(json({}))
    await many(20, () => web.client(userKey).send({ method: 'PUT', path: '/x' }, web.scope))
    const scope = { ...web.scope, deadline: web.clock.now() + 1_000 }
    await expect(web.client(userKey).send({ method: 'PUT', path: '/x' }, scope)).rejects.toMatchObject({
      code: 'rate_limited',
      details: { outcome: 'rejected', retry_after_s: 60 },
    })
    expect(web.requests.length).toBe(20)
  })
})

const tooMany = {
  errors: ['Too many times, try again in 3 seconds.'],
  error_type: 'rate_limit',
  extras: { wait_seconds: 3 },
}

describe('a forum that asks to slow down', () => {
  test('with one action holds that action alone', async () => {
    await using web = await serveWeb([json(tooMany, 429, { 'retry-after': '3' }), json({ n: 2 }), json({ n: 3 })])
    const write = { method: 'POST', path: '/posts.json', json: {} } as const
    await expect(web.client().send(write, web.scope)).rejects.toMatchObject({ code: 'rate_limited' })
    const again = web.client().send({ ...write, path: '/posts' }, web.scope)
    expect(await web.client().get('/posts.json', [], web.scope)).toEqual({ n: 2 })
    web.clock.advance(2_999)
    await quiet()
    expect(web.requests.length).toBe(2)
    web.clock.advance(1)
    expect(await again).toEqual({ n: 3 })
  })

  test.each([
    ['in plain text', text('Slow down, too many requests from this IP address.', 429, { 'retry-after': '3' })],
    [
      'with a header',
      json(tooMany, 429, { 'discourse-rate-limit-error-code': 'ip_10_secs_limit', 'retry-after': '3' }),
    ],
  ])('%s holds everything of that credential on that forum', async (_, answering) => {
    await using web = await serveWeb([answering, json({ n: 2 }), json({ n: 3 }), json({ n: 4 })])
    const write = { method: 'POST', path: '/posts.json', json: {} } as const
    await expect(web.client().send(write, web.scope)).rejects.toMatchObject({ details: { retry_after_s: 3 } })
    const waiting = web.client().get('/u/bob.json', [], web.scope)
    expect(await web.client(userKey).get('/u/bob.json', [], web.scope)).toEqual({ n: 2 })
    expect(await web.client(adminKey, '/forumA').get('/u/bob.json', [], web.scope)).toEqual({ n: 3 })
    const hurried = { ...web.scope, deadline: web.clock.now() + 3_000 }
    await expect(web.client().get('/u/bob.json', [], hurried)).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retry_after_s: 3 },
    })
    web.clock.advance(2_999)
    await quiet()
    expect(web.requests.length).toBe(3)
    web.clock.advance(1)
    expect(await waiting).toEqual({ n: 4 })
  })

  test('refuses those that wait already and can not wait so long', async () => {
    let slowDown = () => {}
    const slow: Answering = (request, response, body) => {
      slowDown = () => text('Slow down', 429, { 'retry-after': '3' })(request, response, body)
    }
    await using web = await serveWeb(slow, { concurrency: 1 })
    const write = web.client().send({ method: 'POST', path: '/posts.json' }, web.scope)
    await until(() => web.requests.length === 1)
    const waiting = web.client().get('/u/bob.json', [], { ...web.scope, deadline: web.clock.now() + 2_000 })
    slowDown()
    await expect(write).rejects.toMatchObject({ code: 'rate_limited' })
    await expect(waiting).rejects.toMatchObject({ code: 'rate_limited', details: { retry_after_s: 3 } })
    expect(web.requests.length).toBe(1)
  })

  test('in a search without a word of how long is asked again after the usual pause', async () => {
    const failed = { failed: 'FAILED', message: 'Please wait a moment before you search again.' }
    await using web = await serveWeb(json(failed, 429))
    const answer = web.client().get('/search.json', [['q', 'x']], { ...web.scope, deadline: web.clock.now() + 250 })
    await expect(answer).rejects.toMatchObject({
      code: 'rate_limited',
      details: { status: 429, errors: [failed.message] },
    })
    expect(web.requests[0]?.path).toBe('/search.json?q=x')
  })
})
