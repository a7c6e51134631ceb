import { describe, expect, test } from 'vitest'
import { cut, json, quiet, serveWeb, text, throughPauses, until } from './web.js'

const path = '/latest.json'

/** When each request came, ms since the first. */
function times(requests: readonly { readonly at: number }[]): number[] {
  return requests.map(({ at }) => at - requests[0]!.at)
}

describe('a reading is asked for again', () => {
  test.each([429, 500, 502, 503, 504])('after %i, twice, after 250 and 500 ms', async (status) => {
    await using web = await serveWeb([text('<h1>broken</h1>', status), text('', status), json({ ok: true })])
    expect(await throughPauses(web.clock, web.client().get(path, [], web.scope))).toEqual({ ok: true })
    expect(times(web.requests)).toEqual([0, 250, 750])
  })

  test('after a lost connection', async () => {
    await using web = await serveWeb([cut, json({ ok: true })])
    expect(await throughPauses(web.clock, web.client().get(path, [], web.scope))).toEqual({ ok: true })
  })

  test('after a time limit, which is one of each attempt', async () => {
    await using web = await serveWeb([() => {}, () => {}, json({ ok: true })])
    const answer = web.client().get(path, [], web.scope)
    for (const [count, pause] of [
      [1, 250],
      [2, 500],
    ] as const) {
      await until(() => web.requests.length === count)
      web.clock.advance(15_000)
      await until(() => web.clock.nextWake === web.clock.now() + pause)
      web.clock.advance(pause)
    }
    expect(await answer).toEqual({ ok: true })
    expect(times(web.requests)).toEqual([0, 15_250, 30_750])
  })

  test('three times at most', async () => {
    await using web = await serveWeb(json({}, 502))
    await expect(throughPauses(web.clock, web.client().get(path, [], web.scope))).rejects.toMatchObject({
      code: 'upstream_error',
      details: { status: 502 },
      retryable: true,
    })
    expect(web.requests.length).toBe(3)
  })

  test.each([400, 401, 403, 404, 409, 410, 418, 422, 501])('not after %i', async (status) => {
    await using web = await serveWeb(json({}, status))
    await expect(web.client().get(path, [], web.scope)).rejects.toMatchObject({ details: { status } })
    expect(web.requests.length).toBe(1)
  })

  test('not when a forum takes no changes for a time that nobody knows', async () => {
    await using web = await serveWeb(json({ errors: ['Read-only'], error_type: 'read_only' }, 503))
    await expect(web.client().get(path, [], web.scope)).rejects.toMatchObject({ code: 'site_read_only' })
    expect(web.requests.length).toBe(1)
  })

  test('not when Cloudflare lets no programs through', async () => {
    await using web = await serveWeb(text('<!doctype html><title>Just a moment...</title>', 503))
    await expect(web.client().get(path, [], web.scope)).rejects.toMatchObject({
      code: 'upstream_error',
      details: { hint: 'cloudflare_challenge' },
    })
    expect(web.requests.length).toBe(1)
  })

  test('not when that would be too late', async () => {
    await using web = await serveWeb(json({}, 502))
    const scope = { ...web.scope, deadline: web.clock.now() + 250 }
    await expect(web.client().get(path, [], scope)).rejects.toMatchObject({ code: 'upstream_error' })
    expect(web.requests.length).toBe(1)
  })

  test('while others use its place', async () => {
    await using web = await serveWeb([json({}, 502), json({ n: 2 }), json({ n: 3 })], { concurrency: 1 })
    const first = web.client().get(path, [], web.scope)
    await until(() => web.clock.nextWake === web.clock.now() + 250)
    expect(await web.client().get('/other.json', [], web.scope)).toEqual({ n: 2 })
    expect(await throughPauses(web.clock, first)).toEqual({ n: 3 })
  })
})

const date = (ms: number) => new Date(Date.parse('2026-03-02T12:00:00Z') + ms).toUTCString()

