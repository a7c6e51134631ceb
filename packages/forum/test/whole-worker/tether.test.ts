import { describe, expect, it } from 'vitest'
import { ForumConfigError } from '../../src/config.js'
import { bob } from '../support/whole-forum.js'
import { adminOf, ask, forum, inTime, refusal, worker, writing } from './support.js'

const always = Number.POSITIVE_INFINITY
const song = { name: 'sing', answer: () => ({ result: 'la' }) }

describe('one forum for all sessions', () => {
  it('is everybody’s from the first call on, also after a restart', async () => {
    const server = await forum()
    const topic = server.forum.addTopic({ title: 'A place', username: 'ada', raw: 'Here it is.' })
    const whole = await worker({ config: { ...writing, site: server.base, auth_pairs: [adminOf(server)] } })
    expect(await ask(whole, 'discourse_read_topic', { topic_id: topic.id }, bob)).toMatchObject({ title: 'A place' })
    await whole.restart()
    const post = await ask(whole, 'discourse_create_post', { topic_id: topic.id, raw: 'From Ada.' })
    expect(post.outcome).toBe('done')
    await whole.link.closeSession(bob.session)
    await ask(whole, 'discourse_read_topic', { topic_id: topic.id }, bob)
    expect(server.seen(/about/)).toHaveLength(2)
  })

  it.each([
    [{ kind: 'status', status: 404, json: {} }],
    [{ kind: 'status', status: 403, json: { errors: ['no'], error_type: 'not_logged_in' } }],
    [{ kind: 'html' }],
    [{ kind: 'redirect', location: 'https://elsewhere.example/' }],
  ] as const)('that does not want us keeps the worker from starting: %j', async (fault) => {
    const server = await forum()
    server.fault({ on: /about/, times: always, ...fault })
    const starting = worker({ config: { site: server.base } })
    await expect(starting).rejects.toThrow(ForumConfigError)
    await expect(starting).rejects.toMatchObject({ problems: [expect.stringMatching(/^forum\.site: .+[^.]$/s)] })
  })

  it('that is down keeps nothing from starting, and is opened by the first call after', async () => {
    const server = await forum({ aiTools: { tools: [song] } })
    server.fault({ on: /about/, kind: 'status', status: 502, html: '<html></html>', times: always })
    const { openWholeForum } = await import('../support/whole-forum.js')
    const { VirtualClock } = await import('@callboard/worker/testing')
    const clock = new VirtualClock()
    const config = { ...writing, site: server.base, auth_pairs: [adminOf(server)] }
    const starting = openWholeForum({ clock, config })
    for (const [count, ms] of [
      [1, 250],
      [2, 500],
    ] as const) {
      await server.arrived(/about/, count)
      while (clock.nextWake === undefined || clock.nextWake > clock.now() + 500) await new Promise(setImmediate)
      clock.advance(ms)
    }
    await using whole = await starting
    expect(whole.toolsOf(bob)).toContain('discourse_create_post')
    const error = await refusal(whole, 'discourse_search', { query: 'place' })
    expect(error).toMatchObject({ code: 'upstream_error', status: 502 })
    server.clearFaults()
    await inTime(
      whole,
      Promise.all([whole.ask('discourse_search', { query: 'place' }), whole.read('discourse://site/tags', bob)]),
    )
    await whole.link.settled()
    expect(whole.toolsOf(bob)).toContain('remote_sing')
    expect(whole.toolsOf(bob)).not.toContain('discourse_select_site')
  })
})
