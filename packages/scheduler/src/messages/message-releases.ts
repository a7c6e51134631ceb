import type { Foundation } from '../foundation.js'
import { messagesPerRelease } from '../limits.js'
import { missingForMessages } from '../mail/mail-settings.js'
import type { Outbox } from '../mail/outbox.js'
import type { Database } from '../records/schema.js'
import { messageMail } from './message-mail.js'

interface WaitingMessage {
  readonly id: string
  readonly group_folder: string
  readonly priority: 'notify' | 'digest' | 'log'
  readonly text: string
}

/** Sends messages on their way that had to wait: for a review, or for mail to be configured. */
export class MessageReleases {
  readonly #foundation: Foundation
  readonly #outbox: Outbox

  constructor(foundation: Foundation, outbox: Outbox) {
    this.#foundation = foundation
    this.#outbox = outbox
  }

  /** Releases all that need not wait any more; returns when the next review ends, UTC ms. Rejects with a StoreError. */
  async releaseDue(): Promise<number | undefined> {
    const { store, config } = this.#foundation
    if (missingForMessages(config).length > 0) return undefined
    while (await this.#releaseSome()) this.#outbox.wake()
    const next = await store.db
      .selectFrom('messages')
      .select((message) => message.fn.min('review_until').as('at'))
      .where('state', '=', 'review')
      .executeTakeFirst()
    return next?.at ?? undefined
  }

  async #releaseSome(): Promise<boolean> {
    const { store, clock } = this.#foundation
    if (!(await anyWaiting(store.db, clock.now()))) return false
    return store.transaction(async (tx) => {
      const waiting = await waitingMessages(tx, clock.now())
      for (const message of waiting) await this.#release(tx, message)
      return waiting.length > 0
    })
  }

  async #release(db: Database, message: WaitingMessage): Promise<void> {
    const { config, groups } = this.#foundation
    const change =
      message.priority === 'digest'
        ? ({ state: 'batched' } as const)
        : ({ state: 'queued', outbox_id: await this.#outbox.add(db, messageMail(message, config, groups)) } as const)
    await db
      .updateTable('messages')
      .set({ ...change, review_until: null })
      .where('id', '=', message.id)
      .execute()
  }
}

async function anyWaiting(db: Database, now: number): Promise<boolean> {
  return (await ready(db, now).select('id').limit(1).executeTakeFirst()) !== undefined
}

function waitingMessages(db: Database, now: number): Promise<WaitingMessage[]> {
  return ready(db, now)
    .select(['id', 'group_folder', 'priority', 'text'])
    .orderBy('created_at')
    .orderBy('id')
    .limit(messagesPerRelease)
    .execute()
}

function ready(db: Database, now: number) {
  return db
    .selectFrom('messages')
    .where((message) =>
      message.or([
        message('state', '=', 'held'),
        message.and([message('state', '=', 'review'), message('review_until', '<=', now)]),
      ]),
    )
}
