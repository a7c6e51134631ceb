import type { ForumModel } from '../forum-model.js'
import type { Channel, ChatMessage } from '../model/entities.js'
import { cook } from '../model/slug.js'
import { avatarOf, iso } from './iso.js'

/** Oldest first. Whether there are more is told of a direction only where core has looked into it. */
interface Found {
  readonly messages: readonly ChatMessage[]
  readonly past: boolean | null
  readonly future: boolean | null
  readonly target?: number | null
}

/** On either side of a target. */
const sideMax = 25

export function messagesAround({ messages }: Channel, target: number): Found {
  const index = messages.findIndex(({ id }) => id === target)
  return around(messages.slice(0, index), messages.slice(index, index + 1), messages.slice(index + 1))
}

export function messagesByDate({ messages }: Channel, date: number): Found {
  const after = messages.filter(({ createdAt }) => createdAt > date)
  const until = messages.filter(({ createdAt }) => createdAt <= date)
  return { ...around(until, [], after), target: after[0]?.id ?? null }
}

/** A page that is full counts as one with more behind it. */
function around(before: readonly ChatMessage[], target: readonly ChatMessage[], after: readonly ChatMessage[]): Found {
  const past = before.slice(-sideMax)
  const future = after.slice(0, sideMax)
  return {
    messages: [...past, ...target, ...future],
    past: past.length === sideMax,
    future: future.length === sideMax,
  }
}

/** Without a direction those are the newest. */
export function messagesBeside(
  { messages }: Channel,
  target: number | undefined,
  direction: 'past' | 'future' | undefined,
  pageSize: number,
): Found {
  if (direction === 'future') {
    const page = messages.filter(({ id }) => id > (target ?? 0)).slice(0, pageSize)
    return { messages: page, past: null, future: page.length === pageSize }
  }
  const page = messages.filter(({ id }) => target === undefined || id < target).slice(-pageSize)
  return { messages: page, past: page.length === pageSize, future: direction === undefined ? false : null }
}

export function messageJson(message: ChatMessage, channel: Channel, forum: ForumModel): object {
  const repliedTo = channel.messages.find(({ id }) => id === message.inReplyTo)
  return {
    id: message.id,
    message: message.message,
    cooked: cook(message.message),
    created_at: iso(message.createdAt),
    excerpt: message.message.slice(0, 150),
    chat_channel_id: channel.id,
    streaming: false,
    user: userJson(message.username, forum),
    ...(message.edited && { edited: true }),
    ...(message.threadId !== null && { thread_id: message.threadId }),
    ...(repliedTo && {
      in_reply_to: {
        id: repliedTo.id,
        cooked: cook(repliedTo.message),
        excerpt: repliedTo.message.slice(0, 150),
        user: userJson(repliedTo.username, forum),
      },
    }),
    mentioned_users: [],
    uploads: [],
  }
}

function userJson(username: string, forum: ForumModel): object {
  const user = forum.users.find(username)
  return { id: user?.id ?? null, username, name: user?.name ?? null, avatar_template: avatarOf(username) }
}
