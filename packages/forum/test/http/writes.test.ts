import { describe, expect, test } from 'vitest'
import { type Answering, adminKey, cut, json, quiet, serveWeb, text, until } from './web.js'

const post = { method: 'POST', path: '/posts.json', json: { topic_id: 1, raw: 'Grüße' } } as const

describe('a write', () => {
  test('carries its JSON there and the JSON of the answer back', async () => {
    await using web = await serveWeb(json({ id: 1 }))
    const query = [
      ['sequence', 3],
      ['ids[]', 'a&b'],
    ] as const
    expect(await web.client().send({ ...post, query }, web.scope)).toEqual({ id: 1 })
    expect(web.requests).toMatchObject([
      {
        method: 'POST',
        path: '/posts.json?sequence=3&ids%5B%5D=a%26b',
        headers: { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'Callboard/1' },
        body: '{"topic_id":1,"raw":"Grüße"}',
      },
    ])
  })

  test('has a query that can be encoded, whatever is in it', async () => {
    await using web = await serveWeb(json({}))
    await web.client().get('/search.json', [['q', 'a\uD800b😀']], web.scope)
    expect(web.requests[0]?.path).toBe('/search.json?q=a%EF%BF%BDb%F0%9F%98%80')
  })

  test('carries a form', async () => {
    await using web = await serveWeb(json({ id: 1 }))
    const form = new FormData()
    form.set('file', new Blob(['bytes'], { type: 'image/png' }), 'a.png')
    await web.client().send({ method: 'POST', path: '/uploads.json', form }, web.scope)
    expect(web.requests[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/)
    expect(web.requests[0]?.body).toMatch(/name="file"; filename="a\.png"[\s\S]*bytes/)
  })

  test('may go in the name of another user', async () => {
    await using web = await serveWeb(json({ id: 1 }))
    await web.client().send({ ...post, actAs: 'bob' }, web.scope)
    expect(web.requests[0]?.headers).toMatchObject({ 'api-key': adminKey.headers()['Api-Key'], 'api-username': 'bob' })
  })

  test.each(['PUT', 'DELETE'] as const)('%s may be answered without a word', async (method) => {
    await using web = await serveWeb([(_, response) => response.writeHead(204).end(), text('', 200)])
    for (let round = 0; round < 2; round += 1) {
      expect(await web.client().send({ method, path: '/drafts/x.json' }, web.scope)).toBeUndefined()
    }
  })

  test('tells right before it leaves that it does', async () => {
    await using web = await serveWeb(() => {}, { concurrency: 1 })
    const told: string[] = []
    const stop = new AbortController()
    const send = (name: string, signal: AbortSignal) =>
      web
        .client()
        .send(post, { ...web.scope, signal }, () => told.push(name))
        .catch((reason: Error) => reason.message)
    const first = send('first', web.stop.signal)
    const second = send('second', stop.signal)
    await until(() => web.requests.length === 1)
    stop.abort(new Error('gone'))
    web.stop.abort(new Error('gone, too'))
    expect(await Promise.all([first, second])).toEqual(['gone, too', 'gone'])
    expect(told).toEqual(['first'])
  })
})

describe('nothing has happened, and the write is sent once, when the forum answers', () => {
  test.each([
    [400, {}, 'rejected'],
    [401, {}, 'not_authenticated'],
    [403, { errors: ['No'], error_type: 'invalid_access' }, 'forbidden'],
    [403, ['BAD CSRF'], 'not_authenticated'],
    [404, {}, 'not_found'],
    [409, {}, 'conflict'],
    [413, {}, 'rejected'],
    [421, {}, 'rejected'],
    [422, {}, 'rejected'],
    [429, {}, 'rate_limited'],
    [503, { error_type: 'read_only' }, 'site_read_only'],
  ])('%i %j', async (status, body, code) => {
    await using web = await serveWeb(json(body, status))
    await expect(web.client().send(post, web.scope)).rejects.toMatchObject({
      code,
      details: { status, outcome: 'rejected' },
    })
    await quiet()
    expect(web.requests.length).toBe(1)
    expect(web.clock.nextWake).toBeUndefined()
  })

  test('with a refusal that is cut', async () => {
    await using web = await serveWeb((request, response) => {
      response.writeHead(422, { 'content-length': '100' }).write('{')
      setImmediate(() => request.socket.destroy())
    })
    await expect(web.client().send(post, web.scope)).rejects.toMatchObject({
      code: 'rejected',
      details: { status: 422, outcome: 'rejected' },
    })
  })
})

describe('nobody knows what happened, and the write is sent once, when', () => {
  const cutBody: Answering = (request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"id":')
    setImmediate(() => request.socket.destroy())
  }
  test.each<[string, Answering, RegExp, object]>([
    ['the forum fails', text('<h1>502</h1>', 502), /The forum has failed \(HTTP 502\)/, { status: 502, hint: 'html' }],
    ['it fails with JSON', json({ errors: ['Oops'] }, 500), /It says: Oops/, { status: 500, errors: ['Oops'] }],
    ['it is overloaded', text('', 503, { 'retry-after': '5' }), /HTTP 503/, { status: 503, retry_after_s: 5 }],
    ['the connection is lost', cut, /ended before an answer came/, {}],
    ['the answer is cut', cutBody, /in the middle of the answer/, { status: 200 }],
    ['the answer is a page', text('<html>welcome'), /with a web page/, { status: 200, hint: 'html' }],
    ['the answer is broken JSON', text('{"id":'), /ends too early/, { status: 200, hint: 'truncated' }],
    ['the answer is empty', text(''), /without JSON/, { status: 200 }],
    ['the answer is too large', text('x'.repeat(8 * 1024 * 1024 + 1)), /larger than 8 MiB/, { status: 200 }],
  ])('%s', async (_, answering, message, details) => {
    await using web = await serveWeb(answering)
    const failure = await web
      .client()
      .send(post, web.scope)
      .catch((reason) => reason)
    expect(failure).toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringMatching(message),
      details: { ...details, outcome: 'unknown' },
      retryable: false,
    })
    await quiet()
    expect(web.requests.length).toBe(1)
    expect(web.clock.nextWake).toBeUndefined()
  })

  test('no answer comes in time', async () => {
    await using web = await serveWeb(() => {})
    for (const [index, ms] of [15_000, 2_000].entries()) {
      const write = web.client().send(post, { ...web.scope, deadline: web.clock.now() + (index === 0 ? 60_000 : ms) })
      await until(() => web.requests.length === index + 1)
      web.clock.advance(ms)
      await expect(write).rejects.toMatchObject({
        code: 'outcome_unknown',
        message: expect.stringMatching(new RegExp(`did not answer within ${ms / 1_000} s`)),
        details: { outcome: 'unknown' },
      })
    }
    expect(web.requests.length).toBe(2)
  })
})

