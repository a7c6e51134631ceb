import { expect, onTestFinished, test } from 'vitest'
import { type ForumServer, type ForumServerOptions, startForumServer } from '../../src/demo/index.js'
import { ada, bob, openWholeForum, type WholeForum, type WholeForumOptions } from '../support/whole-forum.js'

async function server(options: ForumServerOptions = {}): Promise<ForumServer> {
  const started = await startForumServer(options)
  onTestFinished(() => started.close())
  return started
}

async function worker(options: WholeForumOptions = {}): Promise<WholeForum> {
  const opened = await openWholeForum(options)
  onTestFinished(() => opened[Symbol.asyncDispose]())
  return opened
}

const adminOf = ({ base, keys }: ForumServer) => ({
  site: base,
  api_key: keys.admin.key,
  api_username: keys.admin.username,
})

const writing = { allow_writes: true, read_only: false }

test('before a forum is selected, reading tools are listed and say what is missing', async () => {
  const whole = await worker()
  expect(whole.toolsOf(ada)).toContain('discourse_search')
  expect(whole.toolsOf(ada)).not.toContain('discourse_create_post')
  for (const tool of ['discourse_search', 'discourse_create_post']) {
    expect(await whole.refusal(tool, {})).toEqual({
      error: 'No site selected. Call discourse_select_site first.',
      code: 'no_site_selected',
    })
  }
})

test('a session with a key sees the writing tools, another one at the same time does not', async () => {
  const [writable, readable] = [await server({ title: 'Writable' }), await server({ title: 'Readable' })]
  const whole = await worker({ config: { ...writing, auth_pairs: [adminOf(writable)] } })
  expect(await whole.select(writable.base, ada)).toEqual({ site: writable.base, title: 'Writable' })
  expect(await whole.select(readable.base, bob)).toEqual({ site: readable.base, title: 'Readable' })
  expect(whole.toolsOf(ada)).toContain('discourse_create_post')
  expect(whole.toolsOf(bob)).not.toContain('discourse_create_post')
  const { id } = writable.forum.addTopic({ title: 'A place to write', username: 'system', raw: 'Write here.' })
  const post = await whole.ask('discourse_create_post', { topic_id: id, raw: 'Hello from Ada, the first.' }, ada)
  expect(post).toMatchObject({ topic_id: id, outcome: 'done' })
  expect(await whole.refusal('discourse_create_post', { topic_id: id, raw: 'Hello from Bob.' }, bob)).toMatchObject({
    code: 'tool_unavailable',
    outcome: 'rejected',
  })
  await whole.select(readable.base, ada)
  expect(whole.toolsOf(ada)).not.toContain('discourse_create_post')
})

test('categories of the own forum', async () => {
  const forum = await server()
  const whole = await worker()
  await whole.select(forum.base)
  const { categories, meta } = await whole.read('discourse://site/categories')
  expect(categories.length).toBe(meta.total)
  expect(meta.total).toBeGreaterThan(0)
})
