import { describe, expect, test } from 'vitest'
import { type BlueskyAccount, openBlueskyAccount } from '../../support/bluesky-account.js'

const png = Buffer.from('89504e470d0a1a0a', 'hex')
const image = { sha256: '0', mime: 'image/png', bytes: png, alt: 'Two dots' }

/** Past the login, so that what fails is the post itself. */
async function loggedIn(): Promise<BlueskyAccount> {
  const account = await openBlueskyAccount()
  await account.adapter.account()
  return account
}

describe('publishing', () => {
  test('stores the record under its key, and names it', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare, clock } = account
    const prepared = prepare('Hello', { language: 'en' })
    const { did } = server.us
    expect(await adapter.publish(prepared)).toEqual({
      kind: 'sent',
      ref: { id: `at://${did}/app.bsky.feed.post/${prepared.key.key}`, cid: server.posts[0]!.cid },
      url: `https://bsky.app/profile/ada.test/post/${prepared.key.key}`,
    })
    expect(server.posts[0]!.record).toEqual({
      $type: 'app.bsky.feed.post',
      text: 'Hello',
      createdAt: new Date(clock.now()).toISOString(),
      langs: ['en'],
    })
    expect(server.requests.at(-1)!.body.swapRecord).toBeNull()
  })

  test('the same twice is one post', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    const prepared = prepare('once')
    expect(await adapter.publish(prepared)).toEqual(await adapter.publish(prepared))
    expect(server.posts).toHaveLength(1)
  })

  test('mentions are linked to those who exist', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    const { did } = server.network.account('bob.test')
    await adapter.publish(prepare('Hi @bob.test and @nobody.test and @bob.test'))
    const { facets } = server.posts[0]!.record
    expect(facets.map(({ features }: { features: [{ did: string }] }) => features[0].did)).toEqual([did, did])
    expect(server.count('resolveHandle')).toBe(2)
  })

  test('images go first, in order, with their descriptions', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    const other = { ...image, bytes: Buffer.from('other'), alt: 'Another' }
    await adapter.publish(prepare('pictures', { media: [image, other] }))
    const { images } = server.posts[0]!.record.embed
    expect(images.map(({ alt }: { alt: string }) => alt)).toEqual(['Two dots', 'Another'])
    const stored = images.map((each: { image: { ref: { $link: string } } }) =>
      server.network.blobs.get(each.image.ref.$link),
    )
    expect(stored).toEqual([
      { mime: 'image/png', bytes: png },
      { mime: 'image/png', bytes: Buffer.from('other') },
    ])
  })
})

describe('a post that is not taken', () => {
  test.each([
    [
      400,
      'InvalidRequest',
      'Invalid app.bsky.feed.post record: grapheme too big (maximum 300, got 301) at $.record.text',
      'tweet_too_long',
    ],
    [400, 'InvalidRequest', 'Record/text must not be longer than 300 graphemes', 'tweet_too_long'],
    [400, 'InvalidRequest', 'Something else', 'network_api_error'],
    [401, 'AuthenticationRequired', 'Authentication Required', 'network_auth_expired'],
    [401, 'AccountTakedown', 'Account has been taken down', 'network_account_restricted'],
    [401, 'AccountDeactivated', 'Account is deactivated', 'network_account_restricted'],
    [403, 'Forbidden', 'No', 'network_forbidden'],
    [404, 'XRPCNotSupported', 'No such method', 'network_api_error'],
    [301, '', '', 'network_api_error'],
  ])('%i %s: %s is rejected as %s', async (status, error, message, code) => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    server.fault({ on: 'putRecord', does: { kind: 'status', status, error, message } })
    expect(await adapter.publish(prepare('no'))).toMatchObject({ kind: 'rejected', code })
    expect(server.count('putRecord')).toBe(1)
  })

  test.each([
    [429, 'RateLimitExceeded', 'network_rate_limited', { 'ratelimit-reset': '1772452920' }, 120_000],
    [429, 'RateLimitExceeded', 'network_rate_limited', { 'retry-after': '30' }, 30_000],
    [429, 'RateLimitExceeded', 'network_rate_limited', { 'retry-after': 'Mon, 02 Mar 2026 12:00:10 GMT' }, 10_000],
    [503, 'ServiceUnavailable', 'network_unavailable', { 'retry-after': '99999999999' }, 86_400_000],
    [503, 'ServiceUnavailable', 'network_unavailable', { 'retry-after': 'soon', 'ratelimit-reset': '-1' }, undefined],
    [429, 'RateLimitExceeded', 'network_rate_limited', { 'ratelimit-reset': '1' }, 0],
  ])('%i %s waits: %s', async (status, error, code, headers, retryAfterMs) => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    server.fault({
      on: 'putRecord',
      does: { kind: 'status', status, error, headers: headers as Record<string, string> },
    })
    const outcome = await adapter.publish(prepare('later'))
    expect(outcome).toMatchObject({ kind: 'delayed', code })
    expect('retryAfterMs' in outcome ? outcome.retryAfterMs : undefined).toBe(retryAfterMs)
  })

  test('waits when nobody is there', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    await server.refuse()
    expect(await adapter.publish(prepare('later'))).toMatchObject({ kind: 'delayed', code: 'network_unavailable' })
    await server.listen()
    expect(server.posts).toEqual([])
  })

  test('waits or fails as the login before it does', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, prepare } = account
    server.fault({ on: 'createSession', does: { kind: 'status', status: 502 } })
    expect(await adapter.publish(prepare('later'))).toMatchObject({ kind: 'delayed', code: 'network_unavailable' })
    const stranger = account.another({ appPassword: 'no' })
    expect(await stranger.publish(prepare('never'))).toMatchObject({ kind: 'rejected', code: 'network_auth_expired' })
    expect(server.count('putRecord')).toBe(0)
  })

  test('waits when a mention can not be looked up: it must not go out without', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    server.fault({ on: 'resolveHandle', times: 3, does: { kind: 'status', status: 502 } })
    expect(await account.settled(adapter.publish(prepare('Hi @bob.test')))).toMatchObject({ kind: 'delayed' })
    expect(server.count('putRecord')).toBe(0)
  })
})

