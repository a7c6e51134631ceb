import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listPrivateMessagesTool } from '../../src/tools/list-private-messages-tool.js'
import { keyCredential, readWith, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('Ada')
  server.forum.addUser('bob')
})

afterEach(() => server.close())

const list = (args: object = {}) =>
  readWith(
    listPrivateMessagesTool(),
    args,
    testCall(server.base, { credential: keyCredential(server.keys.user('Ada')) }),
  )

const send = (username: string, title: string) =>
  server.forum.addTopic({ title, username, raw: 'Just for you', recipients: ['Ada', 'bob'] })

// biome-ignore lint/suspicious/noExplicitAny: an answer of the tool, which has been checked.
const titles = (answer: any): string[] => answer.messages.map(({ title }: { title: string }) => title)

it('lists the inbox of the owner of the key, whose name the forum tells', async () => {
  const { id } = send('bob', 'A secret')
  expect(await list()).toEqual({
    mailbox: 'inbox',
    username: 'Ada',
    messages: [
      {
        topic_id: id,
        slug: 'a-secret',
        title: 'A secret',
        posts_count: 1,
        created_at: expect.any(String),
        last_posted_at: expect.any(String),
        unread_posts: expect.any(Number),
      },
    ],
    meta: { page: 0, has_more: false },
  })
})

it('knows as whom an admin key acts without asking', async () => {
  send('bob', 'A secret')
  const credential = keyCredential(server.keys.adminAs('bob'))
  const answer = await readWith(listPrivateMessagesTool(), { mailbox: 'sent' }, testCall(server.base, { credential }))
  expect(answer).toMatchObject({ mailbox: 'sent', username: 'bob' })
  expect(titles(answer)).toEqual(['A secret'])
  expect(server.seen(/current/)).toEqual([])
})

it.each([
  ['inbox', ''],
  ['sent', '-sent'],
  ['archive', '-archive'],
  ['unread', '-unread'],
  ['new', '-new'],
])('finds the mailbox %s', async (mailbox, suffix) => {
  await list({ mailbox, username: 'Ada', page: 2 })
  expect(server.requests.map(({ path }) => path)).toEqual([`/topics/private-messages${suffix}/Ada.json?page=2`])
})

it.each([
  [29, [29]],
  [30, [30]],
  [31, [30, 1]],
  [60, [30, 30]],
])('gives each of %i once, and says when that was all', async (count, sizes) => {
  for (let number = 1; number <= count; number += 1) send('bob', `Letter ${number}`)
  const found: string[][] = []
  for (let isMore = true; isMore; ) {
    const answer = await list({ page: found.length })
    found.push(titles(answer))
    isMore = answer.meta.has_more
  }
  expect(found.map((page) => page.length)).toEqual(sizes)
  expect(new Set(found.flat()).size).toBe(count)
})

it('says that those of others are not for us', async () => {
  await expect(list({ username: 'bob' })).rejects.toMatchObject({ code: 'forbidden' })
})

it('asks for nothing as nobody', async () => {
  await expect(readWith(listPrivateMessagesTool(), {}, testCall(server.base))).rejects.toMatchObject({
    code: 'not_authenticated',
  })
  expect(server.requests).toEqual([])
})

it('sends a name that is no part of a path as one', async () => {
  await expect(list({ username: '../../admin?x=' })).rejects.toMatchObject({ code: 'not_found' })
  expect(server.requests.at(-1)!.path).toBe('/topics/private-messages/..%2F..%2Fadmin%3Fx%3D.json?page=0')
})

it.each([{}, { topic_list: {} }, { topic_list: { topics: [{ title: 'no id' }] } }])(
  'is an error where the forum answers %j',
  async (json) => {
    server.fault({ on: /private/, kind: 'status', status: 200, json })
    await expect(list()).rejects.toMatchObject({ code: 'unexpected_response' })
  },
)
