import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createPrivateMessageTool } from '../../src/tools/create-private-message-tool.js'
import { keyCredential, testCall } from '../support/test-call.js'
import { writeWith } from '../support/write-with.js'

let server: ForumServer
const letter = { title: 'Only for the two of you', raw: 'Meet me at the mill at noon.' }

beforeEach(async () => {
  server = await startForumServer({ village: false })
  for (const username of ['ada', 'bob', 'cleo']) server.forum.addUser(username)
  server.forum.addGroup('bakers', { members: new Set(['cleo']) })
})

afterEach(() => server.close())

const call = () => testCall(server.base, { credential: keyCredential(server.keys.user('ada')) })
const send = (args: object = { usernames: ['bob'] }) =>
  writeWith(createPrivateMessageTool(), { ...letter, ...args }, call())

it('goes to users and groups', async () => {
  const answer = await send({ usernames: ['bob'], group_names: ['bakers'] })
  const topic = server.forum.topics.get(answer.topic_id)!
  expect(answer).toEqual({
    id: topic.posts[0]!.id,
    topic_id: topic.id,
    post_number: 1,
    title: letter.title,
    outcome: 'done',
  })
  expect(topic).toMatchObject({ title: letter.title, username: 'ada' })
  expect(topic.recipients).not.toBe(null)
  expect(server.seen(/^POST/)[0]!.json).toEqual({
    ...letter,
    archetype: 'private_message',
    target_recipients: 'bob,bakers',
  })
})

it('is queued where a moderator must see it first', async () => {
  server.forum.moderate.add('ada')
  expect(await send()).toEqual({
    id: null,
    topic_id: null,
    post_number: null,
    title: letter.title,
    pending_post_id: expect.any(Number),
    pending_count: 1,
    outcome: 'queued',
  })
})

it('finds that it was sent where no answer came, and sends it once', async () => {
  server.fault({ on: /^POST/, kind: 'done-then-status', status: 502, html: '<h1>Bad gateway</h1>' })
  const answer = await send()
  expect(answer).toMatchObject({ title: letter.title, post_number: 1, outcome: 'done', recovered: true })
  expect(server.forum.topics.get(answer.topic_id)!.posts[0]!.id).toBe(answer.id)
  expect(server.seen(/^POST/)).toHaveLength(1)
})

it('finds no other letter of the same title, and none from before', async () => {
  const tool = createPrivateMessageTool()
  const find = (sentAt: number) =>
    tool.kind === 'write' ? tool.find?.({ ...letter, usernames: ['bob'] }, call(), sentAt, undefined) : undefined
  const add = (raw: string) => server.forum.addTopic({ ...letter, raw, username: 'ada', recipients: ['ada', 'bob'] })
  add('Something else entirely')
  expect(await find(Date.now())).toBe(undefined)
  const { id } = add(letter.raw)
  expect(await find(Date.now())).toMatchObject({ topic_id: id })
  expect(await find(Date.now() + 3_600_000)).toBe(undefined)
})

it('tells why the forum refuses', async () => {
  await expect(send({ usernames: ['nobody.there'] })).rejects.toMatchObject({
    code: 'rejected',
    details: { status: 422, outcome: 'rejected' },
  })
})

it.each([{}, { usernames: [] }, { usernames: [], group_names: [] }])('needs somebody to go to: %j', async (args) => {
  await expect(send(args)).rejects.toMatchObject({ code: 'invalid_arguments' })
  expect(server.requests).toEqual([])
})

it.each([{ usernames: ['bob,cleo'] }, { usernames: ['bob cleo'] }, { group_names: [''] }])(
  'takes no two names for one: %j',
  async (args) => {
    await expect(send(args)).rejects.toThrow()
    expect(server.requests).toEqual([])
  },
)
