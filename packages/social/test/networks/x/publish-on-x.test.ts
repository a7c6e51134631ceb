import { describe, expect, it } from 'vitest'
import { openXSetting } from '../../support/x-setting.js'

describe('a post', () => {
  it('goes out once and is read back', async () => {
    const { x, server, publish } = await openXSetting()
    const outcome = await publish('Hello & <welcome> to example.com/a and https://example.org/b?c=1')
    if (outcome.kind !== 'sent') throw new Error(JSON.stringify(outcome))
    expect(server.by(server.me)).toHaveLength(1)
    const [read] = await x.posts([outcome.ref])
    expect(read).toMatchObject({
      ref: outcome.ref,
      authorUsername: 'Callboarder',
      text: 'Hello & <welcome> to http://example.com/a and https://example.org/b?c=1',
      addressesUs: false,
      media: 0,
    })
    expect(read).not.toHaveProperty('replyRefusal')
    const texts = ['Hello & <welcome> to example.com/a and https://example.org/b?c=1', 'Hello & <welcome> to']
    expect(texts.map((text) => x.isSameText?.(text, read!))).toEqual([true, false])
    expect(outcome.url).toBe(`https://x.com/i/status/${outcome.ref.id}`)
  })

  it('answers its parent', async () => {
    const { x, server, publish } = await openXSetting()
    const parent = server.add({ author: server.user('alice'), text: 'What do you think, @callboarder?' })
    const outcome = await publish('A lot', { id: parent.id })
    if (outcome.kind !== 'sent') throw new Error(JSON.stringify(outcome))
    const [read] = await x.posts([outcome.ref])
    expect(read).toMatchObject({ replyTo: { id: parent.id }, text: '@alice A lot' })
    expect(x.isSameText?.('A lot', read!)).toBe(true)
  })

  it('is removed, and removed again', async () => {
    const { x, server, publish } = await openXSetting()
    const outcome = await publish('Hello')
    if (outcome.kind !== 'sent') throw new Error(JSON.stringify(outcome))
    await x.remove(outcome.ref)
    await x.remove(outcome.ref)
    expect(server.tweets).toEqual([])
    expect(await x.posts([outcome.ref])).toEqual([])
  })

  it('takes no files and no more than 280 weighted characters', async () => {
    const { x, prepare } = await openXSetting()
    const medium = { sha256: 'ab', mime: 'image/png', bytes: new Uint8Array(3), alt: 'A cat' }
    const key = { key: 'key', createdAt: 5 }
    expect(() => x.prepare({ text: 'Look', media: [medium] }, key)).toThrow(
      expect.objectContaining({ code: 'capability_missing' }),
    )
    expect(x.capabilities).toMatchObject({ canAttach: false, mediaMax: 0 })
    expect(() => prepare('é'.repeat(280))).not.toThrow()
    expect(() => prepare('本'.repeat(140))).not.toThrow()
    for (const text of ['é'.repeat(281), '本'.repeat(141)]) {
      expect(() => prepare(text)).toThrow(expect.objectContaining({ code: 'tweet_too_long' }))
    }
    expect(() => prepare('')).toThrow(expect.objectContaining({ code: 'validation_error' }))
    expect(() => prepare('Hi', { id: 'at://x' })).toThrow(expect.objectContaining({ code: 'not_found' }))
  })
})

