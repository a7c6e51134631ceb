import { expect, it } from 'vitest'
import { createPostTool } from '../../src/tools/create-post-tool.js'
import { keyCredential } from '../support/test-call.js'
import { openWriteRig } from '../support/write-rig.js'

const tool = createPostTool()
const raw = 'I will come with a box.'

async function setUp() {
  const rig = await openWriteRig()
  const topic = rig.server.forum.addTopic({ title: 'Bees in the mill', username: 'bob', raw: 'There are bees.' })
  return { rig, topic, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() }
}

it('replies', async () => {
  await using site = await setUp()
  const { rig, topic } = site
  const answer = await rig.write(tool, { topic_id: topic.id, raw, reply_to_post_number: 1 })
  const post = topic.posts[1]!
  expect(post).toMatchObject({ raw, username: 'ada' })
  expect(answer).toEqual({ id: post.id, topic_id: topic.id, post_number: 2, username: 'ada', outcome: 'done' })
  expect(rig.server.seen(/^POST/)[0]!.json).toEqual({ topic_id: topic.id, raw, reply_to_post_number: 1 })
})

it('tells of a post that is held for moderation', async () => {
  await using site = await setUp()
  const { rig, topic } = site
  rig.server.forum.moderate.add('ada')
  const answer = await rig.write(tool, { topic_id: topic.id, raw })
  expect(answer).toEqual({
    id: null,
    topic_id: topic.id,
    post_number: null,
    outcome: 'queued',
    pending_post_id: rig.server.forum.pending[0]!.id,
    pending_count: 1,
  })
  expect(await rig.write(tool, { topic_id: topic.id, raw })).toEqual({ ...answer, duplicate: true })
})

it('posts as another user with an admin key', async () => {
  await using site = await setUp()
  const { rig, topic } = site
  const answer = await rig.write(tool, { topic_id: topic.id, raw, author_username: 'bob' })
  expect(answer).toMatchObject({ username: 'bob' })
  expect(topic.posts[1]!.username).toBe('bob')
})

it('refuses another user with a user’s own key, before anything is sent', async () => {
  await using site = await setUp()
  const { rig, topic } = site
  const credential = keyCredential(rig.server.keys.user('ada'))
  const args = { topic_id: topic.id, raw, author_username: 'bob' }
  expect(await rig.refusal(tool, args, { credential })).toMatchObject({
    code: 'invalid_arguments',
    details: { outcome: 'rejected', issues: [{ path: 'author_username' }] },
  })
  expect(rig.server.requests).toEqual([])
})

it('finds a reply that was lost, also that of a user’s own key, behind many others', async () => {
  await using site = await setUp()
  const { rig, topic } = site
  rig.server.forum.addPosts(topic.id, 60)
  const credential = keyCredential(rig.server.keys.user('ada'))
  rig.server.fault({ on: /^POST/, kind: 'hold' })
  const answer = rig.begin(tool, { topic_id: topic.id, raw: `${raw}\r\nAnd a veil.\n` }, { credential })
  await rig.server.arrived(/^POST/)
  rig.held = 1
  await rig.pass(1000)
  const mine = topic.posts.at(-1)!
  rig.server.forum.addPosts(topic.id, 10)
  rig.server.fault({ on: /^GET/, kind: 'status', status: 502 })
  // Then nobody waits for the answer to the first request any more.
  await rig.pass(14_000)
  rig.held = 0
  await rig.pass(5000)
  expect(await answer).toMatchObject({ id: mine.id, post_number: 62, recovered: true })
})

it('finds the reply of the one as whom it was written', async () => {
  await using site = await setUp()
  const { rig, topic } = site
  rig.server.fault({ on: /^POST/, kind: 'cut' })
  const answer = await rig.write(tool, { topic_id: topic.id, raw, author_username: 'bob' })
  expect(answer).toMatchObject({ id: topic.posts[1]!.id, username: 'bob', recovered: true })
})

it('takes no answer without an id for a success', async () => {
  await using site = await setUp()
  const { rig, topic } = site
  rig.server.fault({ on: /^POST/, kind: 'status', status: 200, json: { success: true } })
  expect(await rig.refusal(tool, { topic_id: topic.id, raw })).toMatchObject({ code: 'outcome_unknown' })
})
