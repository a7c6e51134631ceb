import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { getChatMessagesTool } from '../../src/tools/get-chat-messages-tool.js'
import { keyCredential, readWith, testCall } from '../support/test-call.js'

let server: ForumServer
let channelId: number

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
  channelId = server.forum.addChannel('Tea room').id
})

afterEach(() => server.close())

const start = Date.parse('2026-03-02T12:00:00Z')

/** A minute apart, `Message 1` the oldest. Their ids. */
const addMessages = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const createdAt = start + index * 60_000
    return server.forum.addMessage(channelId, { username: 'ada', message: `Message ${index + 1}`, createdAt }).id
  })

const read = (args: object = {}, maxReadLength = 50_000) =>
  readWith(
    getChatMessagesTool({ config: { maxReadLength } }),
    { channel_id: channelId, ...args },
    testCall(server.base, { credential: keyCredential(server.keys.user('ada')) }),
  )

const answerOnce = (json: object) => server.fault({ on: /chat\/api/, kind: 'status', status: 200, json })

// biome-ignore lint/suspicious/noExplicitAny: an answer of the tool, which has been checked.
const ids = (answer: any): number[] => answer.messages.map((message: { id: number }) => message.id)

it('answers the newest messages, the oldest of them first', async () => {
  const sent = addMessages(60)
  const answer = await read()
  expect(ids(answer)).toEqual(sent.slice(10))
  expect(answer.messages[0]).toEqual({
    id: sent[10],
    username: 'ada',
    created_at: '2026-03-02T12:10:00.000Z',
    message: 'Message 11',
    edited: false,
    thread_id: null,
    in_reply_to_id: null,
  })
  expect(answer).toMatchObject({ channel_id: channelId, meta: { returned: 50, can_load_more_past: true } })
})

it('keeps null where the forum has not looked', async () => {
  answerOnce({ messages: [], meta: { target_message_id: null, can_load_more_past: true, can_load_more_future: null } })
  expect((await read()).meta).toEqual({
    returned: 0,
    can_load_more_past: true,
    can_load_more_future: null,
    target_message_id: null,
  })
  answerOnce({ messages: [], meta: { target_message_id: 51, can_load_more_past: null, can_load_more_future: false } })
  expect((await read()).meta).toEqual({
    returned: 0,
    can_load_more_past: null,
    can_load_more_future: false,
    target_message_id: 51,
  })
})

it('answers what is known of a message', async () => {
  const message = {
    id: 51,
    message: 'hi',
    created_at: '2026-03-02T12:00:00.000Z',
    user: { username: 'bob' },
    edited: true,
    thread_id: 77,
    in_reply_to: { id: 50 },
  }
  answerOnce({ messages: [message, { id: 52, user: null }], meta: {} })
  expect((await read()).messages).toEqual([
    {
      id: 51,
      username: 'bob',
      created_at: '2026-03-02T12:00:00.000Z',
      message: 'hi',
      edited: true,
      thread_id: 77,
      in_reply_to_id: 50,
    },
    { id: 52, username: null, created_at: null, message: '', edited: false, thread_id: null, in_reply_to_id: null },
  ])
})

it('cuts a long message between characters, and says so', async () => {
  for (const message of ['🙂🙃🙂', '🙂🙃🙂🙃']) server.forum.addMessage(channelId, { username: 'ada', message })
  const { messages } = await read({}, 3)
  expect(messages[0]).toMatchObject({ message: '🙂🙃🙂' })
  expect(messages[0]).not.toHaveProperty('truncated')
  expect(messages[1]).toMatchObject({ message: '🙂🙃🙂', truncated: true })
})

describe('page by page', () => {
  it('reaches each message once on the way to the oldest one', async () => {
    const sent = addMessages(95)
    let answer = await read({ page_size: 20 })
    const found = ids(answer)
    while (answer.meta.can_load_more_past) {
      answer = await read({ page_size: 20, target_message_id: found[0], direction: 'past' })
      found.unshift(...ids(answer))
    }
    expect(found).toEqual(sent)
  })

  it('reaches each message once on the way to the newest one', async () => {
    const sent = addMessages(95)
    const found = [sent[0]!]
    let isMore = true
    while (isMore) {
      const answer = await read({ page_size: 20, target_message_id: found.at(-1), direction: 'future' })
      found.push(...ids(answer))
      isMore = answer.meta.can_load_more_future
    }
    expect(found).toEqual(sent)
  })

  it('starts around a message or a time', async () => {
    const sent = addMessages(95)
    expect(ids(await read({ page_size: 10, target_message_id: sent[40] }))).toContain(sent[40])
    expect(ids(await read({ page_size: 10, target_date: '2026-03-02T12:40:00Z' }))).toContain(sent[40])
  })
})

it('asks by the names that it is asked by', async () => {
  const query = async (args: object) => {
    answerOnce({ messages: [], meta: {} })
    await read(args)
    const { path } = server.requests.at(-1)!
    return [path.split('?')[0], Object.fromEntries(new URLSearchParams(path.split('?')[1]))]
  }
  const path = `/chat/api/channels/${channelId}/messages`
  expect(await query({})).toEqual([path, { page_size: '50' }])
  expect(await query({ page_size: 5, target_message_id: 51, direction: 'past' })).toEqual([
    path,
    { page_size: '5', target_message_id: '51', direction: 'past' },
  ])
  const date = '2026-03-02T13:00:00+01:00'
  expect(await query({ target_date: date })).toEqual([path, { page_size: '50', target_date: date }])
})

describe('failures', () => {
  it.each([
    { target_date: 'yesterday' },
    { target_date: '2026-03-02' },
    { target_date: '2026-03-02T12:00:00' },
    { target_date: '2026-02-30T12:00:00Z' },
    { direction: 'up' },
    { page_size: 51 },
    { target_message_id: 0 },
    { limit: 5 },
  ])('are arguments like %j', async (args) => {
    await expect(read(args)).rejects.toThrow()
    expect(server.requests).toEqual([])
  })

  it('are two targets: the forum would take one of them only', async () => {
    await expect(read({ target_message_id: 51, target_date: '2026-03-02T12:00:00Z' })).rejects.toMatchObject({
      code: 'invalid_arguments',
      details: { issues: [{ path: 'target_date', message: expect.stringMatching(/target_message_id/) }] },
    })
    expect(server.requests).toEqual([])
  })

  it('are a forum without chat and a channel that is not there', async () => {
    await using quiet = await startForumServer({ village: false, chat: false })
    const reading = readWith(
      getChatMessagesTool({ config: { maxReadLength: 50_000 } }),
      { channel_id: 1 },
      testCall(quiet.base),
    )
    await expect(reading).rejects.toMatchObject({
      code: 'not_found',
      details: { hint: expect.stringMatching(/no chat/) },
    })
    await expect(read({ channel_id: 4_711 })).rejects.toMatchObject({ code: 'not_found' })
  })

  it.each([{}, [], { messages: [{ message: 'hi' }] }])('are answers without messages: %j', async (json) => {
    answerOnce(json)
    await expect(read()).rejects.toMatchObject({ code: 'unexpected_response' })
  })
})
