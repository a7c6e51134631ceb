import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { updateTopicTool } from '../../src/tools/update-topic-tool.js'
import { keyCredential, testCall } from '../support/test-call.js'
import { writeWith } from '../support/write-with.js'

let server: ForumServer
let topicId: number

async function start(options: { readonly tagIds?: 'names' | 'numbers' } = {}): Promise<void> {
  server = await startForumServer({ village: false, ...options })
  server.forum.addUser('ada')
  topicId = server.forum.addTopic({ title: 'How to bake', username: 'ada', raw: 'Take flour', tags: ['bread'] }).id
}

beforeEach(() => start())
afterEach(() => server.close())

const change = (args: object, version = '2026.9.0') =>
  writeWith(
    updateTopicTool(),
    { topic_id: topicId, ...args },
    testCall(server.base, { credential: keyCredential(server.keys.admin), selection: { version } }),
  )
const stored = () => server.forum.topics.get(topicId)!

it('changes title, category and tags, and tells what is there then', async () => {
  const { id } = server.forum.addCategory('Kitchen')
  expect(await change({ title: 'How to bake bread', category_id: id, tags: ['bread', 'oven'] })).toEqual({
    topic_id: topicId,
    updated_fields: ['title', 'category_id', 'tags'],
    topic: {
      id: topicId,
      title: 'How to bake bread',
      slug: 'how-to-bake-bread',
      category_id: id,
      tags: ['bread', 'oven'],
    },
    outcome: 'done',
  })
  expect(stored()).toMatchObject({ title: 'How to bake bread', categoryId: id, tags: ['bread', 'oven'] })
})

it('leaves alone what is absent', async () => {
  expect(await change({ title: 'How to bake bread' })).toMatchObject({
    updated_fields: ['title'],
    topic: { title: 'How to bake bread', tags: ['bread'] },
  })
  expect(server.seen(/^PUT/)[0]!.json).toEqual({ title: 'How to bake bread' })
})

it('takes all tags away', async () => {
  expect(await change({ tags: [] })).toMatchObject({ topic: { tags: [] } })
  expect(stored().tags).toEqual([])
})

it('sends tags with their ids, the originals too', async () => {
  const bread = server.forum.boards.tag('bread').id
  await change({ tags: ['bread', 'oven'], original_tags: ['bread'] })
  expect(server.seen(/^PUT/)[0]!.json).toEqual({
    tags: [{ id: bread, name: 'bread' }, { name: 'oven' }],
    original_tags: [{ id: bread, name: 'bread' }],
  })
})

it('sends names to an older forum', async () => {
  await server.close()
  await start({ tagIds: 'names' })
  expect(await change({ tags: ['oven'], original_tags: ['bread'] }, '3.4.0')).toMatchObject({
    topic: { tags: ['oven'] },
  })
  expect(server.seen(/^PUT/)[0]!.json).toEqual({ tags: ['oven'], original_tags: ['bread'] })
})

it.each([{ original_title: 'How to fry' }, { original_tags: ['pan'] }])(
  'is a conflict where somebody was faster: %j',
  async (original) => {
    await expect(change({ title: 'How to bake bread', ...original })).rejects.toMatchObject({
      code: 'conflict',
      details: { status: 409, outcome: 'rejected', hint: expect.stringContaining('discourse_read_topic') },
    })
    expect(stored().title).toBe('How to bake')
  },
)

it('replaces what was read', async () => {
  const read = { original_title: 'How to bake', original_tags: ['bread'] }
  expect(await change({ title: 'How to bake bread', ...read })).toMatchObject({ outcome: 'done' })
})

it('finds that it has happened where no answer came', async () => {
  server.fault({ on: /^PUT/, kind: 'cut' })
  expect(await change({ title: 'How to bake bread', tags: ['Oven'] })).toMatchObject({
    topic: { title: 'How to bake bread' },
    outcome: 'done',
    recovered: true,
  })
  expect(server.seen(/^PUT/)).toHaveLength(1)
})

it.each([
  [{ title: 'How to bake' }, true],
  [{ title: ' how to  BAKE.' }, true],
  [{ title: 'How to fry' }, false],
  [{ tags: ['bread'] }, true],
  [{ tags: ['bread', 'oven'] }, false],
  [{ tags: [] }, false],
  [{ category_id: 1 }, true],
  [{ title: 'How to bake', category_id: 77 }, false],
])('looks whether %j is there: %s', async (changes, isThere) => {
  const tool = updateTopicTool()
  const call = testCall(server.base)
  const found = tool.kind === 'write' && (await tool.find?.({ topic_id: topicId, ...changes }, call, 0, undefined))
  expect(found !== undefined).toBe(isThere)
})

it('has happened also where the topic can not be read afterwards', async () => {
  server.fault({ on: /^GET \/t\//, kind: 'status', status: 500, html: '<h1>Oops</h1>', times: 9 })
  expect(await change({ title: 'How to bake bread' })).toMatchObject({
    topic: { id: topicId, title: 'How to bake bread', slug: 'how-to-bake-bread', category_id: null, tags: null },
    outcome: 'done',
  })
})

it('sends nothing where nothing is to be changed', async () => {
  await expect(change({ original_title: 'How to bake' })).rejects.toMatchObject({
    code: 'invalid_arguments',
    details: { issues: expect.arrayContaining([{ path: 'tags', message: expect.any(String) }]) },
  })
  expect(server.requests).toEqual([])
})
