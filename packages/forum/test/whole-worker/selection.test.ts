import { describe, expect, it } from 'vitest'
import { sessionIdleMs } from '../../src/limits.js'
import { ada, bob } from '../support/whole-forum.js'
import { adminOf, ask, forum, inTime, refusal, resourceError, worker, writable, writing } from './support.js'

const noSite = { error: 'No site selected. Call discourse_select_site first.', code: 'no_site_selected' }

describe('an address that is selected', () => {
  it('is the forum’s base, however it is written', async () => {
    const server = await forum({ basePath: '/forumA', title: 'In a folder' })
    const whole = await worker()
    const written = `${server.base.replace('http', 'HTTP')}///?page=2#top`
    expect(await whole.select(written)).toEqual({ site: server.base, title: 'In a folder' })
  })

  it('may be a link into the forum, which is then tried at its origin, once', async () => {
    const server = await forum()
    const whole = await worker()
    expect(await whole.select(`${server.origin}/t/a-topic/11`)).toMatchObject({ site: server.origin })
    expect(server.seen(/about/).map(({ path }) => path)).toEqual(['/t/a-topic/11/about.json', '/about.json'])
  })

  it('is not tried at its origin where there is a forum that refuses it, or nobody can tell', async () => {
    const server = await forum()
    const whole = await worker()
    for (const status of [403, 502]) {
      server.forgetRequests()
      server.fault({ on: /forumA/, kind: 'status', status, html: '<html></html>', times: 3 })
      await refusal(whole, 'discourse_select_site', { site: `${server.origin}/forumA` })
      server.clearFaults()
      expect(server.requests.every(({ path }) => path === '/forumA/about.json')).toBe(true)
    }
  })

  it('has the title that the answer has anywhere, else its base', async () => {
    const server = await forum()
    const whole = await worker()
    server.fault({ on: /about/, kind: 'status', status: 200, json: { title: 'At the top' } })
    expect(await whole.select(server.base)).toMatchObject({ title: 'At the top' })
    await whole.pass(60_001)
    server.fault({ on: /about/, kind: 'status', status: 200, json: { about: {} } })
    expect(await whole.select(server.base)).toMatchObject({ title: server.base })
  })

  it.each([
    [{ kind: 'status', status: 403, json: { errors: ['no'], error_type: 'not_logged_in' } }, 'not_authenticated'],
    [{ kind: 'redirect', location: '/login' }, 'not_authenticated'],
    [{ kind: 'redirect', location: 'https://elsewhere.example/about.json' }, 'redirect_refused'],
    [{ kind: 'html' }, 'unexpected_response'],
    [{ kind: 'status', status: 404, json: {} }, 'not_found'],
    [{ kind: 'status', status: 502, html: '<html></html>' }, 'upstream_error'],
    [{ kind: 'drop' }, 'network_error'],
  ] as const)('that answers %j is refused, and the former selection stays', async (fault, code) => {
    const [here, there] = [await forum({ title: 'Here' }), await forum({ title: 'There' })]
    const whole = await worker({ config: { ...writing, auth_pairs: [adminOf(here)] } })
    await whole.select(here.base)
    const seen = whole.toolsOf(ada)
    there.fault({ on: /about/, times: Number.POSITIVE_INFINITY, ...fault })
    const error = await refusal(whole, 'discourse_select_site', { site: there.base })
    expect(error).toMatchObject({ code, error: expect.stringMatching(/^[A-Z].*\.$/s) })
    if (code === 'not_authenticated') expect(error.hint).toContain('auth_pairs')
    expect(whole.toolsOf(ada)).toEqual(seen)
    await whole.ask('discourse_filter_topics', { filter: 'order:activity' })
    expect(here.seen(/filter/)).toHaveLength(1)
  })

  it('must be one of those that are allowed, where there are some; then nothing is asked for', async () => {
    const [allowed, other] = [await forum(), await forum()]
    const whole = await worker({ config: { allowed_sites: [allowed.base] } })
    expect(await whole.refusal('discourse_select_site', { site: other.base })).toMatchObject({ code: 'forbidden' })
    expect(other.requests).toEqual([])
    await whole.select(allowed.base)
  })
})

