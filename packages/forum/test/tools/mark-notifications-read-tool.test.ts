import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { markNotificationsReadTool } from '../../src/tools/mark-notifications-read-tool.js'
import { keyCredential, testCall } from '../support/test-call.js'
import { writeWith } from '../support/write-with.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
  server.forum.addUser('bob')
})

afterEach(() => server.close())

const call = () => testCall(server.base, { credential: keyCredential(server.keys.user('ada')) })
const mark = (args: object = {}) => writeWith(markNotificationsReadTool(), args, call())
const unread = () => server.forum.notifications.filter(({ read }) => !read).map(({ id }) => id)

it('marks one, or all of the user', async () => {
  const [first, second] = ['ada', 'ada', 'bob'].map((username) => server.forum.notify(username, { type: 2 }).id)
  expect(await mark({ notification_id: first })).toEqual({ marked: true, outcome: 'done' })
  expect(unread()).toEqual([second, 503])
  expect(await mark()).toEqual({ marked: true, outcome: 'done' })
  expect(unread()).toEqual([503])
})

it.each([{}, { notification_id: 501 }])('finds that it has happened where no answer came: %j', async (args) => {
  server.forum.notify('ada', { type: 2 })
  server.fault({ on: /^PUT/, kind: 'cut' })
  expect(await mark(args)).toEqual({ marked: true, outcome: 'done', recovered: true })
})

it.each([{}, { notification_id: 501 }])('finds nothing where they are still unread: %j', async (args) => {
  server.forum.notify('ada', { type: 2, createdAt: Date.now() - 60_000 })
  const tool = markNotificationsReadTool()
  expect(tool.kind === 'write' && (await tool.find?.(args, call(), Date.now(), undefined))).toBe(undefined)
})

it('may be called again, and marks again', () => {
  const tool = markNotificationsReadTool()
  expect(tool.kind === 'write' && tool.marks).toEqual({ destructiveHint: false, idempotentHint: true })
})

it('does not believe an answer without success', async () => {
  const { id } = server.forum.notify('ada', { type: 2 })
  server.fault({ on: /^PUT/, kind: 'done-then-status', status: 200, json: {} })
  expect(await mark({ notification_id: id })).toMatchObject({ recovered: true })
})
