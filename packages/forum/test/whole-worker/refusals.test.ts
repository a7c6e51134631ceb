import { describe, expect, it } from 'vitest'
import { ada } from '../support/whole-forum.js'
import { ask, forum, inTime, refusal, resourceError, worker, writable } from './support.js'

const notFound = { errors: ['The requested URL or resource could not be found.'], error_type: 'not_found' }
const always = Number.POSITIVE_INFINITY

describe('what the forum refuses', () => {
  it.each([
    [403, { errors: ['no'], error_type: 'not_logged_in' }, 'not_authenticated'],
    [403, { errors: ['The API username or key is invalid.'], error_type: 'invalid_access' }, 'invalid_credentials'],
    [403, { errors: ['You may not.'], error_type: 'invalid_access' }, 'forbidden'],
    [404, { ...notFound, extras: { title: 'Oops', html: '<div>big page</div>' } }, 'not_found'],
    [410, notFound, 'not_found'],
    [409, { errors: ['Somebody was faster.'] }, 'conflict'],
    [400, { errors: ['q is missing'], error_type: 'invalid_parameters' }, 'rejected'],
    [422, { action: 'create_post', errors: ['Body is too short', 'Title, too'] }, 'rejected'],
    [503, { errors: ['later'], error_type: 'read_only' }, 'site_read_only'],
  ])('with %i %j is said in its own words', async (status, json, code) => {
    const { whole, server } = await writable()
    server.fault({ on: /^GET \/posts\/5/, kind: 'status', status, json, times: always })
    const error = await refusal(whole, 'discourse_read_post', { post_id: 5 })
    expect(error).toMatchObject({ code, status, errors: json.errors })
    expect(error.error_type).toBe('error_type' in json ? json.error_type : undefined)
    expect(error).not.toHaveProperty('outcome')
    expect(JSON.stringify(error)).not.toContain('big page')
    server.fault({ on: /^POST \/posts/, kind: 'status', status, json, times: always })
    const written = await refusal(whole, 'discourse_create_post', { topic_id: 11, raw: 'Whatever it says' })
    expect(written).toMatchObject({ code, status, errors: json.errors, outcome: 'rejected' })
    expect(server.seen(/^POST /)).toHaveLength(1)
  })

  it.each([
    ['html', { kind: 'html' }, 'unexpected_response'],
    ['502', { kind: 'status', status: 502, html: '<html></html>' }, 'upstream_error'],
    ['drop', { kind: 'drop' }, 'network_error'],
  ] as const)('a profile that comes as %s is an error', async (_, fault, code) => {
    const { whole, server } = await writable()
    server.fault({ on: /^GET \/u\//, times: always, ...fault })
    expect(await refusal(whole, 'discourse_get_user', { username: 'ada' })).toMatchObject({ code })
    expect(server.seen(/^GET \/u\//)).toHaveLength(code === 'unexpected_response' ? 1 : 3)
  })
})

describe('a time limit', () => {
  it('is one of each attempt, and not of all of them', async () => {
    const { whole, server, topic } = await writable({}, { timeout_ms: 10_000 })
    server.fault({ on: /^GET \/t\//, kind: 'stall', times: 2 })
    whole.held = 2
    const start = whole.clock.now()
    const reading = whole.ask('discourse_read_topic', { topic_id: topic.id })
    for (const count of [1, 2]) {
      await server.arrived(/^GET \/t\//, count)
      whole.clock.advance(10_000)
      await server.abandoned(count)
      whole.held = 0
      await whole.settle()
      whole.clock.advance(500)
    }
    expect(await inTime(whole, reading)).toMatchObject({ title: 'A place to write' })
    expect(server.seen(/^GET \/t\//).map(({ at }) => at - start)).toEqual([0, 10_500, 21_000])
  })

  it('of 60 s is that of a call with all its attempts', async () => {
    const { whole, server, topic } = await writable({}, { timeout_ms: 50_000 })
    server.fault({ on: /^GET \/t\//, kind: 'stall', times: always })
    const start = whole.clock.now()
    const reading = whole.refusal('discourse_read_topic', { topic_id: topic.id })
    await server.arrived(/^GET \/t\//, 1)
    whole.clock.advance(50_000)
    await server.abandoned(1)
    await whole.settle()
    whole.clock.advance(250)
    await server.arrived(/^GET \/t\//, 2)
    // What is left of it.
    whole.clock.advance(9_750)
    expect(await reading).toMatchObject({ code: 'timeout' })
    expect(whole.clock.now() - start).toBe(60_000)
  })

  it('of the caller, where it is shorter, leaves time for the answer', async () => {
    const { whole, server, topic } = await writable()
    server.fault({ on: /^GET \/t\//, kind: 'stall', times: always })
    const reading = whole.refusal('discourse_read_topic', { topic_id: topic.id }, { ...ada, timeoutMs: 5_000 })
    await server.arrived(/^GET \/t\//, 1)
    whole.clock.advance(4_750)
    expect(await reading).toMatchObject({ code: 'timeout' })
  })

  it('that a forum’s pause passes ends a reading at once, with the time to wait', async () => {
    const { whole, server } = await writable()
    server.fault({ on: /search/, kind: 'rate-limit', shape: 'json', seconds: 90 })
    const { code, retry_after_s } = await whole.refusal('discourse_search', { query: 'place' })
    expect({ code, retry_after_s }).toEqual({ code: 'rate_limited', retry_after_s: 90 })
    const { _meta } = await whole.link.callTool('discourse_search', { query: 'place' }, ada)
    expect(_meta?.['callboard/error']).toMatchObject({ code: 'rate_limited', retryable: true, retryAfterMs: 90_000 })
    expect(server.seen(/search/)).toHaveLength(1)
  })
})

describe('Retry-After', () => {
  it.each([
    ['json', false],
    ['json', true],
    ['text', false],
    ['text', true],
  ] as const)('%s, as a date: %s, is waited for by a reading, and a write is never sent again', async (shape, date) => {
    const { whole, server, topic } = await writable()
    const start = whole.clock.now()
    server.fault({ on: /^GET \/t\//, kind: 'rate-limit', shape, seconds: 3, date })
    await ask(whole, 'discourse_read_topic', { topic_id: topic.id })
    expect(server.seen(/^GET \/t\//).map(({ at }) => at - start)).toEqual([0, 3_000])
    server.fault({ on: /^POST/, kind: 'rate-limit', shape, seconds: 3, date })
    const error = await refusal(whole, 'discourse_create_post', { topic_id: topic.id, raw: 'Once and no more' })
    expect(error).toMatchObject({ code: 'rate_limited', outcome: 'rejected', retry_after_s: 3 })
    await whole.pass(60_000)
    expect(server.seen(/^POST/)).toHaveLength(1)
  })
})

describe('a resource that can not be read', () => {
  it('is none of this worker’s: −32602 with its address', async () => {
    const whole = await worker()
    const error = await resourceError(whole, 'discourse://site/nothing')
    expect(error).toMatchObject({ code: -32_602, data: { uri: 'discourse://site/nothing' } })
  })

  it('is missing on the forum: −32602 with its address and the error', async () => {
    const { whole } = await writable({ chat: false })
    for (const uri of ['discourse://chat/channels', 'discourse://user/chat-channels']) {
      expect(await resourceError(whole, uri)).toMatchObject({
        code: -32_602,
        data: { uri, code: 'not_found', error: expect.stringContaining('no chat'), status: 404 },
      })
    }
  })

  it.each([
    ['discourse://user/drafts', /drafts/],
    ['discourse://user/chat-channels', /me\/channels/],
    ['discourse://chat/channels', /chat/],
    ['discourse://site/categories', /site\.json/],
    ['discourse://site/categories', /categories\/find/],
    ['discourse://site/tags', /tags/],
    ['discourse://site/groups', /groups/],
  ])('%s is never an empty list: 403 of %s', async (uri, on) => {
    const { whole, server } = await writable()
    const json = { errors: ['You may not.'], error_type: 'invalid_access' }
    server.fault({ on, kind: 'status', status: 403, json, times: always })
    expect(await resourceError(whole, uri)).toEqual({
      code: -32_603,
      message: expect.stringContaining('You may not.'),
      data: { uri, code: 'forbidden', status: 403, ...json, error: expect.stringContaining('You may not.') },
    })
  })

  it.each(['discourse://user/drafts', 'discourse://user/chat-channels'])(
    '%s is nobody’s without a key, and then nothing is asked for',
    async (uri) => {
      const server = await forum()
      const whole = await worker()
      await whole.select(server.base)
      server.forgetRequests()
      expect(await resourceError(whole, uri)).toMatchObject({ code: -32_603, data: { uri, code: 'not_authenticated' } })
      expect(server.requests).toEqual([])
    },
  )
})

it('what the forum, the arguments or the session are to blame for is no error of the protocol', async () => {
  const { whole, topic } = await writable({}, { read_only: true })
  expect(await whole.refusal('discourse_read_topic', { topic_id: topic.id, post_limt: 3 })).toEqual({
    error: expect.stringContaining('did you mean post_limit?'),
    code: 'invalid_arguments',
    issues: [{ path: 'post_limt', message: expect.any(String) }],
  })
  expect(await whole.refusal('discourse_create_post', { topic_id: topic.id, raw: 'Hello' })).toEqual({
    error: expect.stringContaining('read_only=false'),
    code: 'tool_unavailable',
    outcome: 'rejected',
  })
  expect(await whole.refusal('discourse_create_post', {}, { session: 'new' })).toMatchObject({
    code: 'no_site_selected',
  })
  expect(whole.link.internalErrors).toEqual([])
})
