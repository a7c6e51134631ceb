import { expect, onTestFinished, test } from 'vitest'
import { type ForumServer, startForumServer } from '../../src/demo/index.js'
import { ada, bob, type WholeForum } from '../support/whole-forum.js'
import { through, worker, writing } from './hostile-web.js'

async function writable(): Promise<{ server: ForumServer; whole: WholeForum; topic: number }> {
  const server = await startForumServer()
  onTestFinished(() => server.close())
  const pair = { site: server.base, api_key: server.keys.admin.key, api_username: 'system' }
  const whole = await worker({ config: { ...writing, auth_pairs: [pair] } })
  for (const who of [ada, bob]) await whole.select(server.base, who)
  const { id } = server.forum.addTopic({ title: 'A place to write', username: 'system', raw: 'Write here.' })
  return { server, whole, topic: id }
}

const create = 'discourse_create_post'

type Call = Promise<{ readonly content: readonly unknown[] }>

async function answerOf(whole: WholeForum, call: Call) {
  return said(await through(whole, call))
}

/** Of calls that are under way at the same time. */
async function answersOf(whole: WholeForum, calls: readonly Call[]) {
  return (await through(whole, Promise.all(calls))).map(said)
}

function said({ content }: Awaited<Call>) {
  return JSON.parse((content as { text: string }[])[0]?.text ?? '')
}

/** As many as the hub gives a worker at once. */
const atOnce = 64

test('a thousand equal writes of two sessions, as many at once as there can be, are one', async () => {
  const { server, whole, topic } = await writable()
  const args = { topic_id: topic, raw: 'The same reply from everybody.' }
  const ids = new Set<unknown>()
  for (let sent = 0; sent < 1_000; sent += atOnce) {
    const calls = Array.from({ length: atOnce }, (_, index) =>
      whole.link.callTool(create, args, index % 2 === 0 ? ada : bob),
    )
    for (const { id } of await answersOf(whole, calls)) ids.add(id)
  }
  expect(ids.size).toBe(1)
  expect(server.seen(/^POST/)).toHaveLength(1)
})

test('more writes at once than fit into their time: the others hear that nothing happened', async () => {
  const { server, whole, topic } = await writable()
  const calls = Array.from({ length: atOnce }, (_, index) =>
    whole.link.callTool(create, { topic_id: topic, raw: `Reply number ${index} of many.` }, ada),
  )
  const answers = await answersOf(whole, calls)
  const done = answers.filter(({ outcome }) => outcome === 'done')
  expect(server.seen(/^POST/)).toHaveLength(done.length)
  expect(done.length).toBeGreaterThan(20)
  expect(done.length).toBeLessThan(atOnce)
  for (const { outcome, code } of answers.filter((each) => !done.includes(each))) {
    expect([outcome, ['rate_limited', 'timeout'].includes(code)]).toEqual(['rejected', true])
  }
})

test('a write that is cancelled in the queue is never sent, and the one behind it is', async () => {
  const { server, whole, topic } = await writable()
  const stop = new AbortController()
  const write = (raw: string, more: object = {}) =>
    whole.link.callTool(create, { topic_id: topic, raw }, { ...ada, ...more })
  const first = write('The first reply in the queue.')
  const second = write('The second reply in the queue.', { signal: stop.signal })
  const third = write('The third reply in the queue.')
  await whole.settle()
  stop.abort()
  expect(await answerOf(whole, second)).toMatchObject({ code: 'cancelled', outcome: 'rejected' })
  for (const call of [first, third]) expect(await answerOf(whole, call)).toMatchObject({ outcome: 'done' })
  expect(server.seen(/^POST/)).toHaveLength(2)
})

test('a write that is cancelled on its way is not sent again by whoever makes the same call', async () => {
  const { server, whole, topic } = await writable()
  const stop = new AbortController()
  const args = { topic_id: topic, raw: 'A reply that is on its way.' }
  server.fault({ on: /^POST/, kind: 'hold' })
  whole.held = 1
  const cancelled = whole.link.callTool(create, args, { ...ada, signal: stop.signal })
  await server.held()
  stop.abort()
  const same = whole.link.callTool(create, args, bob)
  expect(await answerOf(whole, cancelled)).toMatchObject({ code: 'cancelled', outcome: 'unknown' })
  server.release()
  whole.held = 0
  expect(await answerOf(whole, same)).toMatchObject({ outcome: 'done', recovered: true })
  expect(server.seen(/^POST/)).toHaveLength(1)
})

test('whoever makes the same call right after it was cancelled unsent has it sent', async () => {
  const { server, whole, topic } = await writable()
  const stop = new AbortController()
  const before = whole.link.callTool(create, { topic_id: topic, raw: 'Another reply goes first.' }, ada)
  const args = { topic_id: topic, raw: 'A reply that two want to send.' }
  const cancelled = whole.link.callTool(create, args, { ...ada, signal: stop.signal })
  await answerOf(whole, before)
  stop.abort()
  const same = whole.link.callTool(create, args, bob)
  const outcomes = [await answerOf(whole, cancelled), await answerOf(whole, same)]
  expect(outcomes[1].code).not.toBe('cancelled')
  expect(server.seen(/^POST/).length).toBeLessThanOrEqual(2)
})

test('selecting without end disturbs nobody, and leaves the last selection', async () => {
  const { server, whole } = await writable()
  const other = await startForumServer({ title: 'Another' })
  onTestFinished(() => other.close())
  const sites = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? server.base : other.base))
  await through(whole, Promise.all(sites.map((site) => whole.link.callTool('discourse_select_site', { site }, ada))))
  expect(whole.toolsOf(ada)).not.toContain(create)
  expect(whole.toolsOf(bob)).toContain(create)
})

test('a session that ends while it selects leaves nothing behind', async () => {
  const { server, whole } = await writable()
  const stop = new AbortController()
  const eve = { session: 'session-eve', principal: 'agent:eve' }
  server.fault({ on: /^GET \/ai/, kind: 'hold' })
  whole.held = 1
  const call = whole.link.callTool('discourse_select_site', { site: server.base }, { ...eve, signal: stop.signal })
  await server.held()
  stop.abort()
  await whole.link.closeSession(eve.session)
  server.release()
  whole.held = 0
  expect(await answerOf(whole, call)).toMatchObject({ code: 'cancelled' })
  expect(await whole.refusal('discourse_search', { query: 'xyz' }, eve)).toMatchObject({ code: 'no_site_selected' })
})

test('arguments of megabytes are refused in few words', async () => {
  const { whole } = await writable()
  const huge = 'x'.repeat(2_000_000)
  for (const args of [{ topic_id: huge, raw: huge }, { [huge]: 1 }, { topic_id: 1, raw: [[[huge]]] }]) {
    const { error, code } = await whole.refusal(create, args)
    expect(code).toBe('invalid_arguments')
    expect(error.length).toBeLessThan(2_000)
  }
})
