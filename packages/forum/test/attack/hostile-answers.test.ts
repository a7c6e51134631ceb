import { expect, test } from 'vitest'
import { failureCodes } from '../../src/failure/forum-failure.js'
import { ada, type WholeForum } from '../support/whole-forum.js'
import { readCalls, resources, writeCalls } from './every-call.js'
import { about, adminAt, type Hostile, hostileWeb, RawJson, through, worker, writing } from './hostile-web.js'

/** Of the hub's own; a result that is too large for a message is one for every worker. */
const codes = new Set<string>([...failureCodes, 'result_too_large'])

async function selected(answer: Hostile): Promise<WholeForum> {
  const web = await hostileWeb((request, response) => about(request) ?? answer(request, response))
  const whole = await worker({ config: { ...writing, auth_pairs: [adminAt(web.origin)] } })
  await through(whole, whole.select(web.origin))
  return whole
}

/** Whatever a tool answers fits its schema, and whatever it refuses has a code of the contract. */
async function expectSound(whole: WholeForum, calls = [...readCalls, ...writeCalls]): Promise<void> {
  for (const [tool, args] of calls) {
    const { isError, content, structuredContent } = await through(whole, whole.link.callTool(tool, args as never, ada))
    const [block] = content
    if (block?.type !== 'text') throw new Error(`${tool}: no text`)
    if (isError) {
      const { code, error } = JSON.parse(block.text)
      expect([tool, codes.has(code), code]).toEqual([tool, true, code])
      expect(error.length).toBeLessThan(5_000)
      expect(structuredContent).toBeUndefined()
    } else expect(JSON.parse(block.text)).toEqual(structuredContent)
  }
  for (const uri of resources) {
    await through(whole, whole.link.readResource(uri, ada)).catch((error) => {
      expect([uri, codes.has(error.data?.code), error.data?.code]).toEqual([uri, true, error.data?.code])
      expect(error.data.uri).toBe(uri)
      expect([-32_602, -32_603]).toContain(error.code)
    })
  }
  expect(whole.link.internalErrors).toEqual([])
}

const trap = { toString: null, valueOf: null, __proto__: null, constructor: null }
const deep = (levels: number) => new RawJson(`${'['.repeat(levels)}${']'.repeat(levels)}`)
const keys = [
  'id',
  'post_id',
  'topic_id',
  'post_number',
  'draft_sequence',
  'user_id',
  'title',
  'topics',
  'user',
  'post_stream',
]
const fields = [...keys, 'posts', 'stream', 'topic_list', 'user_actions', 'messages', 'meta', 'draft', 'latest_posts']
const lists = [
  'notifications',
  'categories',
  'tags',
  'drafts',
  'channels',
  'public_channels',
  'direct_message_channels',
  'groups',
]
const everything = [
  ...fields,
  ...lists,
  'success',
  'category',
  'basic_topic',
  'post',
  'url',
  'tracking',
  'per_page',
  'errors',
]

/** An object in which every name that any tool reads has that value. */
const allOf = (value: unknown) => Object.fromEntries(everything.map((key) => [key, value]))

test.each<[string, unknown]>([
  ['null', null],
  ['a list of null', [null]],
  ['nothing at all', {}],
  ['null in every place', allOf(null)],
  ['numbers as texts', allOf('7')],
  ['lists in every place', allOf([])],
  ['numbers below zero', allOf(-1)],
  ['numbers beyond all', new RawJson(JSON.stringify(allOf('#')).replaceAll('"#"', '1e400'))],
  ['objects that are no text', allOf([{ ...allOf(trap), id: trap }])],
  [
    'one in the other',
    allOf({ ...allOf([{ ...allOf(1), id: trap }]), posts: [{ id: 1, post_number: 1 }], stream: [trap, 1] }),
  ],
  ['names that every object has', JSON.parse(`{"__proto__":${JSON.stringify(allOf([1]))}}`)],
  ['half characters and NUL', allOf([{ ...allOf('\ud800\u0000'), id: 1, topic_id: 1, post_number: 1 }])],
  ['a nesting that no parser takes', deep(100_000)],
])('in place of every answer, %s', async (_, answer) => {
  await expectSound(await selected(() => answer))
})

