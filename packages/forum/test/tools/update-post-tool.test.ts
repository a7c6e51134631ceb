import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { systemClock } from '@callboard/worker/clock'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ForumConfig } from '../../src/config/forum-config.js'
import { SiteClients } from '../../src/http/site-clients.js'
import { readPostTool } from '../../src/tools/read-post-tool.js'
import { updatePostTool } from '../../src/tools/update-post-tool.js'
import { keyCredential, readWith, testCall } from '../support/test-call.js'
import { silentLog } from '../support/test-store.js'
import { writeWith } from '../support/write-with.js'

let server: ForumServer
let postId: number
const before = 'Bread needs flour and water'
const after = 'Bread needs flour, water and salt'

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
  server.forum.addUser('bob')
  postId = server.forum.addTopic({ title: 'How to bake', username: 'ada', raw: before }).posts[0]!.id
})

afterEach(() => server.close())

const tool = (maxReadLength = 50_000) => updatePostTool({ config: { maxReadLength } })
const call = (username = 'ada') => testCall(server.base, { credential: keyCredential(server.keys.user(username)) })
const edit = (args: object = {}, username?: string) =>
  writeWith(tool(), { post_id: postId, raw: after, ...args }, call(username))
const stored = () => server.forum.posts.get(postId)!

it('changes the text, and tells what is stored', async () => {
  expect(await edit({ edit_reason: 'salt' })).toEqual({
    id: postId,
    topic_id: stored().topicId,
    post_number: 1,
    raw: after,
    truncated: false,
    updated_at: expect.any(String),
    edit_reason: 'salt',
    outcome: 'done',
  })
  expect(stored()).toMatchObject({ raw: after, editReason: 'salt' })
})

it('is seen by whoever reads the post again at once', async () => {
  const config = { concurrency: 4, timeoutMs: 15_000, userAgent: 'Callboard test' } as ForumConfig
  const credential = keyCredential(server.keys.user('ada'))
  const client = new SiteClients({ config, clock: systemClock, random: () => 0, log: silentLog }).for(
    server.base,
    credential,
  )
  const through = testCall(server.base, { credential, client })
  const read = () => readWith(readPostTool({ config: { maxReadLength: 50_000 } }), { post_id: postId }, through)
  expect((await read()).raw).toBe(before)
  expect((await read()).raw).toBe(before)
  expect(server.seen(/^GET/), 'the second one from the cache').toHaveLength(1)
  await writeWith(tool(), { post_id: postId, raw: after }, through)
  expect((await read()).raw).toBe(after)
})

it('replaces what was read', async () => {
  expect(await edit({ original_text: before })).toMatchObject({ raw: after, outcome: 'done' })
})

it('is a conflict where somebody was faster, and says what to do', async () => {
  stored().raw = 'Cake needs sugar'
  await expect(edit({ original_text: before })).rejects.toMatchObject({
    code: 'conflict',
    details: { status: 409, outcome: 'rejected', hint: expect.stringContaining('discourse_read_post') },
  })
  expect(stored().raw).toBe('Cake needs sugar')
})

it('tells older forums of the original by the name that they know', async () => {
  await edit({ original_text: before })
  expect(server.seen(/^PUT/)[0]!.json).toEqual({ post: { raw: after, original_text: before, raw_old: before } })
})

it.each(['cut', 'cut-body'] as const)('finds that it has happened where no answer came: %s', async (kind) => {
  server.fault({ on: /^PUT/, kind })
  expect(await edit()).toMatchObject({ id: postId, raw: after, outcome: 'done', recovered: true })
  expect(server.seen(/^PUT/)).toHaveLength(1)
})

it('finds nothing where the text is still another one', async () => {
  const input = { post_id: postId, raw: after }
  const find = (raw: string) => {
    const made = tool()
    return made.kind === 'write' ? made.find?.({ ...input, raw }, call(), Date.now(), undefined) : undefined
  }
  expect(await find(after)).toBe(undefined)
  expect(await find(`${before}\r\n`)).toMatchObject({ id: postId, raw: before })
})

it('tells why the forum refuses', async () => {
  await expect(edit({ raw: 'x' })).rejects.toMatchObject({
    code: 'rejected',
    details: { errors: [expect.stringContaining('too short')], outcome: 'rejected' },
  })
  await expect(edit({}, 'bob')).rejects.toMatchObject({ code: 'forbidden' })
  expect(stored().raw).toBe(before)
})

it('cuts what it shows', async () => {
  expect(await writeWith(tool(5), { post_id: postId, raw: after }, call())).toMatchObject({
    raw: 'Bread',
    truncated: true,
  })
  expect(stored().raw).toBe(after)
})

it('does not believe an answer about another post', async () => {
  server.fault({ on: /^PUT/, kind: 'done-then-status', status: 200, json: { post: { id: postId + 1, raw: after } } })
  expect(await edit()).toMatchObject({ id: postId, recovered: true })
})

it.each([{ raw: '' }, { post_id: 0 }, { title: 'x' }])('refuses %j', async (args) => {
  await expect(edit(args)).rejects.toThrow()
  expect(server.requests).toEqual([])
})