describe('a selection', () => {
  it('is gone after 24 hours without a call, and not before', async () => {
    const { server, whole, clock } = await writable()
    clock.advance(sessionIdleMs - 1)
    await ask(whole, 'discourse_filter_topics', { filter: 'order:activity' })
    clock.advance(sessionIdleMs - 1)
    await ask(whole, 'discourse_filter_topics', { filter: 'order:created' })
    clock.advance(sessionIdleMs)
    const asked = server.requests.length
    expect(await whole.refusal('discourse_filter_topics', { filter: 'order:activity' })).toEqual(noSite)
    expect(server.requests).toHaveLength(asked)
    await whole.link.settled()
    expect(whole.toolsOf(ada)).not.toContain('discourse_create_post')
  })

  it('is gone when its session is closed, and another one’s is not', async () => {
    const { server, whole } = await writable()
    await whole.select(server.base, bob)
    await whole.link.closeSession(ada.session)
    expect(await whole.refusal('discourse_search', { query: 'place' }, ada)).toEqual(noSite)
    await whole.ask('discourse_search', { query: 'place' }, bob)
  })

  it('is gone when a new hub does not know its session, whether it shows anything or not', async () => {
    const { server, whole } = await writable()
    const plain = await forum()
    const cleo = { session: 'session-cleo', principal: 'agent:cleo' }
    await whole.select(server.base, bob)
    await whole.select(plain.base, cleo)
    await whole.link.reconnect({ sessions: [bob.session!] })
    expect(whole.toolsOf(bob)).toContain('discourse_create_post')
    await whole.ask('discourse_search', { query: 'place' }, bob)
    expect(await whole.refusal('discourse_search', { query: 'place' }, ada)).toEqual(noSite)
    expect(await whole.refusal('discourse_search', { query: 'place' }, cleo)).toEqual(noSite)
  })

  it('is gone after the worker’s end, and nobody gets another one’s', async () => {
    const { server, whole } = await writable()
    await whole.restart()
    await whole.select(server.base, bob)
    expect(await whole.refusal('discourse_search', { query: 'place' }, ada)).toEqual(noSite)
    expect(await resourceError(whole, 'discourse://site/tags', ada)).toEqual({
      ...{ code: -32_603, message: noSite.error },
      data: { ...noSite, uri: 'discourse://site/tags' },
    })
  })

  it('is that of the moment in which a call begins', async () => {
    const { server, whole, topic } = await writable({ title: 'First' })
    const second = await forum({ title: 'Second' })
    server.fault({ on: /^GET \/t\//, kind: 'hold' })
    const reading = whole.ask('discourse_read_topic', { topic_id: topic.id, post_limit: 50 })
    await server.held()
    server.forum.addPosts(topic.id, 30)
    whole.held = 1
    const writingThere = whole.ask('discourse_create_post', { topic_id: topic.id, raw: 'On the first forum.' })
    const other = whole.ask('discourse_create_post', { topic_id: topic.id, raw: 'On the first forum as well.' })
    await whole.settle()
    await whole.select(second.base)
    whole.held = 0
    server.release()
    expect((await inTime(whole, reading)).title).toBe('A place to write')
    expect(await inTime(whole, Promise.all([writingThere, other]))).toMatchObject([
      { outcome: 'done' },
      { outcome: 'done' },
    ])
    expect(second.seen(/posts/)).toEqual([])
    expect(whole.toolsOf(ada)).not.toContain('discourse_create_post')
  })

  it('changes what its own session sees, and tells nobody else', async () => {
    const { server, whole } = await writable()
    const plain = await forum()
    await whole.select(plain.base, bob)
    const [views, definitions] = [whole.link.viewOf(bob.session!), whole.link.definitions]
    await whole.select(plain.base, ada)
    await whole.select(server.base, ada)
    expect(whole.link.viewOf(bob.session!)).toBe(views)
    expect(whole.link.definitions).toBe(definitions)
    expect(whole.toolsOf(ada)).toContain('discourse_create_post')
    expect(whole.toolsOf(bob)).not.toContain('discourse_create_post')
  })

  it('of two that a session asks for at once ends with the second, however slow the first is', async () => {
    const [slow, fast] = [await forum(), await forum()]
    const whole = await worker()
    slow.fault({ on: /about/, kind: 'hold' })
    const first = whole.select(slow.base)
    await slow.held()
    const second = whole.select(fast.base)
    slow.release()
    await Promise.all([first, second])
    await whole.ask('discourse_search', { query: 'place' })
    expect([slow.seen(/search/).length, fast.seen(/search/).length]).toEqual([0, 1])
  })
})