describe('an image that is not taken stops the post', () => {
  test.each([
    [413, 'PayloadTooLarge', 'rejected', 'media_upload_error'],
    [400, 'InvalidMimeType', 'rejected', 'media_upload_error'],
    [401, 'AccountTakedown', 'rejected', 'network_account_restricted'],
    [429, 'RateLimitExceeded', 'delayed', 'network_rate_limited'],
    [500, 'InternalServerError', 'delayed', 'network_unavailable'],
  ])('%i %s: %s as %s', async (status, error, kind, code) => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    server.fault({ on: 'uploadBlob', does: { kind: 'status', status, error } })
    expect(await adapter.publish(prepare('picture', { media: [image] }))).toMatchObject({ kind, code })
    expect(server.count('putRecord')).toBe(0)
  })

  test('and so does an answer that names none, or none at all', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    const prepared = prepare('picture', { media: [image] })
    server.fault({ on: 'uploadBlob', does: { kind: 'body', text: '{"blob":null}' } })
    expect(await adapter.publish(prepared)).toMatchObject({ kind: 'rejected', code: 'media_upload_error' })
    server.fault({ on: 'uploadBlob', does: { kind: 'cut', after: true } })
    expect(await adapter.publish(prepared)).toMatchObject({ kind: 'delayed', code: 'network_unavailable' })
    expect(server.posts).toEqual([])
  })
})

describe('a post that may be stored', () => {
  test.each([500, 502, 504, 408])('is unknown after status %i', async (status) => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    server.fault({ on: 'putRecord', does: { kind: 'status', status } })
    expect(await adapter.publish(prepare('perhaps'))).toMatchObject({ kind: 'unknown' })
    expect(server.count('putRecord')).toBe(1)
  })

  test.each([
    { after: true, stored: 1 },
    { after: false, stored: 0 },
  ])('is unknown after a cut: %j', async ({ after, stored }) => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    server.fault({ on: 'putRecord', does: { kind: 'cut', after } })
    const prepared = prepare('perhaps')
    expect(await adapter.publish(prepared)).toMatchObject({ kind: 'unknown' })
    expect(server.posts).toHaveLength(stored)
    expect((await adapter.find(prepared)).kind).toBe(stored === 1 ? 'sent' : 'absent')
    expect(await adapter.publish(prepared)).toMatchObject({ kind: 'sent' })
    expect(server.posts).toHaveLength(1)
  })

  test('is unknown when no answer came in 15 s', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare, clock } = account
    server.fault({ on: 'putRecord', does: { kind: 'hold', after: true } })
    const prepared = prepare('perhaps')
    const outcome = adapter.publish(prepared)
    await server.received(1, 'putRecord')
    clock.advance(15_000)
    expect(await outcome).toEqual({ kind: 'unknown', message: expect.stringMatching(/did not answer within 15 s/) })
    expect(await adapter.find(prepared)).toMatchObject({ kind: 'sent', ref: { cid: server.posts[0]!.cid } })
  })

  test.each(['', '{}', '{"uri":"at://did:plc:x/app.bsky.feed.post/3kabcdefghij2","cid":"c"}'])(
    'is unknown when the answer is %j',
    async (text) => {
      await using account = await loggedIn()
      account.server.fault({ on: 'putRecord', does: { kind: 'body', text } })
      expect(await account.adapter.publish(account.prepare('perhaps'))).toMatchObject({ kind: 'unknown' })
    },
  )

  test('is unknown when the worker stops meanwhile, and waits when it stopped before', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    server.fault({ on: 'putRecord', does: { kind: 'hold' } })
    const stop = new AbortController()
    const outcome = adapter.publish(prepare('perhaps'), stop.signal)
    await server.received(1, 'putRecord')
    stop.abort()
    expect(await outcome).toMatchObject({ kind: 'unknown' })
    const before = await adapter.publish(prepare('later', { media: [image] }), stop.signal)
    expect(before).toMatchObject({ kind: 'delayed' })
  })
})

