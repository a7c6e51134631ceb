import type { Notification } from './entities.js'

export interface NewNotification {
  readonly type: number
  readonly topicId?: number
  readonly postNumber?: number
  readonly read?: boolean
  readonly data?: Readonly<Record<string, unknown>>
  readonly createdAt?: number
}

export class Notifications {
  readonly all: Notification[] = []
  readonly #now: () => number
  #lastId = 500

  constructor(now: () => number) {
    this.#now = now
  }

  add(username: string, given: NewNotification): Notification {
    const notification: Notification = {
      id: ++this.#lastId,
      username,
      type: given.type,
      read: given.read ?? false,
      topicId: given.topicId ?? null,
      postNumber: given.postNumber ?? null,
      data: given.data ?? {},
      createdAt: given.createdAt ?? this.#now(),
    }
    this.all.push(notification)
    return notification
  }

  /** Newest first. */
  of(username: string): readonly Notification[] {
    return this.all.filter((each) => each.username === username).toReversed()
  }

  /** One of a user's, or all. */
  markRead(username: string, id: number | undefined): void {
    for (const each of this.all) {
      if (each.username === username && (id === undefined || each.id === id)) each.read = true
    }
  }
}