describe('a write that never left', () => {
  test('because nobody is there', async () => {
    const web = await serveWeb(json({}))
    await web[Symbol.asyncDispose]()
    await expect(web.client().send(post, web.scope)).rejects.toMatchObject({
      code: 'network_error',
      details: { outcome: 'rejected' },
      retryable: true,
    })
  })

  test('because its time was over', async () => {
    await using web = await serveWeb(json({}))
    await expect(web.client().send(post, { ...web.scope, deadline: web.clock.now() })).rejects.toMatchObject({
      code: 'timeout',
      details: { outcome: 'rejected' },
    })
    expect(web.requests.length).toBe(0)
  })

  test.each([
    '/../forumB/posts.json',
    '/drafts/..%2F..%2Fadmin.json',
    '/drafts/%2e%2e/x',
    'posts.json',
    '@evil.example/',
  ])('because %s leads elsewhere', async (path) => {
    await using web = await serveWeb(json({}))
    const client = web.client(adminKey, '/forumA')
    await expect(client.send({ ...post, path }, web.scope)).rejects.toMatchObject({
      code: 'invalid_arguments',
      details: { outcome: 'rejected' },
    })
    await expect(client.get(path, [], web.scope)).rejects.toMatchObject({ code: 'invalid_arguments' })
    expect(web.requests.length).toBe(0)
  })
})
