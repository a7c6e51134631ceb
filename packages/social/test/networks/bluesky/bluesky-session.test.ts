import { describe, expect, test } from 'vitest'
import { openBlueskyAccount } from '../../support/bluesky-account.js'

const minute = 60_000

describe('the login', () => {
  test('is made when it is first needed, once for all who need it', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    await Promise.all([
      adapter.account(),
      adapter.mentions(undefined),
      adapter.search({ keyword: 'mcp', limit: 5 }, undefined),
    ])
    expect(server.count('createSession')).toBe(1)
    expect(server.requests[0]?.body).toEqual({ identifier: 'ada.test', password: 'abcd-efgh-ijkl-mnop' })
  })

  test('a token that has run out is renewed, and the same request made again', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, prepare } = account
    await adapter.account()
    server.expireAccess()
    expect(await adapter.publish(prepare('after a while'))).toMatchObject({ kind: 'sent' })
    const methods = server.requests.map(({ method }) => method.split('.').at(-1))
    expect(methods.slice(-3)).toEqual(['putRecord', 'refreshSession', 'putRecord'])
    expect(server.posts).toHaveLength(1)
    expect(server.count('createSession')).toBe(1)
  })

  test('several who find it run out renew it once', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    await adapter.account()
    server.expireAccess()
    await Promise.all([1, 2, 3].map(() => adapter.search({ keyword: 'mcp', limit: 5 }, undefined)))
    expect(server.count('refreshSession')).toBe(1)
  })

  test('when it can not be renewed, we log in again', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    await adapter.account()
    server.expireAccess()
    server.expireRefresh()
    await adapter.search({ keyword: 'mcp', limit: 5 }, undefined)
    expect(server.count('createSession')).toBe(2)
  })

  test('a server that refuses every token is not asked for ever', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    server.fault({ on: 'searchPosts', times: 100, does: { kind: 'status', status: 400, error: 'InvalidToken' } })
    const refused = { code: 'network_auth_expired', retryable: false }
    await expect(adapter.search({ keyword: 'mcp', limit: 5 }, undefined)).rejects.toMatchObject(refused)
    expect(server.count('searchPosts')).toBe(2)
  })

  test('is renewed before it runs out, and only then', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    await adapter.renew()
    expect(server.requests).toEqual([])
    await adapter.account()
    await adapter.renew()
    expect(server.count('refreshSession')).toBe(0)
    clock.advance(119 * minute)
    await adapter.renew()
    expect(server.count('refreshSession')).toBe(1)
  })
})

describe('a login that is refused', () => {
  test('says what an operator has to do, and is not tried again before a pause that grows', async () => {
    await using account = await openBlueskyAccount()
    const { server, clock } = account
    const adapter = account.another({ appPassword: 'wron-gwro-ngwr-ongw' })
    const refused = { code: 'network_auth_expired', retryable: false, message: expect.stringMatching(/app_password/) }
    for (let call = 0; call < 5; call++) await expect(adapter.account()).rejects.toMatchObject(refused)
    expect(server.count('createSession')).toBe(1)
    clock.advance(minute)
    await expect(adapter.account()).rejects.toMatchObject(refused)
    clock.advance(minute)
    await expect(adapter.account()).rejects.toMatchObject(refused)
    expect(server.count('createSession')).toBe(2)
    clock.advance(minute)
    await expect(adapter.account()).rejects.toMatchObject(refused)
    expect(server.count('createSession')).toBe(3)
  })

  test('never shows the password', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    const words = {
      error: 'Bad',
      message: 'password abcd-efgh-ijkl-mnop and eyJhbGciOiJI.eyJzdWIiOiIx.c2lnbmF0dXJl are wrong',
    }
    server.fault({ does: { kind: 'status', status: 400, ...words } })
    const error = await adapter.account().catch((reason) => reason)
    expect(error.message).toMatch(/\(password\) and \(token\) are wrong/)
    expect(JSON.stringify([error, error.message, error.options])).not.toMatch(/abcd-efgh|eyJhbG/)
  })

  test('by too many of them, waits for the time that the server names', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    const headers = { 'ratelimit-reset': String(clock.now() / 1_000 + 200) }
    server.fault({ does: { kind: 'status', status: 429, error: 'RateLimitExceeded', headers } })
    await expect(adapter.account()).rejects.toMatchObject({
      code: 'network_rate_limited',
      options: { retryAfterMs: 200_000 },
    })
    clock.advance(199_000)
    await expect(adapter.account()).rejects.toMatchObject({ code: 'network_rate_limited' })
    expect(server.count('createSession')).toBe(1)
    clock.advance(1_000)
    await expect(adapter.account()).resolves.toMatchObject({ handle: 'ada.test' })
  })

  test('because the account was taken down, says that', async () => {
    await using account = await openBlueskyAccount()
    account.server.us.restriction = 'AccountTakedown'
    await expect(account.adapter.account()).rejects.toMatchObject({ code: 'network_account_restricted' })
  })

  test('a server that fails is asked ten times in five minutes at most', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter, clock } = account
    server.fault({ on: 'createSession', times: 1_000, does: { kind: 'status', status: 500 } })
    for (let call = 0; call < 40; call++) {
      await expect(adapter.account()).rejects.toMatchObject({ retryable: true })
      clock.advance(1_000)
    }
    expect(server.count('createSession')).toBe(10)
    const later = await adapter.account().catch((error) => error)
    expect(later).toMatchObject({ code: 'network_rate_limited', options: { retryAfterMs: 260_000 } })
  })

  test('with an answer that is none, is not taken for one', async () => {
    await using account = await openBlueskyAccount()
    const { server, adapter } = account
    for (const text of [
      '',
      'null',
      '[]',
      '{"accessJwt":"a\\nb"}',
      '<html>',
      '{"accessJwt":"a","refreshJwt":"b","did":"x"}',
    ]) {
      server.fault({ on: 'createSession', does: { kind: 'body', text } })
      await expect(adapter.account()).rejects.toMatchObject({ code: 'network_api_error' })
    }
  })
})

test('who gives up waiting leaves the login to the others', async () => {
  await using account = await openBlueskyAccount()
  const { server, adapter } = account
  server.fault({ on: 'createSession', does: { kind: 'delay', ms: 20 } })
  const impatient = new AbortController()
  const first = adapter.account(impatient.signal)
  const second = adapter.account()
  await server.received(1)
  impatient.abort(new Error('enough'))
  await expect(first).rejects.toThrow('enough')
  await expect(second).resolves.toMatchObject({ handle: 'ada.test' })
  expect(server.count('createSession')).toBe(1)
})

test('a person is told whether we get in', async () => {
  await using account = await openBlueskyAccount()
  const { server, adapter } = account
  expect(await adapter.check()).toEqual({ status: 'ok', message: expect.stringMatching(/as @ada\.test/) })
  await server.refuse()
  expect(await account.settled(adapter.check())).toEqual({
    status: 'error',
    message: expect.stringMatching(/ECONNREFUSED/),
  })
})
