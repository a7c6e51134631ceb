import { expect, vi } from 'vitest'
import type { Scheduling } from '../../src/engine/scheduling.js'
import type { IntakeParts } from '../../src/mail/intake.js'
import type { NewMail, Outbox } from '../../src/mail/outbox.js'
import type { Messages } from '../../src/messages/messages.js'
import type { TriggerParts } from '../../src/triggers/send-trigger.js'
import { openTestFoundation, type TestFoundation, type TestFoundationOptions } from './test-foundation.js'

export const mailKey = 'a key that is known to nobody else'

/** Section `scheduler` with mail; nothing listens at its servers. */
export const mailConfig = {
  mail_address: 'callboard@example.org',
  notification_email: 'ada@example.org',
  mail_hmac_key: mailKey,
  smtp_url: 'smtp://127.0.0.1:1',
  imap_url: 'imap://callboard:secret@127.0.0.1:1',
}

export interface MailParts extends IntakeParts, TriggerParts, AsyncDisposable {
  readonly foundation: TestFoundation
  readonly outbox: Pick<Outbox, 'add' | 'sendNow' | 'wake'>
  readonly scheduling: Pick<Scheduling, 'queueRun' | 'wake'>
  /** Rows, in the order of their making. */
  runs(): Promise<readonly { group_folder: string; depth: number; trigger_id: string | null; mail_id: string | null }[]>
  mails(): Promise<readonly { message_id: string; verdict: string; reason: string | null; text: string }[]>
  digest(): Promise<readonly string[]>
  events(): Promise<readonly string[]>
  /** Until so many mails are stored. */
  untilMails(count: number): Promise<void>
}

export interface MailPartsOptions extends TestFoundationOptions {
  /** How an outgoing mail is sent; without it the first attempt fails and the mail stays queued. */
  readonly send?: (mail: NewMail) => Promise<'sent' | 'queued' | 'dead'>
}

/** A database with simple stand-ins for engine, messages and outbox: they store rows and do no more. */
export async function openMailParts(options: MailPartsOptions = {}): Promise<MailParts> {
  const { config, send, ...rest } = options
  const foundation = await openTestFoundation({ ...rest, config: { ...mailConfig, ...config } })
  const { store } = foundation
  const rows = {
    runs: () =>
      store.db.selectFrom('runs').select(['group_folder', 'depth', 'trigger_id', 'mail_id']).orderBy('id').execute(),
    mails: () =>
      store.db.selectFrom('mails').select(['message_id', 'verdict', 'reason', 'text']).orderBy('id').execute(),
    digest: async () =>
      (await store.db.selectFrom('messages').select('text').orderBy('id').execute()).map(({ text }) => text),
    events: async () =>
      (await store.db.selectFrom('activity').select('event_type').orderBy('id').execute()).map(
        ({ event_type: type }) => type,
      ),
  }
  return {
    ...foundation,
    foundation,
    scheduling: { queueRun: queueRunIn(foundation), wake: () => undefined },
    messages: messagesIn(foundation),
    outbox: outboxIn(foundation, send),
    ...rows,
    untilMails: (count) =>
      vi.waitFor(async () => expect(await rows.mails()).toHaveLength(count), { timeout: 15_000, interval: 20 }),
    [Symbol.asyncDispose]: () => foundation[Symbol.asyncDispose](),
  }
}

function queueRunIn({ clock, newId }: TestFoundation): Scheduling['queueRun'] {
  return async (db, { triggerId, mailId, group, depth }) => {
    const id = newId('run')
    const now = clock.now()
    await db
      .insertInto('runs')
      .values({
        id,
        trigger_id: triggerId ?? null,
        mail_id: mailId ?? null,
        group_folder: group,
        depth,
        scheduled_for: now,
        due_at: now,
        state: 'queued',
        serial: 1,
        exclusive: 0,
        attempts: 0,
        attempts_before: 0,
        fence: 0,
        late_ms: 0,
        slots: 1,
        created_at: now,
      })
      .execute()
    return id
  }
}

function messagesIn({ clock, newId }: TestFoundation): Messages {
  return {
    async post(db, { group, depth, priority, text }) {
      const id = newId('msg')
      const state = 'batched'
      await db
        .insertInto('messages')
        .values({ id, group_folder: group, depth, priority, text, state, created_at: clock.now() })
        .execute()
      return { messageId: id, state, warnings: [] }
    },
  }
}

function outboxIn(
  { clock, newId, store }: TestFoundation,
  send: MailPartsOptions['send'],
): Pick<Outbox, 'add' | 'sendNow' | 'wake'> {
  return {
    wake: () => undefined,
    async add(db, { kind, messageId, to, subject, text, headers = {} }) {
      const id = newId('out')
      const now = clock.now()
      await db
        .insertInto('outbox')
        .values({
          id,
          kind,
          message_id: messageId,
          recipient: to,
          subject,
          text,
          headers: JSON.stringify(headers),
          state: 'pending',
          tries: 0,
          next_try: now,
          fence: 0,
          created_at: now,
          queued_at: now,
        })
        .execute()
      return id
    },
    async sendNow(id) {
      const row = await store.db.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
      const { kind, message_id: messageId, recipient: to, subject, text, headers } = row
      return (await send?.({ kind, messageId, to, subject, text, headers: JSON.parse(headers) })) ?? 'queued'
    },
  }
}
