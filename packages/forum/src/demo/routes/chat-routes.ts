import { requireUser } from '../auth.js'
import { type Answer, json, success } from '../http/answer.js'
import { invalidParameters, notFound, Refusal } from '../http/refusal.js'
import { channelsPerPage, chatMessageMax, chatMessagesMax } from '../limits.js'
import type { Channel, User } from '../model/entities.js'
import { messageJson, messagesAround, messagesBeside, messagesByDate } from './chat-messages.js'
import { type ForumRequest, get, post, type Route, type Site } from './route.js'

export const chatRoutes: readonly Route[] = [
  get('/chat/api/channels.json', publicChannels),
  get('/chat/api/channels', publicChannels),
  get('/chat/api/me/channels.json', myChannels),
  get('/chat/api/me/channels', myChannels),
  get('/chat/api/channels/:id/messages.json', messages),
  get('/chat/api/channels/:id/messages', messages),
  post('/chat/:id.json', send),
  post('/chat/:id', send),
]

/** @throws Refusal where chat is off, or for nobody. */
function chatter({ visitor }: ForumRequest, { setting }: Site): User {
  if (!setting.chat) throw notFound()
  return requireUser(visitor)
}

/** Names a next page always. */
function publicChannels(request: ForumRequest, site: Site): Answer {
  chatter(request, site)
  const limit = Math.min(Math.max(1, request.input.integer('limit') ?? channelsPerPage), channelsPerPage)
  const offset = Math.max(0, request.input.integer('offset') ?? 0)
  const open = [...site.forum.channels.values()].filter(({ kind }) => kind === 'public')
  return json({
    channels: open.slice(offset, offset + limit).map(channelJson),
    meta: { load_more_url: `/chat/api/channels?limit=${limit}&offset=${offset + limit}` },
  })
}

function myChannels(request: ForumRequest, site: Site): Answer {
  const { username } = chatter(request, site)
  const mine = [...site.forum.channels.values()].filter(({ members }) => members.has(username))
  const tracking = mine.flatMap((channel) => {
    const unread = channel.messages.filter(({ id }) => id > (channel.lastRead.get(username) ?? 0))
    // Core names only those with something to tell.
    if (unread.length === 0) return []
    const mentions = unread.filter(({ message }) => message.includes(`@${username}`)).length
    return [[channel.id, { unread_count: unread.length, mention_count: mentions, watched_threads_unread_count: 0 }]]
  })
  return json({
    public_channels: mine.filter(({ kind }) => kind === 'public').map(channelJson),
    direct_message_channels: mine.filter(({ kind }) => kind === 'dm').map(channelJson),
    tracking: { channel_tracking: Object.fromEntries(tracking), thread_tracking: {} },
    meta: { message_bus_last_ids: {} },
  })
}

/** Asking for them marks the channel as looked at. */
function messages(request: ForumRequest, site: Site): Answer {
  const { input } = request
  const { username } = chatter(request, site)
  const channel = memberChannel(request, site, username)
  const pageSize = input.limited('page_size', chatMessagesMax, chatMessagesMax)
  const direction = input.text('direction')
  if (direction !== undefined && direction !== 'past' && direction !== 'future') throw invalidParameters('direction')
  const target = input.integer('target_message_id')
  if (target !== undefined && !channel.messages.some(({ id }) => id === target)) throw notFound()
  const date = input.has('target_date') ? Date.parse(input.text('target_date')!) : undefined
  if (Number.isNaN(date)) throw invalidParameters('target_date')
  channel.lastViewed.set(username, site.forum.now())
  const found =
    target !== undefined && direction === undefined
      ? messagesAround(channel, target)
      : date !== undefined
        ? messagesByDate(channel, date)
        : messagesBeside(channel, target, direction, pageSize)
  return json({
    messages: found.messages.map((message) => messageJson(message, channel, site.forum)),
    tracking: {},
    meta: {
      target_message_id: found.target ?? target ?? null,
      can_load_more_past: found.past,
      can_load_more_future: found.future,
    },
  })
}

/** @throws Refusal. */
function memberChannel({ params }: ForumRequest, { forum }: Site, username: string): Channel {
  const channel = forum.channels.get(Number(params['id']))
  if (channel === undefined || (channel.kind === 'dm' && !channel.members.has(username))) throw notFound()
  return channel
}

function send(request: ForumRequest, site: Site): Answer {
  const { username, silenced } = chatter(request, site)
  const channel = memberChannel(request, site, username)
  const message = (request.input.text('message') ?? '').trim()
  if (channel.status !== 'open' || silenced) throw refused('New messages can’t be sent to this channel.', 422)
  if (message === '') throw refused('Message is too short, must have a minimum of 1 characters.', 400)
  if ([...message].length > chatMessageMax) throw refused(`Message is longer than ${chatMessageMax} characters.`, 400)
  const inReplyTo = request.input.integer('in_reply_to_id')
  const sent = site.forum.addMessage(channel.id, { username, message, ...(inReplyTo !== undefined && { inReplyTo }) })
  channel.members.add(username)
  return success({ message_id: sent.id })
}

const refused = (said: string, status: number): Refusal =>
  new Refusal(json({ failed: 'FAILED', errors: [said] }, status))

const channelJson = (channel: Channel): object => ({
  id: channel.id,
  chatable_id: channel.id,
  chatable_type: channel.kind === 'dm' ? 'DirectMessage' : 'Category',
  chatable: {},
  title: channel.title,
  slug: channel.slug,
  description: channel.description,
  status: channel.status,
  memberships_count: channel.members.size,
  threading_enabled: channel.messages.some(({ threadId }) => threadId !== null),
  meta: { can_join_chat_channel: true },
})
