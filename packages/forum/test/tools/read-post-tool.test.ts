import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readPostTool } from '../../src/tools/read-post-tool.js'
import { readWith, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
})

afterEach(() => server.close())

const read = (post_id: number, maxReadLength = 50_000) =>
  readWith(readPostTool({ config: { maxReadLength } }), { post_id }, testCall(server.base))

it('answers the post as it was written', async () => {
  const topic = server.forum.addTopic({ title: 'A short story', username: 'ada', raw: 'Once upon a time' })
  const createdAt = Date.parse('2026-03-02T12:00:00Z')
  const post = server.forum.addPost(topic.id, { username: 'ada', raw: 'The **end**', createdAt })
  expect(await read(post.id)).toEqual({
    id: post.id,
    topic_id: topic.id,
    topic_slug: 'a-short-story',
    post_number: 2,
    username: 'ada',
    created_at: '2026-03-02T12:00:00.000Z',
    raw: 'The **end**',
    truncated: false,
  })
})

it('cuts a long one between characters, and says so', async () => {
  const { posts } = server.forum.addTopic({ title: 'Faces of all', username: 'ada', raw: '🙂🙃🙂🙃' })
  expect(await read(posts[0]!.id, 3)).toMatchObject({ raw: '🙂🙃🙂', truncated: true })
  expect(await read(posts[0]!.id, 4)).toMatchObject({ raw: '🙂🙃🙂🙃', truncated: false })
})

it('is HTML where the forum keeps the source to itself', async () => {
  const json = { id: 5, topic_id: 7, post_number: 1, cooked: '<p>Hi</p>' }
  server.fault({ on: /GET \/posts\/5\.json/, kind: 'status', status: 200, json })
  expect(await read(5)).toMatchObject({ raw: '<p>Hi</p>', topic_slug: '7', username: null, created_at: null })
})

it('fails for a post that is not there, and for an answer that is no post', async () => {
  await expect(read(4_711)).rejects.toMatchObject({ code: 'not_found' })
  for (const json of [{}, [], { id: 5, post_number: 1 }, { id: 5, topic_id: 7 }, { topic_id: 7, post_number: 1 }]) {
    server.fault({ on: /GET \/posts\/5\.json/, kind: 'status', status: 200, json })
    await expect(read(5)).rejects.toMatchObject({ code: 'unexpected_response' })
  }
})
