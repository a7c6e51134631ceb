import { describe, expect, it, onTestFinished } from 'vitest'
import { ada, bob, openWholeForum, type WholeForum } from '../support/whole-forum.js'
import { adminOf, ask, inTime, writable, writing } from './support.js'

/** Two workers of one installation: one database, one time, and nothing else in common. */
async function pair() {
  const made = await writable()
  const { clock, server, whole } = made
  const config = { ...writing, auth_pairs: [adminOf(server)] }
  const second = await openWholeForum({ clock, config, dataDirectory: whole.dataDirectory })
  onTestFinished(() => second[Symbol.asyncDispose]())
  await second.select(server.base, bob)
  return { ...made, second }
}

const post = (whole: WholeForum, topic_id: number, raw: string, who = ada, more: object = {}) =>
  whole.ask('discourse_create_post', { topic_id, raw, ...more }, who)

describe('two replicas', () => {
  it('keep one pace together', async () => {
    const { whole, second, server, topic } = await pair()
    const start = whole.clock.now()
    const calls = [1, 2, 3].flatMap((number) => [
      post(whole, topic.id, `Number ${number} of the first`, ada),
      post(second, topic.id, `Number ${number} of the second`, bob),
    ])
    await inTime(whole, Promise.all(calls))
    const times = server.seen(/^POST/).map(({ at }) => at - start)
    expect(times).toEqual([0, 1_000, 2_000, 3_000, 4_000, 5_000])
  })

  it('know the same call as one, at the same time and after', async () => {
    const { whole, second, server, topic } = await pair()
    const raw = 'Said by both of them'
    const both = await inTime(whole, Promise.all([post(whole, topic.id, raw, ada), post(second, topic.id, raw, bob)]))
    expect(both.map(({ id }) => id)).toEqual(Array(2).fill(both[0].id))
    expect(both.filter(({ duplicate }) => duplicate === true)).toHaveLength(1)
    expect(await ask(second, 'discourse_create_post', { topic_id: topic.id, raw }, bob)).toMatchObject({
      id: both[0].id,
      duplicate: true,
    })
    expect(server.seen(/^POST/)).toHaveLength(1)
  })

  it('only look for what the other one sent without an answer', async () => {
    const { whole, second, server, topic } = await pair()
    server.fault({ on: /^POST/, kind: 'status', status: 502, html: '<html></html>' })
    const raw = 'Nobody knows'
    await expect(inTime(whole, post(whole, topic.id, raw))).rejects.toThrow('outcome_unknown')
    await expect(inTime(whole, post(second, topic.id, raw, bob))).rejects.toThrow('outcome_unknown')
    server.forum.addPost(topic.id, { username: 'ada', raw })
    whole.clock.advance(60_000)
    expect(await inTime(whole, post(second, topic.id, raw, bob))).toMatchObject({ outcome: 'done', recovered: true })
    expect(server.seen(/^POST/)).toHaveLength(1)
  })

  it('keep the cursor of an owner together, whoever acts for them', async () => {
    const { whole, second, server, topic } = await pair()
    const { meta } = await whole.ask('discourse_get_inbox', {}, ada)
    await whole.ask('discourse_get_inbox', { cursor: meta.cursor }, ada)
    server.forum.addPost(topic.id, { username: 'bob', raw: 'What is new' })
    const sub = { session: bob.session!, principal: 'agent:sub', onBehalfOf: ada.principal! }
    const { posts } = await second.ask('discourse_get_inbox', {}, sub)
    expect(posts.map(({ raw }: { raw: string }) => raw)).toEqual(['What is new'])
    // To another one everything is new that a first call shows.
    expect((await second.ask('discourse_get_inbox', {}, bob)).posts.length).toBeGreaterThan(1)
  })
})
