import { describe, expect, it } from 'vitest'
import { openMastodonRig, picture } from '../../support/mastodon-rig.js'
import type { MastodonFault } from '../../support/mastodon-server.js'

const posting = /^POST \/api\/v1\/statuses$/

describe('publishing on Mastodon', () => {
  it('sends the post whole, with its key', async () => {
    await using rig = await openMastodonRig({}, { visibility: 'unlisted' })
    const parent = rig.server.addStatus({ text: 'A question' })
    const prepared = rig.prepared({
      text: '@stranger An answer',
      contentWarning: 'Cats',
      language: 'en',
      parent: { id: parent.id },
    })
    const outcome = await rig.network.publish(prepared)
    const [own] = rig.server.own
    expect(outcome).toEqual({ kind: 'sent', ref: { id: own!.id }, url: own!.url })
    expect(own).toMatchObject({
      text: '@stranger An answer',
      spoilerText: 'Cats',
      language: 'en',
      visibility: 'unlisted',
      inReplyTo: parent,
      idempotencyKey: prepared.key.key,
    })
  })

  it('prefers the visibility of the part', async () => {
    await using rig = await openMastodonRig()
    await rig.network.publish(rig.prepared({ text: 'For few', visibility: 'private' }))
    expect(rig.server.own).toMatchObject([{ visibility: 'private' }])
  })

  it('prepares the same request from the same part and key', async () => {
    await using rig = await openMastodonRig()
    const { part, key } = rig.prepared({ text: 'Hello' })
    expect(rig.network.prepare(part, key)).toEqual(rig.network.prepare(part, key))
  })

  it('makes keys that differ', async () => {
    await using rig = await openMastodonRig()
    const keys = Array.from({ length: 100 }, () => rig.prepared({ text: 'Hello' }).key.key)
    expect(new Set(keys).size).toBe(100)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
  })

  it('answers a post of another server by the id that it has here', async () => {
    await using rig = await openMastodonRig()
    const bob = rig.server.addAccount({ username: 'bob', host: 'elsewhere.example' })
    const parent = rig.server.addStatus({ by: bob })
    const ref = rig.network.parseRef(`https://elsewhere.example/@bob/${parent.id}`)!
    await rig.network.publish(rig.prepared({ text: 'An answer', parent: ref }))
    expect(rig.server.own).toMatchObject([{ inReplyTo: { id: parent.id } }])
  })

  it('does not answer a post that its server can not find', async () => {
    await using rig = await openMastodonRig()
    const outcome = await rig.network.publish(
      rig.prepared({ text: 'An answer', parent: { id: 'https://elsewhere.example/@bob/1' } }),
    )
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'not_found' })
    expect(rig.server.calls(posting)).toEqual([])
  })

  it.each([
    ['nothing at all', { text: ' ' }, 'validation_error'],
    ['five files', { media: [1, 2, 3, 4, 5].map(() => picture()) }, 'validation_error'],
    ['a file of no kind that is shown', { media: [picture('', 'text/html')] }, 'unsupported_media_type'],
    ['a description that is too long', { media: [picture('x'.repeat(1_501))] }, 'validation_error'],
    ['a video beside an image', { media: [picture(), picture('', 'video/mp4')] }, 'validation_error'],
    ['a visibility that is none', { text: 'Hello', visibility: 'everyone' }, 'validation_error'],
  ])('refuses to prepare %s', async (_, part, code) => {
    await using rig = await openMastodonRig()
    expect(() => rig.prepared(part)).toThrow(expect.objectContaining({ code }))
  })
})

