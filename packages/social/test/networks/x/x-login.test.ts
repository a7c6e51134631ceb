import { describe, expect, it } from 'vitest'
import { failureOf, openXSetting } from '../../support/x-setting.js'

const hour = 60 * 60_000

describe('the login', () => {
  it('is renewed when X refuses the token, and the read goes on', async () => {
    const { x, server } = await openXSetting()
    server.expireAccess()
    expect((await x.account()).handle).toBe('Callboarder')
    expect(server.refreshes).toBe(1)
  })

  it('is renewed ahead of its end, once', async () => {
    const { x, server, foundation } = await openXSetting({ accessToken: '' })
    await x.renew()
    await x.renew()
    expect(server.refreshes).toBe(1)
    foundation.clock.advance(2 * hour - 3 * 60_000)
    await x.renew()
    expect(server.refreshes).toBe(1)
    foundation.clock.advance(60_000)
    await x.renew()
    expect(server.refreshes).toBe(2)
  })

  it('is renewed before a request when it has ended', async () => {
    const { x, server, foundation, publish } = await openXSetting({ accessToken: '' })
    await x.account()
    foundation.clock.advance(3 * hour)
    expect((await publish('Hello')).kind).toBe('sent')
    expect(server.requests.every(({ path }) => path !== '/users/me' || server.refreshes > 0)).toBe(true)
    expect(server.refreshes).toBe(2)
  })

  it('survives a restart: the newest tokens are in the database', async () => {
    const { x, another, server } = await openXSetting()
    server.expireAccess()
    await x.account()
    expect((await another().account()).handle).toBe('Callboarder')
    server.expireAccess()
    await another().account()
    expect(server.refreshes).toBe(2)
  })

  it('follows an operator who writes new tokens', async () => {
    const { x, another, server } = await openXSetting({ accessToken: '' })
    await x.account()
    server.grantAccess('written')
    await another({ accessToken: 'written' }).account()
    expect(server.requests.at(-1)?.authorization).toBe('Bearer written')
    expect(server.refreshes).toBe(1)
  })

  it('is renewed by one of two replicas; the other one waits for its tokens', async () => {
    const { x, another, server } = await openXSetting()
    const other = another()
    server.expireAccess()
    const both = await Promise.allSettled([x.account(), other.account()])
    expect(server.refreshes).toBe(1)
    for (const each of both) {
      if (each.status === 'rejected') {
        expect(each.reason).toMatchObject({ code: 'network_unavailable', retryable: true })
      }
    }
    expect((await other.account()).handle).toBe('Callboarder')
    expect(server.refreshes).toBe(1)
  })

  it('is taken over from a replica that died while it renewed', async () => {
    const { x, server, foundation } = await openXSetting()
    const { db } = foundation.store
    const lease = { lease_owner: 'dead', lease_until: foundation.clock.now() + 30_000 }
    await db
      .insertInto('cursors')
      .values({ network: 'x', source: 'token', failures: 0, updated_at: 1, ...lease })
      .execute()
    server.expireAccess()
    expect((await failureOf(x.account())).code).toBe('network_unavailable')
    expect(server.refreshes).toBe(0)
    foundation.clock.advance(30_001)
    await x.account()
    expect(server.refreshes).toBe(1)
  })

  it('is renewed once for many who ask at the same time', async () => {
    const { x, server } = await openXSetting({ accessToken: '' })
    await Promise.all([x.account(), x.renew(), x.renew(), x.account()])
    expect(server.refreshes).toBe(1)
  })

  it('ends when X refuses the refresh token: an operator has to act, and X is not asked again', async () => {
    const { x, server, publish } = await openXSetting()
    server.expireAccess()
    server.revokeRefresh()
    const { code, message } = await failureOf(x.account())
    expect([code, message]).toEqual(['network_auth_expired', expect.stringContaining('social.x.refresh_token')])
    expect(await publish('Hello')).toMatchObject({ kind: 'delayed', code: 'network_auth_expired' })
    await failureOf(x.account())
    expect(server.requests.filter(({ path }) => path === '/oauth2/token')).toHaveLength(1)
  })

  it.each([
    ['X fails', { kind: 'answer', status: 503, body: {} }, 'network_unavailable'],
    ['X does not answer', { kind: 'cut' }, 'network_unavailable'],
    ['X answers nonsense', { kind: 'answer', status: 200, body: { access_token: 7 } }, 'network_api_error'],
  ] as const)('is tried again later when %s', async (_, fault, code) => {
    const { x, server } = await openXSetting()
    server.expireAccess()
    server.failNext('token', fault)
    expect((await failureOf(x.account())).code).toBe(code)
    expect((await x.account()).handle).toBe('Callboarder')
  })

  it('of a confidential client shows its secret', async () => {
    const { another, server } = await openXSetting()
    server.clientSecret = 'client-secret'
    server.expireAccess()
    expect((await another({ clientSecret: 'client-secret' }).account()).handle).toBe('Callboarder')
  })

  it('of a post is renewed too, but the post is not sent again by itself', async () => {
    const { server, publish } = await openXSetting()
    server.expireAccess()
    expect(await publish('Hello')).toMatchObject({ kind: 'delayed', code: 'network_unavailable', retryAfterMs: 0 })
    expect(server.tweets).toEqual([])
    expect((await publish('Hello')).kind).toBe('sent')
  })
})

describe('secrets', () => {
  it('are in no message, even where X repeats them', async () => {
    const { x, server, publish } = await openXSetting({ accessToken: '', clientSecret: 's3cret' })
    await x.account()
    const echo = { detail: 'Bearer access-1 refresh-1 refresh-0 s3cret' }
    const words: string[] = []
    for (const status of [400, 403, 404, 500]) {
      server.failNext('create', { kind: 'answer', status, body: echo })
      words.push(JSON.stringify(await publish(`Hello ${status}`)))
      server.failNext('search', { kind: 'answer', status, body: echo })
      words.push((await failureOf(x.search({ keyword: 'mcp', limit: 5 }, undefined))).message)
    }
    await server[Symbol.asyncDispose]()
    words.push((await failureOf(x.remove({ id: '1' }))).message, (await x.check()).message)
    expect(words.join('\n')).toContain('[secret]')
    expect(words.join('\n')).not.toMatch(/access-1|refresh-\d|s3cret/)
  })
})