describe('what is stored under the key', () => {
  test('is taken for this post though a mention means somebody else by now', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    const prepared = prepare('Hi @late.test')
    server.fault({ on: 'putRecord', does: { kind: 'cut', after: true } })
    expect(await adapter.publish(prepared)).toMatchObject({ kind: 'unknown' })
    server.network.account('late.test')
    expect(await adapter.publish(prepared)).toMatchObject({ kind: 'sent', ref: { cid: server.posts[0]!.cid } })
    expect(server.posts).toHaveLength(1)
    expect(server.posts[0]!.record.facets).toBeUndefined()
  })

  test.each([
    ['text', { text: 'another' }],
    ['parent', { parent: { id: 'at://did:plc:x/app.bsky.feed.post/3kabcdefghij2', cid: 'c' } }],
    ['image', { media: [image] }],
  ])('is not, with another %s', async (_, change) => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    const prepared = prepare('the first')
    await adapter.publish(prepared)
    const other = adapter.prepare({ ...prepared.part, ...change }, prepared.key)
    expect(await adapter.publish(other)).toMatchObject({ kind: 'rejected', code: 'network_api_error' })
    expect(await adapter.find(other)).toMatchObject({ kind: 'undecidable' })
    expect(server.posts[0]!.record.text).toBe('the first')
  })

  test('is unknown while it can not be read', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    const prepared = prepare('Hi @late.test')
    await adapter.publish(prepared)
    server.network.account('late.test')
    server.fault({ on: 'getRecord', does: { kind: 'status', status: 500 } })
    expect(await adapter.publish(prepared)).toMatchObject({ kind: 'unknown' })
    server.fault({ on: 'getRecord', does: { kind: 'status', status: 500 } })
    await expect(adapter.find(prepared)).rejects.toMatchObject({ code: 'network_api_error', retryable: true })
  })
})

describe('removing', () => {
  test('is repeatable, and for our own posts', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    const outcome = await adapter.publish(prepare('not for long'))
    if (outcome.kind !== 'sent') throw new Error('not sent')
    await adapter.remove(outcome.ref)
    await adapter.remove(outcome.ref)
    expect(server.posts).toEqual([])
    const theirs = server.addPost({ by: 'bob.test' })
    await expect(adapter.remove({ id: theirs.uri })).rejects.toMatchObject({ code: 'network_forbidden' })
    await expect(adapter.remove({ id: 'nonsense' })).rejects.toMatchObject({ code: 'network_forbidden' })
  })

  test('is sent once, and says when it may not have worked', async () => {
    await using account = await loggedIn()
    const { server, adapter, prepare } = account
    const outcome = await adapter.publish(prepare('stays'))
    if (outcome.kind !== 'sent') throw new Error('not sent')
    server.fault({ on: 'deleteRecord', does: { kind: 'status', status: 502 } })
    await expect(adapter.remove(outcome.ref)).rejects.toMatchObject({ code: 'network_unavailable', retryable: true })
    server.fault({ on: 'deleteRecord', does: { kind: 'cut' } })
    await expect(adapter.remove(outcome.ref)).rejects.toMatchObject({ code: 'network_unavailable' })
    expect(server.count('deleteRecord')).toBe(2)
  })
})

test('what the server says of its limits is kept, by what they limit', async () => {
  await using account = await loggedIn()
  const { adapter, prepare, clock } = account
  await adapter.publish(prepare('count me'))
  await adapter.search({ keyword: 'mcp', limit: 5 }, undefined)
  expect([...adapter.rates].sort((one, other) => (one.endpoint < other.endpoint ? -1 : 1))).toEqual([
    { endpoint: 'read', limit: 3_000, remaining: 2_999, resetsAt: clock.now() + 300_000 },
    { endpoint: 'search', limit: 3_000, remaining: 2_999, resetsAt: clock.now() + 300_000 },
    { endpoint: 'write', limit: 5_000, remaining: 4_999, resetsAt: clock.now() + 3_600_000 },
  ])
})
