import type { Channel, ChatMessage } from './entities.js'
import { slugOf } from './slug.js'

export interface NewChannel {
  readonly description?: string
  readonly kind?: Channel['kind']
  readonly status?: Channel['status']
  readonly members?: readonly string[]
}

export interface NewMessage {
  readonly username: string
  readonly message: string
  readonly edited?: boolean
  readonly threadId?: number
  readonly inReplyTo?: number
  readonly createdAt?: number
}

export class Chat {
  /** By id. */
  readonly channels = new Map<number, Channel>()
  readonly #now: () => number
  #lastChannelId = 0
  #lastMessageId = 50

  constructor(now: () => number) {
    this.#now = now
  }

  addChannel(title: string, { description, kind = 'public', status = 'open', members = [] }: NewChannel = {}): Channel {
    const channel: Channel = {
      id: ++this.#lastChannelId,
      title,
      slug: kind === 'dm' ? null : slugOf(title),
      description: description ?? null,
      kind,
      status,
      members: new Set(members),
      messages: [],
      lastRead: new Map(),
      lastViewed: new Map(),
    }
    this.channels.set(channel.id, channel)
    return channel
  }

  addMessage(channelId: number, given: NewMessage): ChatMessage {
    const channel = this.channels.get(channelId)
    if (channel === undefined) throw new Error(`the forum has no channel ${channelId}`)
    const message: ChatMessage = {
      id: ++this.#lastMessageId,
      username: given.username,
      message: given.message,
      edited: given.edited ?? false,
      threadId: given.threadId ?? null,
      inReplyTo: given.inReplyTo ?? null,
      createdAt: given.createdAt ?? this.#now(),
    }
    channel.messages.push(message)
    channel.lastRead.set(given.username, message.id)
    return message
  }
}
