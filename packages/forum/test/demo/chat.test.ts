import { describe, expect, it } from 'vitest'
import { openForum } from './support/forum-client.js'

async function forumWithChat(messages: number) {
  const opened = await openForum()
  opened.forum.addUser('ada')
  opened.forum.addUser('bob')
  const channel = opened.forum.addChannel('Square', { members: ['ada'] })
  for (let index = 1; index <= messages; index++) {
    opened.clock.advance(1_000)
    opened.forum.addMessage(channel.id, { username: 'bob', message: `Message ${index}` })
  }
  const ids = channel.messages.map(({ id }) => id)
  const page = async (query = '') => {
    const { json } = await opened.user('ada').get(`/chat/api/channels/${channel.id}/messages${query}`)
    const { can_load_more_past: past, can_load_more_future: future } = json.meta
    return { ids: json.messages.map(({ id }: { readonly id: number }) => id), past, future }
  }
  return { ...opened, channel, ids, page }
}

describe('messages of a channel', () => {
  it('are the newest, oldest first', async () => {
    const { ids, page } = await forumWithChat(60)
    expect(await page()).toEqual({ ids: ids.slice(10), past: true, future: false })
    expect(await page('?page_size=5')).toEqual({ ids: ids.slice(55), past: true, future: false })
  })

  it('tell of one direction only whether there are more in it; a full page counts as one with more behind it', async () => {
    const { ids, page } = await forumWithChat(10)
    const from = (target: number, direction: string) =>
      page(`?page_size=5&target_message_id=${target}&direction=${direction}`)
    expect(await from(ids[5]!, 'past')).toEqual({ ids: ids.slice(0, 5), past: true, future: null })
    expect(await from(ids[4]!, 'past')).toEqual({ ids: ids.slice(0, 4), past: false, future: null })
    expect(await from(ids[3]!, 'future')).toEqual({ ids: ids.slice(4, 9), past: null, future: true })
    expect(await from(ids[8]!, 'future')).toEqual({ ids: ids.slice(9), past: null, future: false })
  })

  it('lie around a target without a direction, and around a date', async () => {
    const { ids, page, channel } = await forumWithChat(60)
    expect(await page(`?target_message_id=${ids[30]}`)).toEqual({ ids: ids.slice(5, 56), past: true, future: true })
    const date = new Date(channel.messages[9]!.createdAt).toISOString()
    expect(await page(`?target_date=${date}`)).toEqual({ ids: ids.slice(0, 35), past: false, future: true })
  })

  it('have whether they were edited, their thread and what they answer', async () => {
    const { forum, channel, user } = await forumWithChat(1)
    const first = channel.messages[0]!
    forum.addMessage(channel.id, { username: 'ada', message: 'Yes', edited: true, threadId: 77, inReplyTo: first.id })
    const { messages } = (await user('ada').get(`/chat/api/channels/${channel.id}/messages`)).json
    expect(messages[0]).not.toHaveProperty('edited')
    expect(messages[1]).toMatchObject({
      message: 'Yes',
      user: { username: 'ada' },
      edited: true,
      thread_id: 77,
      in_reply_to: { id: first.id },
    })
  })

  it('when asked for, mark the channel as looked at', async () => {
    const { channel, page, clock } = await forumWithChat(1)
    expect(channel.lastViewed.get('ada')).toBeUndefined()
    await page()
    expect(channel.lastViewed.get('ada')).toBe(clock.now())
  })

  it.each([
    ['page_size=51', 400],
    ['direction=sideways', 400],
    ['target_date=never', 400],
    ['target_message_id=9999', 404],
  ])('are not given for %s', async (query, status) => {
    const { user, channel } = await forumWithChat(1)
    expect(await user('ada').get(`/chat/api/channels/${channel.id}/messages?${query}`)).toMatchObject({ status })
  })
})

describe('channels', () => {
  it('name a next page always', async () => {
    const { user, forum } = await forumWithChat(0)
    for (let index = 1; index < 30; index++) forum.addChannel(`Channel ${index}`)
    const pages = [0, 25].map(
      async (offset) => (await user('ada').get(`/chat/api/channels?limit=25&offset=${offset}`)).json,
    )
    const [first, second] = await Promise.all(pages)
    expect([first.channels.length, second.channels.length]).toEqual([25, 5])
    expect(second.meta.load_more_url).toContain('offset=50')
    expect(first.channels[0]).toMatchObject({ title: 'Square', slug: 'square', memberships_count: 1, status: 'open' })
  })

  it('of a user come with what is unread; a direct one has no slug', async () => {
    const { user, forum, channel } = await forumWithChat(2)
    forum.addMessage(channel.id, { username: 'bob', message: 'Look, @ada' })
    const direct = forum.addChannel('ada, bob', { kind: 'dm', members: ['ada', 'bob'] })
    const { json } = await user('ada').get('/chat/api/me/channels')
    expect(json.public_channels).toMatchObject([{ id: channel.id }])
    expect(json.direct_message_channels).toMatchObject([{ id: direct.id, slug: null }])
    expect(json.tracking.channel_tracking).toEqual({
      [channel.id]: expect.objectContaining({ unread_count: 3, mention_count: 1 }),
    })
  })

  it('are all 404 where chat is off', async () => {
    const { user, server } = await forumWithChat(1)
    server.setting.chat = false
    for (const path of ['/chat/api/channels', '/chat/api/me/channels', '/chat/api/channels/1/messages']) {
      expect(await user('ada').get(path)).toMatchObject({ status: 404, json: { error_type: 'not_found' } })
    }
  })
})

describe('sending a message', () => {
  it('gives its id', async () => {
    const { user, channel } = await forumWithChat(0)
    const { json } = await user('ada').post(`/chat/${channel.id}`, { message: 'Hello' })
    expect(json).toEqual({ success: 'OK', message_id: channel.messages[0]!.id })
  })

  it('is refused without words, and where the channel is closed', async () => {
    const { user, channel } = await forumWithChat(0)
    const failed = { failed: 'FAILED', errors: [expect.any(String)] }
    expect(await user('ada').post(`/chat/${channel.id}`, { message: ' ' })).toMatchObject({ status: 400, json: failed })
    channel.status = 'closed'
    expect(await user('ada').post(`/chat/${channel.id}`, { message: 'Hello' })).toMatchObject({
      status: 422,
      json: failed,
    })
  })
})