describe('a forum that says how long to wait', () => {
  test.each([
    ['in seconds', {}, { 'retry-after': '3' }, 3_000],
    ['as a date', {}, { 'retry-after': date(4_000) }, 4_000],
    ['in its answer', { error_type: 'rate_limit', extras: { wait_seconds: 2 } }, {}, 2_000],
    ['twice', { extras: { wait_seconds: 2 } }, { 'retry-after': '4' }, 4_000],
    ['in parts of a second', { extras: { wait_seconds: 0.4 } }, {}, 400],
    ['less than the pause', {}, { 'retry-after': '0' }, 250],
    ['a date that is over', {}, { 'retry-after': date(-9_000) }, 250],
    ['nonsense', { extras: { wait_seconds: '9' } }, { 'retry-after': '-5' }, 250],
  ])('%s is heard', async (_, body, headers, wait) => {
    for (const status of [429, 503]) {
      await using web = await serveWeb([json(body, status, headers as Record<string, string>), json({ ok: true })])
      expect(await throughPauses(web.clock, web.client().get(path, [], web.scope))).toEqual({ ok: true })
      expect(times(web.requests)).toEqual([0, wait])
    }
  })

  test('longer than the call may take ends it at once', async () => {
    await using web = await serveWeb(json({ errors: ['Too many times'] }, 429, { 'retry-after': '61' }))
    await expect(web.client().get(path, [], web.scope)).rejects.toMatchObject({
      code: 'rate_limited',
      message: expect.stringMatching(/Too many times\. Try again in 61 s\.$/),
      details: { status: 429, retry_after_s: 61, errors: ['Too many times'] },
    })
    expect(web.requests.length).toBe(1)
  })

  test('with a failure of its own ends with that one', async () => {
    await using web = await serveWeb(text('', 503, { 'retry-after': '600' }))
    await expect(web.client().get(path, [], web.scope)).rejects.toMatchObject({
      code: 'upstream_error',
      details: { status: 503, retry_after_s: 600 },
    })
  })

  test.each([['99999999999'], ['9'.repeat(400)], ['Fri, 31 Dec 9999 23:59:59 GMT']])(
    'an absurd time, %s, has us wait an hour',
    async (wait) => {
      await using web = await serveWeb([text('Slow down', 429, { 'retry-after': wait }), json({ ok: true })])
      await expect(web.client().get(path, [], web.scope)).rejects.toMatchObject({ details: { retry_after_s: 3_600 } })
      web.clock.advance(60 * 60_000)
      const scope = { ...web.scope, deadline: web.clock.now() + 1_000 }
      expect(await web.client().get(path, [], scope)).toEqual({ ok: true })
    },
  )
})

describe('the end of a call', () => {
  test('ends a reading with a time limit of its own', async () => {
    await using web = await serveWeb(() => {})
    const answer = web.client().get(path, [], { ...web.scope, deadline: web.clock.now() + 2_000 })
    await until(() => web.requests.length === 1)
    web.clock.advance(2_000)
    await expect(answer).rejects.toMatchObject({ code: 'timeout', message: expect.stringMatching(/within 2 s/) })
    expect(web.requests.length).toBe(1)
  })

  test('has come before it began', async () => {
    await using web = await serveWeb(json({}))
    const answer = web.client().get(path, [], { ...web.scope, deadline: web.clock.now() })
    await expect(answer).rejects.toMatchObject({ code: 'timeout' })
    expect(web.requests.length).toBe(0)
  })

  test('by a signal gives its reason: before, during, and in a pause', async () => {
    const reason = new Error('the agent has gone')
    await using web = await serveWeb([json({}, 502), () => {}])
    const stop = new AbortController()
    const pausing = web.client().get(path, [], { ...web.scope, signal: stop.signal })
    await until(() => web.clock.nextWake === web.clock.now() + 250)
    stop.abort(reason)
    await expect(pausing).rejects.toBe(reason)

    const running = web.client().get(path, [], web.scope)
    await until(() => web.requests.length === 2)
    web.stop.abort(reason)
    await expect(running).rejects.toBe(reason)
    await expect(web.client().get('/about.json', [], web.scope)).rejects.toBe(reason)
    await quiet()
    expect(web.requests.length).toBe(2)
    expect(web.clock.nextWake).toBeUndefined()
  })

  test('where nobody is: a network error', async () => {
    const web = await serveWeb(json({}))
    await web[Symbol.asyncDispose]()
    await expect(throughPauses(web.clock, web.client().get(path, [], web.scope))).rejects.toMatchObject({
      code: 'network_error',
      message: expect.stringMatching(/can not be reached \(ECONNREFUSED\)\. Check the address/),
    })
  })
})