test.each<[string, Hostile]>([
  [
    'a page with 200',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
  ],
  ['JSON that ends too early', () => new RawJson('{"topic_list":{"topics":[{"id":1,')],
  ['nothing', (_, response) => void response.writeHead(200).end()],
  ['no content', (_, response) => void response.writeHead(204).end()],
  ['bytes that are no text', (_, response) => void response.writeHead(200).end(Buffer.from([0xff, 0xfe, 0x00, 0xc0]))],
  ['a status that means nothing', (_, response) => void response.writeHead(299).end('{}')],
  ['a redirect to nowhere', (_, response) => void response.writeHead(302).end()],
  ['headers without end', (_, response) => void response.writeHead(200, { 'x-large': 'x'.repeat(60_000) }).end('{}')],
  [
    'a body that is not compressed',
    (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('{}'),
  ],
  [
    'an answer cut in the middle',
    (_, response) => void response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
  ],
])('in place of every answer, %s', async (_, hostile) => {
  await expectSound(await selected(hostile))
})

const many = (row: (index: number) => string) =>
  new RawJson(`[${Array.from({ length: 400_000 }, (_, index) => row(index)).join()}]`)
const ids = many((index) => `{"id":${index + 1}}`).text
const numbers = Array.from({ length: 500_000 }, (_, index) => index + 1_000_000).join()

test.each<[string, string, object, string]>([
  ['posts', 'discourse_get_inbox', {}, `{"latest_posts":${ids},"notifications":[]}`],
  ['notifications', 'discourse_get_inbox', {}, `{"latest_posts":[],"notifications":${ids}}`],
  ['topics', 'discourse_filter_topics', { filter: 'x', page: 3 }, `{"topic_list":{"per_page":1,"topics":${ids}}}`],
  ['found topics', 'discourse_search', { query: 'xyz' }, `{"topics":${ids}}`],
  [
    'actions',
    'discourse_list_user_posts',
    { username: 'bob' },
    `{"user_actions":${ids.replaceAll('"id"', '"topic_id"')}}`,
  ],
  ['messages', 'discourse_get_chat_messages', { channel_id: 1 }, `{"messages":${ids}}`],
  ['letters', 'discourse_list_private_messages', {}, `{"topic_list":{"topics":${ids}}}`],
  [
    'users',
    'discourse_list_users',
    {},
    ids
      .replaceAll('}', ',"username":"x"}')
      .slice(0, 8_000_000)
      .replace(/,[^,]*,[^,]*$/, ']'),
  ],
  [
    'posts that are not in their topic',
    'discourse_read_topic',
    { topic_id: 1 },
    `{"id":1,"post_stream":{"stream":[${numbers}],"posts":${many(() => '{"post_number":2}')
      .text.slice(0, 3_600_000)
      .replace(/,[^,]*$/, ']')}}}`,
  ],
])('hundreds of thousands of %s end soon', async (_, tool, args, json) => {
  const whole = await selected(() => new RawJson(json))
  const begun = performance.now()
  await expectSound(whole, [[tool, args]])
  expect(performance.now() - begun).toBeLessThan(15_000)
})

test.each(resources)('%s of eight megabytes is refused in words, or given as far as it goes', async (uri) => {
  const rows = many((index) => `{"id":${index},"draft_key":${index},"name":"n${index}"}`)
    .text.slice(0, 7_000_000)
    .replace(/,\{[^{]*$/, ']')
  const names = ['categories', 'tags', 'drafts', 'channels', 'public_channels', 'direct_message_channels', 'groups']
  const whole = await selected(({ path }) =>
    path.startsWith('/categories/')
      ? { categories: [] }
      : new RawJson(
          `{"x":1,${names.map((name) => `"${name}":${uri.includes(name) || uri.includes(name.slice(0, 8)) ? rows : '[]'}`).join()}}`,
        ),
  )
  const read = through(whole, whole.link.readResource(uri, ada))
  await read.catch((error) => expect(error.data).toMatchObject({ code: 'unexpected_response', uri }))
  expect(whole.link.internalErrors).toEqual([])
})

test('an answer that drips ends with the time of the attempt, and the next call works', async () => {
  let isSlow = true
  const whole = await selected((request, response) => {
    if (!isSlow) return { topics: [], grouped_search_result: {} }
    if (request.path.startsWith('/search')) response.writeHead(200).write('{')
    else return {}
    return undefined
  })
  whole.held = 1
  expect(await through(whole, whole.refusal('discourse_search', { query: 'slow' }))).toMatchObject({ code: 'timeout' })
  isSlow = false
  expect(await through(whole, whole.ask('discourse_search', { query: 'fast' }))).toMatchObject({ results: [] })
})

test('a title of megabytes is cut before it is kept', async () => {
  const web = await hostileWeb(
    (request) => about(request, { title: 'x'.repeat(7_000_000), version: '9'.repeat(100_000) }) ?? [],
  )
  const whole = await worker()
  expect((await whole.select(web.origin)).title.length).toBeLessThanOrEqual(300)
})

test('titles that take long to compare do not', async () => {
  const title = `${'.'.repeat(3_000_000)}x`
  const whole = await selected(({ method, path }, response) => {
    if (method === 'POST') return void response.writeHead(502).end()
    return path.startsWith('/user_actions')
      ? { user_actions: [{ topic_id: 1, title, created_at: '2099-01-01T00:00:00Z' }] }
      : {}
  })
  const begun = performance.now()
  const topic = { title: 'A title that is new', raw: 'Its first post, long enough.' }
  expect(await through(whole, whole.refusal('discourse_create_topic', topic))).toMatchObject({
    code: 'outcome_unknown',
  })
  expect(performance.now() - begun).toBeLessThan(8_000)
})
