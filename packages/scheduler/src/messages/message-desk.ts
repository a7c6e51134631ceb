import { storable } from '@callboard/store'
import { recordActivity } from '../activity/record-activity.js'
import type { Foundation } from '../foundation.js'
import { longTextMax, reviewMs } from '../limits.js'
import { missingForMessages } from '../mail/mail-settings.js'
import type { Outbox } from '../mail/outbox.js'
import type { Database } from '../records/schema.js'
import { withoutInternal } from './internal-text.js'
import { messageMail } from './message-mail.js'
import type { Messages, NewMessage, PostedMessage } from './messages.js'

/** A message that the admin group may keep from leaving. */
export interface ReviewedMessage extends NewMessage {
  readonly id: string
  /** UTC ms; then it goes out. */
  readonly reviewUntil: number
}

export interface MessageDeskOptions {
  /** Starts the admin group's review in the same transaction. False: limits are used up, so the message goes out at once. */
  startReview?(db: Database, message: ReviewedMessage): Promise<boolean>
}

/** Takes messages in and decides where they go. */
export class MessageDesk implements Messages {
  readonly #foundation: Foundation
  readonly #outbox: Outbox
  readonly #options: MessageDeskOptions

  constructor(foundation: Foundation, outbox: Outbox, options: MessageDeskOptions = {}) {
    this.#foundation = foundation
    this.#outbox = outbox
    this.#options = options
  }

  async post(db: Database, message: NewMessage): Promise<PostedMessage> {
    const { newId, clock } = this.#foundation
    const id = newId('msg')
    const now = clock.now()
    const route = this.#route(message)
    await db
      .insertInto('messages')
      .values(messageRow(id, message, route.state, now))
      .execute()
    await recordMessage(db, id, message, route.state, now)
    const posted = { messageId: id, warnings: route.warnings }
    if (route.state !== 'queued') return { ...posted, state: route.state }
    const reviewed = { ...message, id, reviewUntil: now + reviewMs }
    if (await this.#startReview(db, reviewed)) {
      return { ...posted, state: 'review', warnings: [...route.warnings, reviewWarning] }
    }
    return { ...posted, state: 'queued', outboxId: await this.#queue(db, reviewed) }
  }

  #route(message: NewMessage): { state: 'logged' | 'held' | 'batched' | 'queued'; warnings: readonly string[] } {
    if (message.priority === 'log') return { state: 'logged', warnings: [] }
    if (withoutInternal(message.text) === '') return { state: 'logged', warnings: [nothingLeftWarning] }
    const missing = missingForMessages(this.#foundation.config)
    if (missing.length > 0) return { state: 'held', warnings: [heldWarning(missing)] }
    return { state: message.priority === 'digest' ? 'batched' : 'queued', warnings: [] }
  }

  async #startReview(db: Database, message: ReviewedMessage): Promise<boolean> {
    const { config, groups } = this.#foundation
    if (config.notify_review !== 'admin' || message.isNotice || message.group === groups.admin.folder) return false
    if ((await this.#options.startReview?.(db, message)) !== true) return false
    await db
      .updateTable('messages')
      .set({ state: 'review', review_until: message.reviewUntil })
      .where('id', '=', message.id)
      .execute()
    return true
  }

  async #queue(db: Database, { id, group, text }: ReviewedMessage): Promise<string> {
    const { config, groups } = this.#foundation
    const mailed = { id, group_folder: group, text: storable(text, longTextMax) }
    const outboxId = await this.#outbox.add(db, messageMail(mailed, config, groups))
    await db.updateTable('messages').set({ outbox_id: outboxId }).where('id', '=', id).execute()
    return outboxId
  }
}

const nothingLeftWarning = 'Nothing is left of the text without its <internal> parts, so it was stored and not mailed.'

const reviewWarning = `The admin group reviews it first: unless it is dropped, it goes out within ${reviewMs / 60_000} minutes.`

function heldWarning(missing: readonly string[]): string {
  return `Mail is not configured (${missing.join(', ')}): the message is kept and goes out once it is.`
}

function messageRow(id: string, message: NewMessage, state: 'logged' | 'held' | 'batched' | 'queued', now: number) {
  const { group, runId = null, priority, depth } = message
  // Output of runs comes as it is.
  const text = storable(message.text, longTextMax)
  return { id, group_folder: group, run_id: runId, priority, text, depth, state, created_at: now }
}

/** The admin reads of notifications and of what is only logged; digests speak for themselves. */
async function recordMessage(db: Database, id: string, message: NewMessage, state: string, now: number): Promise<void> {
  if (message.priority === 'digest' && state !== 'logged') return
  await recordActivity(db, {
    at: now,
    type: state === 'logged' ? 'message_logged' : 'message_queued',
    group: message.group,
    ...(message.runId !== undefined && { runId: message.runId }),
    summary: withoutInternal(message.text) || 'internal text only',
    details: { message_id: id, priority: message.priority },
  })
}
