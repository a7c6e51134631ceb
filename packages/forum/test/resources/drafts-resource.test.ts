import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { draftsResource } from '../../src/resources/drafts-resource.js'
import { keyCredential, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
})

afterEach(() => server.close())

// biome-ignore lint/suspicious/noExplicitAny: each test knows what is in it.
const read = (): Promise<any> =>
  draftsResource.read(testCall(server.base, { credential: keyCredential(server.keys.user('ada')) }))

const save = (key: string, data: object) =>
  server.forum.drafts.save(server.forum.users.get('ada'), key, 0, JSON.stringify(data))

it('shows a new topic with the title and the category in its data', async () => {
  save('new_topic', { title: 'How to bake', categoryId: 1, reply: 'Take flour', action: 'createTopic' })
  const { drafts, meta } = await read()
  expect(drafts).toEqual([
    {
      draft_key: 'new_topic',
      sequence: 0,
      title: 'How to bake',
      category_id: 1,
      created_at: expect.any(String),
      reply_preview: 'Take flour',
    },
  ])
  expect(meta).toEqual({ total: 1 })
})

it('cuts a preview at 200 characters, whatever units they have', async () => {
  save('new_topic', { reply: '🥖'.repeat(201) })
  expect((await read()).drafts[0].reply_preview).toBe(`${'🥖'.repeat(200)}...`)
  save('topic_9', { reply: '🥖'.repeat(200) })
  expect((await read()).drafts[0].reply_preview).toBe('🥖'.repeat(200))
})

it.each([0, 49, 50, 51, 130])('all arrive: %i', async (count) => {
  server.forum.drafts.perUserMax = 200
  for (let number = 1; number <= count; number += 1) save(`topic_${number}`, { reply: `Answer ${number}` })
  const { drafts, meta } = await read()
  expect(meta).toEqual({ total: count })
  expect(new Set(drafts.map(({ draft_key }: { draft_key: string }) => draft_key)).size).toBe(count)
})

it('lists a draft whose data nobody can read', async () => {
  const drafts = [
    { draft_key: 'topic_1', sequence: 3, data: '{"reply' },
    { draft_key: 'topic_2', data: '7' },
  ]
  server.fault({ on: /drafts/, kind: 'status', status: 200, json: { drafts } })
  const unknown = { title: null, category_id: null, created_at: null, reply_preview: '' }
  expect((await read()).drafts).toEqual([
    { draft_key: 'topic_1', sequence: 3, ...unknown },
    { draft_key: 'topic_2', sequence: null, ...unknown },
  ])
})

it.each([
  [403, 'forbidden'],
  [500, 'upstream_error'],
])('is an error, not empty, where the forum answers %i', async (status, code) => {
  server.fault({ on: /drafts/, kind: 'status', status, json: { errors: ['No'] } })
  await expect(read()).rejects.toMatchObject({ code })
})
