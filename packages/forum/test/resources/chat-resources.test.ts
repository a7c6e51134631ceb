import { type ForumServer, startForumServer } from '@callboard/forum/demo'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chatChannelsResource } from '../../src/resources/chat-channels-resource.js'
import type { ForumResource } from '../../src/resources/forum-resource.js'
import { userChatChannelsResource } from '../../src/resources/user-chat-channels-resource.js'
import { keyCredential, testCall } from '../support/test-call.js'

let server: ForumServer

beforeEach(async () => {
  server = await startForumServer({ village: false })
  server.forum.addUser('ada')
  server.forum.addUser('bob')
})

afterEach(() => server.close())

// biome-ignore lint/suspicious/noExplicitAny: each test knows what is in it.
function readAs(username: string, resource: ForumResource): Promise<any> {
  return resource.read(testCall(server.base, { credential: keyCredential(server.keys.user(username)) }))
}

describe('chat channels', () => {
  it.each([0, 1, 24, 25, 26, 50, 60])('all arrive: %i', async (count) => {
    for (let number = 1; number <= count; number += 1) server.forum.addChannel(`Channel ${number}`)
    const { channels, meta } = await readAs('ada', chatChannelsResource)
    expect(meta).toEqual({ total: count })
    expect(channels.map(({ title }: { title: string }) => title)).toEqual(
      Array.from({ length: count }, (_, index) => `Channel ${index + 1}`),
    )
    // The address of a next page is always there.
    expect(server.seen(/chat/)).toHaveLength(Math.floor(count / 25) + 1)
  })

  it('have what one must know to choose', async () => {
    const { id } = server.forum.addChannel('Old Mill', {
      description: 'Flour and such',
      status: 'closed',
      members: ['ada', 'bob'],
    })
    expect((await readAs('ada', chatChannelsResource)).channels).toEqual([
      { id, title: 'Old Mill', slug: 'old-mill', status: 'closed', members_count: 2, description: 'Flour and such' },
    ])
  })
})

describe('the channels of a user', () => {
  it('are the public ones and the direct messages, with what is unread', async () => {
    const mill = server.forum.addChannel('Mill', { members: ['ada', 'bob'] })
    server.forum.addChannel('Elsewhere', { members: ['bob'] })
    const direct = server.forum.addChannel('bob', { kind: 'dm', members: ['ada', 'bob'] })
    server.forum.addMessage(mill.id, { username: 'bob', message: 'Good morning @ada' })
    server.forum.addMessage(mill.id, { username: 'bob', message: 'Anybody here?' })
    expect(await readAs('ada', userChatChannelsResource)).toEqual({
      public_channels: [
        { id: mill.id, title: 'Mill', slug: 'mill', status: 'open', unread_count: 2, mention_count: 1 },
      ],
      dm_channels: [{ id: direct.id, title: 'bob', slug: null, status: 'open', unread_count: 0, mention_count: 0 }],
      meta: { total: 2 },
    })
  })

  it('are an error where one of the two lists is missing', async () => {
    server.fault({ on: /me\/channels/, kind: 'status', status: 200, json: { public_channels: [] } })
    await expect(readAs('ada', userChatChannelsResource)).rejects.toMatchObject({ code: 'unexpected_response' })
  })
})

it.each([
  ['channels', chatChannelsResource],
  ['the channels of a user', userChatChannelsResource],
])('without chat, %s are an error that says so', async (_, resource) => {
  server.setting.chat = false
  await expect(readAs('ada', resource)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('no chat'),
    details: { status: 404 },
  })
})