describe('what X refuses', () => {
  it('is rejected: a second post with the same text', async () => {
    const { publish } = await openXSetting()
    await publish('Hello')
    expect(await publish('Hello')).toMatchObject({ kind: 'rejected', code: 'duplicate_content' })
  })

  it('is rejected: a reply to somebody who does not address us', async () => {
    const { server, publish } = await openXSetting()
    const parent = server.add({ author: server.user('alice'), text: 'Nice weather' })
    expect(await publish('Indeed', { id: parent.id })).toMatchObject({ kind: 'rejected', code: 'reply_not_allowed' })
  })

  it('is rejected: a reply to a post that is gone', async () => {
    const { publish } = await openXSetting()
    expect(await publish('Indeed', { id: '77' })).toMatchObject({ kind: 'rejected', code: 'not_found' })
  })

  it.each([
    [
      403,
      { detail: 'Your account is suspended and is not permitted to access this feature.' },
      'network_account_restricted',
    ],
    [
      403,
      { errors: [{ message: 'To protect our users, this account is temporarily locked.' }] },
      'network_account_restricted',
    ],
    [403, { title: 'Client Forbidden', reason: 'client-not-enrolled' }, 'network_forbidden'],
    [402, { title: 'CreditsDepleted' }, 'network_forbidden'],
    [400, { errors: [{ message: 'One or more parameters was invalid.' }] }, 'network_api_error'],
    [403, '<html>', 'network_forbidden'],
    [400, 'null', 'network_api_error'],
    [400, '{"errors":7,"detail":[]}', 'network_api_error'],
  ])('is rejected with what it means: %i %j', async (status, body, code) => {
    const { server, publish } = await openXSetting()
    server.failNext('create', { kind: 'answer', status, body })
    expect(await publish('Hello')).toMatchObject({ kind: 'rejected', code, message: expect.stringMatching(/X/) })
    expect(server.tweets).toEqual([])
  })

  it('is delayed when there are too many, until the limit ends', async () => {
    const { server, publish, foundation } = await openXSetting()
    const seconds = Math.floor(foundation.clock.now() / 1_000)
    const headers = { 'x-rate-limit-reset': String(seconds + 90) }
    server.failNext('create', { kind: 'answer', status: 429, body: '', headers })
    expect(await publish('Hello')).toMatchObject({
      kind: 'delayed',
      code: 'network_rate_limited',
      retryAfterMs: 90_000,
    })
    const daily = { 'x-user-limit-24hour-remaining': '0', 'x-user-limit-24hour-reset': String(seconds + 7_200) }
    server.failNext('create', { kind: 'answer', status: 429, body: '', headers: { ...headers, ...daily } })
    expect(await publish('Hello')).toMatchObject({ kind: 'delayed', retryAfterMs: 7_200_000 })
    for (const reset of ['never', '0', '99999999999']) {
      server.failNext('create', { kind: 'answer', status: 429, body: '', headers: { 'x-rate-limit-reset': reset } })
      expect(await publish('Hello')).toMatchObject({ kind: 'delayed', retryAfterMs: 900_000 })
    }
  })
})

describe('a post without a clear answer', () => {
  it.each([
    ['the connection ends after X took it', { kind: 'accept-but-cut' }],
    ['X took it and says 503', { kind: 'done-but', status: 503, body: {} }],
    ['X took it and says something else', { kind: 'done-but', status: 201, body: { data: { id: 'seven' } } }],
    ['X took it and says nothing', { kind: 'done-but', status: 201, body: '' }],
  ] as const)('is unknown, sent once and found: %s', async (_, fault) => {
    const { x, server, prepare } = await openXSetting()
    server.failNext('create', fault)
    const prepared = prepare('Read https://example.com/a/ & more')
    expect((await x.publish(prepared)).kind).toBe('unknown')
    expect(server.by(server.me)).toHaveLength(1)
    expect(await x.find(prepared)).toMatchObject({ kind: 'sent', ref: { id: server.tweets[0]!.id } })
    expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  })

  it('is unknown when X does not answer in time', async () => {
    const { x, server, prepare, foundation } = await openXSetting()
    server.failNext('create', { kind: 'accept-but-hang' })
    const prepared = prepare('Hello')
    const outcome = x.publish(prepared)
    await expect.poll(() => server.tweets.length).toBe(1)
    foundation.clock.advance(15_000)
    expect((await outcome).kind).toBe('unknown')
    expect((await x.find(prepared)).kind).toBe('sent')
  })

  it('is unknown when it is stopped while it is under way, and not sent when it was stopped before', async () => {
    const { x, server, prepare } = await openXSetting()
    server.failNext('create', { kind: 'accept-but-hang' })
    const stop = new AbortController()
    const outcome = x.publish(prepare('Hello'), stop.signal)
    await expect.poll(() => server.tweets.length).toBe(1)
    stop.abort()
    expect((await outcome).kind).toBe('unknown')
    expect((await x.publish(prepare('World'), AbortSignal.abort())).kind).toBe('delayed')
    expect(server.tweets).toHaveLength(1)
  })

  it('is absent when X never took it', async () => {
    const { x, server, prepare } = await openXSetting()
    server.failNext('create', { kind: 'cut' })
    const prepared = prepare('Hello')
    expect((await x.publish(prepared)).kind).toBe('unknown')
    expect(await x.find(prepared)).toEqual({ kind: 'absent' })
  })

  it('is delayed when nobody is there', async () => {
    const { x, server, prepare, foundation } = await openXSetting()
    const prepared = prepare('Hello')
    await server[Symbol.asyncDispose]()
    expect(await x.publish(prepared)).toMatchObject({ kind: 'delayed', code: 'network_unavailable' })
    expect(await foundation.store.db.selectFrom('network_usage').selectAll().execute()).toEqual([])
  })
})
