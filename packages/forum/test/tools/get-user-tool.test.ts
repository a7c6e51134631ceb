import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { getUserTool } from '../../src/tools/get-user-tool.js'
import { readWith, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
})

afterEach(() => server.close())

const get = (username: string) => readWith(getUserTool(), { username }, testCall(server.base))

const answerOnce = (json: object) => server.fault({ on: /GET \/u\//, kind: 'status', status: 200, json })

it('answers who it is', async () => {
  const { id } = server.forum.addUser('ada', {
    name: 'Ada L.',
    trustLevel: 3,
    bio: 'I *count*.',
    moderator: true,
    createdAt: Date.parse('2026-03-02T12:00:00Z'),
  })
  expect(await get('ada')).toEqual({
    id,
    username: 'ada',
    name: 'Ada L.',
    trust_level: 3,
    created_at: '2026-03-02T12:00:00.000Z',
    bio: 'I *count*.',
    bio_truncated: false,
    admin: false,
    moderator: true,
    profile_hidden: false,
  })
})

it('cuts a long bio between characters, and says so', async () => {
  server.forum.addUser('ada', { bio: '🙂'.repeat(501) })
  server.forum.addUser('bob', { bio: '🙂'.repeat(500) })
  expect(await get('ada')).toMatchObject({ bio: '🙂'.repeat(500), bio_truncated: true })
  expect(await get('bob')).toMatchObject({ bio: '🙂'.repeat(500), bio_truncated: false })
})

it('is null and false where the forum says nothing', async () => {
  answerOnce({ user: { id: -1, username: 'system' } })
  expect(await get('system')).toEqual({
    id: -1,
    username: 'system',
    name: null,
    trust_level: null,
    created_at: null,
    bio: null,
    bio_truncated: false,
    admin: false,
    moderator: false,
    profile_hidden: false,
  })
})

it('says so where the forum hides the profile', async () => {
  const { id } = server.forum.addUser('shy', { hidden: true, bio: 'Nobody needs to know.', trustLevel: 3 })
  expect(await get('shy')).toMatchObject({ id, username: 'shy', profile_hidden: true, created_at: null, bio: null })
})

it('asks for a name as it is, whatever is in it', async () => {
  answerOnce({ user: { id: 9, username: 'jürgen' } })
  await get('jürgen/../?x=#')
  expect(server.requests[0]!.path).toBe('/u/j%C3%BCrgen%2F..%2F%3Fx%3D%23.json')
})

it('fails for nobody, for a page that is no JSON and for an answer without a user', async () => {
  await expect(get('nobody')).rejects.toMatchObject({ code: 'not_found' })
  server.fault({ on: /GET \/u\//, kind: 'html', html: '<html><title>Log in</title></html>' })
  await expect(get('ada')).rejects.toMatchObject({ code: 'unexpected_response' })
  for (const json of [{}, { user: null }, { user: { username: 'ada' } }, { id: 9, username: 'ada' }]) {
    answerOnce(json)
    await expect(get('ada')).rejects.toMatchObject({ code: 'unexpected_response' })
  }
})
