import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listUsersTool } from '../../src/tools/list-users-tool.js'
import { keyCredential, readWith, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
})

afterEach(() => server.close())

const list = (args: object = {}) =>
  readWith(listUsersTool(), args, testCall(server.base, { credential: keyCredential(server.keys.admin) }))

// biome-ignore lint/suspicious/noExplicitAny: an answer of the tool, which has been checked.
const names = (answer: any): string[] => answer.users.map(({ username }: { username: string }) => username)

it('shows what an administrator sees, and no addresses', async () => {
  const { id } = server.forum.addUser('ada', { name: 'Ada', trustLevel: 3, silenced: true })
  expect((await list({ filter: 'ada' })).users).toEqual([
    {
      id,
      username: 'ada',
      name: 'Ada',
      email: null,
      trust_level: 3,
      created_at: expect.any(String),
      last_seen_at: expect.any(String),
      admin: false,
      moderator: false,
      suspended: false,
      silenced: true,
    },
  ])
})

it('shows addresses to who asks for them', async () => {
  server.forum.addUser('ada')
  expect((await list({ show_emails: true })).users[0].email).toBe('ada@village.invalid')
  expect(server.seen(/admin/)[0]!.path).toContain('show_emails=true')
})

it('lists the staff, system users too, whose ids are below zero', async () => {
  expect((await list({ query: 'staff' })).users).toContainEqual(expect.objectContaining({ id: -1, username: 'system' }))
})

it('finds, and sorts either way', async () => {
  for (const username of ['cleo', 'adam', 'ada', 'bob']) server.forum.addUser(username)
  expect(names(await list({ filter: 'ada', order: 'username', asc: true }))).toEqual(['ada', 'adam'])
  expect(names(await list({ filter: 'ada', order: 'username' }))).toEqual(['adam', 'ada'])
})

it.each([
  [99, [99]],
  [100, [100]],
  [101, [100, 1]],
  [200, [100, 100]],
  [250, [100, 100, 50]],
])('gives each of %i once, a hundred a page', async (count, sizes) => {
  const people = server.forum.users.all.filter(({ bot }) => !bot).length
  for (let number = people + 1; number <= count; number += 1) server.forum.addUser(`user${number}`)
  const found: string[][] = []
  for (let isMore = true; isMore; ) {
    const answer = await list({ page: found.length })
    expect(answer.meta).toMatchObject({ page: found.length, limit: 100 })
    found.push(names(answer))
    isMore = answer.meta.has_more
  }
  expect(found.map((page) => page.length)).toEqual(sizes)
  expect(new Set(found.flat()).size).toBe(count)
})

it('tells a user who is no admin why nothing is found', async () => {
  server.forum.addUser('ada')
  const call = testCall(server.base, { credential: keyCredential(server.keys.user('ada')) })
  await expect(readWith(listUsersTool(), {}, call)).rejects.toMatchObject({
    code: 'not_found',
    details: { hint: expect.stringContaining('admin') },
  })
})

it('asks for nothing as nobody', async () => {
  await expect(readWith(listUsersTool(), {}, testCall(server.base))).rejects.toMatchObject({
    code: 'not_authenticated',
  })
  expect(server.requests).toEqual([])
})

it.each([{ users: [] }, [{ name: 'nobody' }]])('is an error where the forum answers %j', async (json) => {
  server.fault({ on: /admin/, kind: 'status', status: 200, json })
  await expect(list()).rejects.toMatchObject({ code: 'unexpected_response' })
})

it.each([{ query: 'all' }, { page: -1 }, { order: 'a b' }, { limit: 3 }])('refuses %j', async (args) => {
  await expect(list(args)).rejects.toThrow()
  expect(server.requests).toEqual([])
})
