import { VirtualClock } from '@callboard/worker/testing'
import { describe, expect, it } from 'vitest'
import { HttpClient } from '../../../src/http/http-client.js'
import { openMastodon } from '../../../src/networks/mastodon/mastodon-adapter.js'
import { openMastodonRig } from '../../support/mastodon-rig.js'

const asking = /^GET \/api\/v\d\/instance$/

describe("a Mastodon server's limits", () => {
  it('are the usual ones until it was asked', async () => {
    await using rig = await openMastodonRig({ characters: 5_000 })
    expect(rig.network.lengthRule).toEqual({ kind: 'short-urls', max: 500, urlLength: 23 })
    expect(rig.network.capabilities).toMatchObject({
      tier: 'Open',
      canPost: true,
      canReply: true,
      canSearch: true,
      mediaMax: 4,
      mediaBytesMax: 10_485_760,
      altTextMax: 1_500,
    })
  })

  it.each([true, false])('are its own then (second version of the call: %s)', async (instanceV2) => {
    await using rig = await openMastodonRig({ characters: 5_000, instanceV2 })
    await rig.network.refresh()
    expect(rig.network.lengthRule).toEqual({ kind: 'short-urls', max: 5_000, urlLength: 23 })
    expect(rig.network.capabilities.mediaBytesMax).toBe(16_777_216)
  })

  it('are asked for at most once an hour', async () => {
    await using rig = await openMastodonRig()
    await rig.network.refresh()
    rig.clock.advance(59 * 60_000)
    await rig.network.refresh()
    expect(rig.server.calls(asking)).toHaveLength(1)
    rig.clock.advance(60_000)
    await rig.network.refresh()
    expect(rig.server.calls(asking)).toHaveLength(2)
  })

  it('stay when it does not answer, and it is asked again', async () => {
    await using rig = await openMastodonRig({ characters: 5_000 })
    rig.server.fault({ kind: 'status', status: 500 })
    await expect(rig.network.refresh()).rejects.toMatchObject({ code: 'network_api_error', retryable: true })
    expect(rig.network.lengthRule).toMatchObject({ max: 500 })
    await rig.network.refresh()
    expect(rig.network.lengthRule).toMatchObject({ max: 5_000 })
  })

  it.each([
    ['{}', { max: 500, urlLength: 23 }],
    ['{"max_toot_chars": 1000}', { max: 1_000, urlLength: 23 }],
    [
      '{"configuration": {"statuses": {"max_characters": -1, "characters_reserved_per_url": 25}}}',
      { max: 500, urlLength: 25 },
    ],
    ['{"configuration": {"statuses": {"max_characters": 1e99}}}', { max: 500 }],
    ['{"configuration": []}', { max: 500 }],
    ['{"configuration": {"statuses": null, "media_attachments": 7}}', { max: 500 }],
  ])('are taken from %s as far as they make sense', async (body, rule) => {
    await using rig = await openMastodonRig()
    rig.server.fault({ kind: 'body', body })
    await rig.network.refresh()
    expect(rig.network.lengthRule).toMatchObject(rule)
  })

  it('of requests are known from the last answer', async () => {
    await using rig = await openMastodonRig()
    await rig.network.account()
    await rig.network.search({ keyword: '#cats', limit: 1 }, undefined)
    expect(rig.network.rates).toEqual([
      { endpoint: 'read', limit: 300, remaining: 299, resetsAt: Date.parse('2026-03-02T12:05:00Z') },
      { endpoint: 'search', limit: 300, remaining: 298, resetsAt: Date.parse('2026-03-02T12:05:00Z') },
    ])
  })

  it('of requests that are passed make it wait', async () => {
    await using rig = await openMastodonRig({ requestsMax: 1 })
    await rig.network.account()
    await expect(rig.network.authorPosts('1', undefined)).rejects.toMatchObject({
      code: 'network_rate_limited',
      retryable: true,
      options: { retryAfterMs: 5 * 60_000, rateLimitReset: Date.parse('2026-03-02T12:05:00Z') },
    })
  })
})

describe('our account on Mastodon', () => {
  it('is known with its counts, for a minute', async () => {
    await using rig = await openMastodonRig()
    const account = { id: rig.server.me.id, handle: 'callboard', followers: 42, following: 7, posts: 0 }
    expect(await rig.network.account()).toEqual(account)
    rig.server.me.followers = 43
    expect(await rig.network.account()).toEqual(account)
    rig.clock.advance(60_000)
    expect(await rig.network.account()).toMatchObject({ followers: 43 })
  })

  it('is who a check speaks of', async () => {
    await using rig = await openMastodonRig()
    const host = new URL(rig.server.url).host
    expect(await rig.network.check()).toEqual({ status: 'ok', message: `signed in on ${host} as @callboard` })
    await rig.server.down()
    expect(await rig.network.check()).toEqual({ status: 'error', message: `${host} can not be reached (ECONNREFUSED)` })
  })

  it('is not let in with a wrong token, and told what to do', async () => {
    await using rig = await openMastodonRig({}, { accessToken: 'wrong' })
    expect(await rig.network.check()).toEqual({
      status: 'error',
      message: expect.stringMatching(
        /does not accept the access token; set a new one in social\.mastodon\.access_token/,
      ),
    })
    await expect(rig.network.account()).rejects.toMatchObject({ code: 'network_auth_expired', retryable: false })
  })

  it('is not to be had from a server of another kind, and told what to do', async () => {
    await using rig = await openMastodonRig()
    rig.server.fault({ kind: 'status', status: 404 })
    await expect(rig.network.account()).rejects.toMatchObject({
      code: 'network_api_error',
      message: expect.stringContaining('is social.mastodon.base_url right?'),
    })
  })

  it('needs a token that can be sent', () => {
    const clock = new VirtualClock()
    const options = { baseUrl: 'https://a.example', visibility: 'public', clock, http: new HttpClient(clock) } as const
    expect(() => openMastodon({ ...options, accessToken: 'two\nlines' })).toThrow(
      expect.objectContaining({ code: 'network_not_configured', message: expect.not.stringContaining('lines') }),
    )
    expect(() => openMastodon({ ...options, accessToken: 'one-word\n' })).not.toThrow()
  })

  it('begins replies with whom they are for', async () => {
    await using rig = await openMastodonRig()
    await rig.network.account()
    expect(rig.network.replyPrefix('bob@elsewhere.example')).toBe('@bob@elsewhere.example ')
    expect(rig.network.replyPrefix('callboard')).toBe('')
  })
})
