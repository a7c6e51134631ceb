import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ForumServer, startForumServer } from '../../src/demo/index.js'
import { type Answer, ada, bob, openWholeForum, type WholeForum } from '../support/whole-forum.js'
import { resources } from './resource-contract.js'
import { misfits, shapeOf } from './shape.js'
import { contract, reading, type ToolContract, writing } from './tool-contract.js'

// A forum with an admin's key for it, and one without.
let server: ForumServer
let other: ForumServer
let whole: WholeForum

beforeAll(async () => {
  const tool = { name: 'weather', answer: () => ({ result: { sky: 'grey' } }) }
  server = await startForumServer({ aiTools: { tools: [tool] } })
  other = await startForumServer({ title: 'Elsewhere' })
  whole = await openWholeForum({ config: writingTo(server) })
  await whole.select(server.base)
})
afterAll(async () => {
  await whole[Symbol.asyncDispose]()
  await Promise.all([server.close(), other.close()])
})

const writingTo = ({ base, keys }: ForumServer) => {
  const { key } = keys.adminAs('ada')
  return {
    allow_writes: true,
    read_only: false,
    auth_pairs: [{ site: base, api_key: key, api_username: 'mayor' }],
  }
}

const tools = Object.entries(contract)
const sorted = (names: readonly string[]) => [...names].sort()
// biome-ignore lint/suspicious/noExplicitAny: a JSON schema, looked into.
const definitionOf = (name: string): any => whole.link.definitions.tools?.find((tool) => tool.name === name)

describe('each tool as it is announced', () => {
  it('is one of these', () => {
    expect(sorted((whole.link.definitions.tools ?? []).map(({ name }) => name))).toEqual(sorted(Object.keys(contract)))
  })

  it.each(tools)('%s has a title, its words, and all four marks', (name, { marks }) => {
    const { title, description, annotations } = definitionOf(name)
    expect(title).toMatch(/^[A-Z]/)
    expect(description.length).toBeGreaterThan(40)
    expect(annotations).toEqual({
      title,
      readOnlyHint: marks.includes('R'),
      destructiveHint: marks.includes('D'),
      idempotentHint: marks.includes('I'),
      openWorldHint: marks.includes('O'),
    })
  })

  it.each(tools)('%s takes its parameters and no others', (name, { parameters }) => {
    const { type, properties = {}, required = [], additionalProperties } = definitionOf(name).inputSchema
    expect({ type, additionalProperties }).toEqual({ type: 'object', additionalProperties: false })
    expect(sorted(Object.keys(properties))).toEqual(sorted(Object.keys(parameters)))
    expect(sorted(required)).toEqual(sorted(Object.keys(parameters).filter((key) => parameters[key]!.isRequired)))
    for (const [key, { schema }] of Object.entries(parameters)) {
      expect(properties[key], key).toMatchObject(schema)
      expect(properties[key].description, key).toMatch(/\w/)
      if (!('default' in schema)) expect(properties[key], key).not.toHaveProperty('default')
    }
  })

  it.each(tools)('%s answers with its keys and no others, at any depth', (name, { answer }) => {
    expect(shapeOf(definitionOf(name).outputSchema)).toEqual(answer)
  })
})

describe('listed are', () => {
  const remote = 'remote_weather'
  const always = ['discourse_select_site', ...Object.keys(reading)]

  it('the reading tools, until a forum is selected and where there is no key', async () => {
    const who = { session: 'nobody-yet' }
    expect(sorted(whole.toolsOf(who))).toEqual(sorted(always))
    await whole.select(other.base, bob)
    expect(sorted(whole.toolsOf(bob))).toEqual(sorted(always))
  })

  it('the writing tools too where there is a key for the very forum, and its own tools', () => {
    expect(sorted(whole.toolsOf(ada))).toEqual(sorted([...Object.keys(contract), remote]))
  })

  it.each([{ read_only: true }, { allow_writes: false }, { remote_tools_need_writes: true, read_only: true }])(
    'no writing tools with %j',
    async (off) => {
      await using quiet = await openWholeForum({ config: { ...writingTo(server), ...off } })
      await quiet.select(server.base)
      const own = 'remote_tools_need_writes' in off ? [] : [remote]
      expect(sorted(quiet.toolsOf(ada))).toEqual(sorted([...always, ...own]))
    },
  )

  it('with one forum for all: everything but the choice of another one, from the start', async () => {
    await using tethered = await openWholeForum({ config: { ...writingTo(server), site: server.base } })
    const expected = [...Object.keys(reading), ...Object.keys(writing), remote]
    expect(sorted(tethered.toolsOf({ session: 'anybody' }))).toEqual(sorted(expected))
    await using readable = await openWholeForum({ config: { site: other.base } })
    expect(sorted(readable.toolsOf({ session: 'anybody' }))).toEqual(sorted(Object.keys(reading)))
  })
})