describe('what becomes of a post', () => {
  it.each<[string, MastodonFault, object, number]>([
    ['401', { kind: 'status', status: 401 }, { kind: 'rejected', code: 'network_auth_expired' }, 0],
    [
      '403',
      { kind: 'status', status: 403, error: 'This action is not allowed' },
      { kind: 'rejected', code: 'network_forbidden' },
      0,
    ],
    [
      '403 of a disabled account',
      { kind: 'status', status: 403, error: 'Your login is currently disabled' },
      { kind: 'rejected', code: 'network_account_restricted' },
      0,
    ],
    ['404', { kind: 'status', status: 404 }, { kind: 'rejected', code: 'not_found' }, 0],
    ['410', { kind: 'status', status: 410 }, { kind: 'rejected', code: 'not_found' }, 0],
    [
      '422',
      { kind: 'status', status: 422, error: 'Validation failed' },
      { kind: 'rejected', code: 'network_api_error' },
      0,
    ],
    [
      '400 of GoToSocial about the length',
      { kind: 'status', status: 400, error: 'Bad Request: status too long, 600 characters provided but limit is 500' },
      { kind: 'rejected', code: 'tweet_too_long' },
      0,
    ],
    [
      '429',
      { kind: 'too-many', resetInMs: 90_000 },
      { kind: 'delayed', code: 'network_rate_limited', retryAfterMs: 90_000 },
      0,
    ],
    ['503', { kind: 'status', status: 503 }, { kind: 'delayed', code: 'network_unavailable' }, 0],
    [
      '503 that says when',
      { kind: 'status', status: 503, headers: { 'retry-after': '20' } },
      { kind: 'delayed', code: 'network_unavailable', retryAfterMs: 20_000 },
      0,
    ],
    ['500', { kind: 'status', status: 500 }, { kind: 'unknown' }, 0],
    ['502', { kind: 'status', status: 502 }, { kind: 'unknown' }, 0],
    ['504', { kind: 'status', status: 504 }, { kind: 'unknown' }, 0],
    ['408', { kind: 'status', status: 408 }, { kind: 'unknown' }, 0],
    ['a connection that is cut before it is stored', { kind: 'drop' }, { kind: 'unknown' }, 0],
    ['a connection that is cut after it is stored', { kind: 'cut' }, { kind: 'unknown' }, 1],
    [
      'an answer that is no JSON',
      { kind: 'body', body: '<h1>Welcome</h1>', type: 'text/html' },
      { kind: 'unknown' },
      0,
    ],
    ['an answer of another shape', { kind: 'body', body: '{"id":7}' }, { kind: 'unknown' }, 0],
    [
      'a redirect',
      { kind: 'status', status: 301, headers: { location: 'https://www.example.com/x?y=z' } },
      { kind: 'rejected', code: 'network_api_error', message: expect.stringContaining('www.example.com;') },
      0,
    ],
  ])('%s', async (_, fault, outcome, stored) => {
    await using rig = await openMastodonRig()
    rig.server.fault({ ...fault, on: posting })
    expect(await rig.network.publish(rig.prepared({ text: 'Hello' }))).toMatchObject(outcome)
    expect(rig.server.own).toHaveLength(stored)
    expect(rig.server.calls(posting)).toHaveLength(1)
  })

  it('too long, by the count of the server', async () => {
    await using rig = await openMastodonRig()
    expect(() => rig.prepared({ text: 'x'.repeat(501) })).toThrow(expect.objectContaining({ code: 'tweet_too_long' }))
    rig.server.fault({ kind: 'status', status: 422, error: 'Validation failed: Text character limit of 300 exceeded' })
    const outcome = await rig.network.publish(rig.prepared({ text: 'x'.repeat(301) }))
    expect(outcome).toMatchObject({ kind: 'rejected', code: 'tweet_too_long' })
  })

  it('a server that is down: it is not there', async () => {
    await using rig = await openMastodonRig()
    await rig.server.down()
    const outcome = await rig.network.publish(rig.prepared({ text: 'Hello' }))
    expect(outcome).toMatchObject({ kind: 'delayed', code: 'network_unavailable' })
  })

  it('no answer in 15 seconds: nobody knows', async () => {
    await using rig = await openMastodonRig()
    rig.server.fault({ kind: 'hold' })
    const arrived = rig.server.next()
    const publishing = rig.network.publish(rig.prepared({ text: 'Hello' }))
    await arrived
    rig.clock.advance(15_000)
    expect(await publishing).toMatchObject({ kind: 'unknown', message: expect.stringContaining('15 s') })
    expect(rig.server.own).toHaveLength(1)
  })

  it('a worker that stops meanwhile: nobody knows', async () => {
    await using rig = await openMastodonRig()
    rig.server.fault({ kind: 'hold' })
    const stop = new AbortController()
    const arrived = rig.server.next()
    const publishing = rig.network.publish(rig.prepared({ text: 'Hello' }), stop.signal)
    await arrived
    stop.abort()
    expect(await publishing).toMatchObject({ kind: 'unknown' })
  })

  it('a worker that stopped before: nothing was sent', async () => {
    await using rig = await openMastodonRig()
    const outcome = await rig.network.publish(rig.prepared({ text: 'Hello' }), AbortSignal.abort())
    expect(outcome).toMatchObject({ kind: 'delayed' })
    expect(rig.server.requests).toEqual([])
  })

  it.each<MastodonFault>([
    { kind: 'status', status: 401, error: 'no mastodon-token-9f31c7 here' },
    { kind: 'status', status: 422, error: 'Bearer mastodon-token-9f31c7' },
    { kind: 'status', status: 500, error: 'mastodon-token-9f31c7' },
    { kind: 'cut' },
  ])('never tells the token: $kind $status', async (fault) => {
    await using rig = await openMastodonRig()
    rig.server.fault(fault)
    expect(JSON.stringify(await rig.network.publish(rig.prepared({ text: 'Hello' })))).not.toContain(rig.server.token)
  })
})