describe('refused are, as JSON with the place of what is wrong', () => {
  it.each(tools)('%s: a parameter that there is not', async (name) => {
    expect(await whole.refusal(name, { nonsense: 1 })).toMatchObject({
      code: 'invalid_arguments',
      error: expect.stringContaining('nonsense'),
    })
  })

  const cases = tools.flatMap(([name, { parameters }]) =>
    Object.entries(parameters).flatMap(([key, { refused, isRequired }]) =>
      [...refused, ...(isRequired ? [undefined] : [])].map((value) => ({ name, key, value })),
    ),
  )
  it('every value that a parameter may not have', async () => {
    for (const { name, key, value } of cases) {
      const what = `${name} ${key} ${JSON.stringify(value)?.slice(0, 50)}`
      const error = await whole.refusal(name, value === undefined ? {} : { [key]: value })
      expect(error.code, what).toBe('invalid_arguments')
      expect(error.error, what).toContain(key)
      // An address can be a text and still be none.
      const paths = error.issues.map(({ path }: { path: string }) => path.split(/[.[]/)[0])
      expect(paths, what).toContain(key)
      expect(JSON.stringify(error).length, what).toBeLessThan(4_000)
    }
    expect(server.seen(/^(POST|PUT|DELETE) /)).toEqual([])
  })
})

describe('the forum is answered for', () => {
  const given = (): { readonly [tool: string]: object } => {
    const topic = server.forum.addTopic({
      ...{ title: 'Where to meet', username: 'ada', category: 'General', tags: ['event'], raw: 'At the well.' },
    })
    for (let more = 0; more < 6; more += 1) server.forum.addPost(topic.id, { username: 'bob', raw: 'At the mill.' })
    const letter = server.forum.addTopic({
      ...{ title: 'A letter to the mayor', username: 'ada', raw: 'Good morning.', recipients: ['mayor'] },
    })
    server.forum.notify('mayor', { type: 6, topicId: letter.id, postNumber: 1 })
    const mayor = server.forum.users.get('mayor')
    const draft = JSON.stringify({ reply: 'Soon', action: 'reply', title: 'T', categoryId: 1, tags: ['event'] })
    server.forum.drafts.save(mayor, 'topic_77', 0, draft)
    server.forum.addChannel('a, mayor', { kind: 'dm', members: ['ada', 'mayor'] })
    const raw = 'Said in other words.'
    return {
      discourse_select_site: { site: server.base },
      discourse_search: { query: 'well' },
      discourse_filter_topics: { filter: 'order:activity' },
      discourse_read_topic: { topic_id: topic.id },
      discourse_read_post: { post_id: topic.posts[0]!.id },
      discourse_get_user: { username: 'ada' },
      discourse_list_user_posts: { username: 'bob' },
      discourse_get_chat_messages: { channel_id: 1 },
      discourse_get_draft: { draft_key: 'topic_77', sequence: 0 },
      discourse_list_private_messages: {},
      discourse_create_post: { topic_id: topic.id, raw: 'By the bridge, then.' },
      discourse_create_topic: { title: 'Who brings bread', raw: 'I bring butter.', category_id: 1, tags: ['event'] },
      discourse_create_category: { name: 'Bread' },
      discourse_create_user: {
        ...{ username: 'fern', email: 'fern@example.com', name: 'Fern', password: 'a long enough one' },
      },
      discourse_save_draft: { draft_key: 'topic_78', reply: 'Not yet finished' },
      discourse_delete_draft: { draft_key: 'topic_77', sequence: 0 },
      discourse_update_post: { post_id: topic.posts[0]!.id, raw, edit_reason: 'clearer' },
      discourse_update_topic: { topic_id: topic.id, title: 'Where we meet', tags: ['event'] },
      discourse_upload_file: { image_data: Buffer.from('text').toString('base64'), filename: 'a.png' },
      discourse_create_private_message: { title: 'To Ada alone', raw: 'Come at eight.', usernames: ['ada'] },
    }
  }
  let args: ReturnType<typeof given>
  beforeAll(() => {
    args = given()
  })

  const ask = async (name: string): Promise<Answer> => {
    const answer = whole.ask(name, args[name] ?? {})
    await whole.pass(1_000)
    return answer
  }
  const withMarks = ({ isGated }: ToolContract, answer: Answer) => (isGated ? answer.outcome : undefined)

  it.each(tools)('by %s with all of its keys, at any depth', async (name, tool) => {
    const answer = await ask(name)
    expect(misfits(tool.answer, answer)).toEqual([])
    expect(withMarks(tool, answer)).toBe(tool.isGated ? 'done' : undefined)
  })

  it.each(Object.entries(resources))('by %s with all of its keys, at any depth', async (uri, shape) => {
    const document = await whole.read(uri)
    expect(misfits(shape, document)).toEqual([])
    const { meta, ...lists } = document
    expect(meta.total).toBe(Object.values(lists).flat().length)
  })

  it('by a tool of its own, which is marked as one that may do anything', async () => {
    const definition = whole.link.toolsOf(ada.session!).find(({ name }) => name === 'remote_weather')!
    expect(definition.annotations).toEqual({
      ...{ title: 'weather', readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    })
    const answer = whole.ask('remote_weather')
    await whole.pass(1_000)
    expect(await answer).toEqual({ result: { sky: 'grey' }, artifacts: [], outcome: 'done' })
  })
})

describe('the resources', () => {
  it('are these six, as JSON', () => {
    const announced = (whole.link.definitions.resources ?? []).map(({ uri, mimeType }) => [uri, mimeType])
    expect(announced).toEqual(Object.keys(resources).map((uri) => [uri, 'application/json']))
  })
})
