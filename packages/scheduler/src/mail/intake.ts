import { StoreError, storable } from '@callboard/store'
import { recordActivity } from '../activity/record-activity.js'
import type { Scheduling } from '../engine/scheduling.js'
import type { Foundation } from '../foundation.js'
import { refusedMailTextMax } from '../limits.js'
import type { Messages } from '../messages/messages.js'
import type { Database } from '../records/schema.js'
import { startTrigger } from '../triggers/start-trigger.js'
import { readTriggerToken, type TokenReading } from '../triggers/trigger-token.js'
import { judgeMail, type MailFacts, type StoredTrigger, triggerTokenOf, type Verdict } from './judge-mail.js'
import { advanceCursor, type MailCursor } from './mail-cursor.js'
import type { Outbox } from './outbox.js'
import { hashOf, type IncomingMail, readHead, readMail } from './read-mail.js'
import { replyText } from './reply-text.js'
import { dropWords, rejectWords } from './verdict-words.js'

export interface IntakeParts extends Pick<Foundation, 'config' | 'store' | 'clock' | 'newId' | 'groups' | 'log'> {
  readonly scheduling: Pick<Scheduling, 'queueRun' | 'wake'>
  readonly messages: Messages
  readonly outbox: Pick<Outbox, 'wake'>
}

export interface ReceivedMail {
  readonly uid: number
  readonly content:
    | { readonly kind: 'whole'; readonly raw: Buffer }
    /** Only its beginning was downloaded. */
    | { readonly kind: 'too_large'; readonly head: Buffer }
    /** Nothing was, and this names it. */
    | { readonly kind: 'unavailable'; readonly messageId: string }
  /** Moves to this mail in the same transaction; undefined: the mailbox is being read again. */
  readonly cursor: { readonly mailbox: string; readonly at: MailCursor } | undefined
}

/** A mail as far as it could be read, with the verdict where that is settled. */
interface ReadMail {
  readonly mail: IncomingMail
  readonly settled: Verdict | undefined
}

/** Stores each mail once, with what becomes of it. */
export class Intake {
  readonly #parts: IntakeParts

  constructor(parts: IntakeParts) {
    this.#parts = parts
  }

  /** Rejects only while the database can't be reached: no mail keeps those behind it from being read. */
  async take(received: ReceivedMail): Promise<void> {
    const read = await this.#read(received.content)
    try {
      await this.#store(received, read)
    } catch (error) {
      if (error instanceof StoreError) throw error
      this.#parts.log.error(
        { err: error, uid: received.uid },
        'A mail could not be taken in and is recorded as rejected',
      )
      await this.#store(received, { ...read, settled: { kind: 'rejected', reason: 'unreadable' } })
    }
    this.#parts.scheduling.wake()
    this.#parts.outbox.wake()
  }

  async #read(content: ReceivedMail['content']): Promise<ReadMail> {
    if (content.kind === 'unavailable') {
      return { mail: blankMail(content.messageId), settled: { kind: 'rejected', reason: 'unavailable' } }
    }
    const raw = content.kind === 'whole' ? content.raw : content.head
    try {
      const head = await readHead(raw)
      if (content.kind === 'too_large') return { mail: head, settled: { kind: 'rejected', reason: 'too_large' } }
      const verdict = judgeMail(head, await this.#facts(this.#parts.store.db, head))
      // The text of a mail that nobody acts on is not worth what reading it may take.
      return { mail: dependsOnText(verdict) ? await readMail(raw) : head, settled: undefined }
    } catch (error) {
      if (error instanceof StoreError) throw error
      const reason = content.kind === 'too_large' ? 'too_large' : 'unreadable'
      return { mail: blankMail(hashOf(raw)), settled: { kind: 'rejected', reason } }
    }
  }

  #store({ uid, cursor }: ReceivedMail, { mail, settled }: ReadMail): Promise<void> {
    return this.#parts.store.transaction(async (db) => {
      if (cursor !== undefined) await advanceCursor(db, cursor.mailbox, cursor.at)
      const known = await knownMail(db, mail.messageId)
      // A mail that has come is never judged twice, but its id may be another one's: whoever knows an id could send a mail
      // under it first, which is refused, and keep the real one out.
      if (known !== undefined && (cursor === undefined || !isRefused(known.verdict))) return
      const verdict = settled ?? judgeMail(mail, await this.#facts(db, mail))
      if (known !== undefined) {
        if (verdict.kind !== 'trigger' && verdict.kind !== 'person') return
        await db.deleteFrom('mails').where('id', '=', known.id).execute()
      }
      await this.#record(db, uid, mail, verdict)
    })
  }

  async #facts(db: Database, mail: IncomingMail): Promise<MailFacts> {
    const { config, clock, groups } = this.#parts
    const token = readToken(mail, config.mail_hmac_key)
    return {
      now: clock.now(),
      groups,
      mailAddress: config.mail_address,
      notificationEmail: config.notification_email,
      hmacKey: config.mail_hmac_key,
      trustedAuthservId: config.trusted_authserv_id,
      token,
      trigger: token?.kind === 'valid' ? await findTrigger(db, token.payload.id) : undefined,
    }
  }

  async #record(db: Database, uid: number, mail: IncomingMail, verdict: Verdict): Promise<void> {
    const mailId = this.#parts.newId('mail')
    await db
      .insertInto('mails')
      .values({
        id: mailId,
        message_id: mail.messageId,
        uid,
        sender: storable(mail.from ?? '', 320),
        subject: mail.subject,
        received_at: this.#parts.clock.now(),
        ...rowOf(mail, verdict),
      })
      .execute()
    await this.#act(db, mailId, mail, verdict)
  }

  async #act(db: Database, mailId: string, mail: IncomingMail, verdict: Verdict): Promise<void> {
    switch (verdict.kind) {
      case 'trigger':
        await startTrigger(db, this.#parts, verdict.trigger, 'mail')
        return
      case 'person':
        await this.#startRun(db, mailId, mail, verdict.group)
        return
      case 'unknown_tag':
        await this.#tellKnownTags(db, mail, verdict.tag)
        await this.#recordRefusal(db, mailId, mail, verdict.kind, `no group has the tag "${verdict.tag}"`)
        return
      case 'rejected':
        await this.#recordRefusal(db, mailId, mail, verdict.reason, rejectWords[verdict.reason])
        return
      case 'dropped':
        await this.#recordRefusal(db, mailId, mail, verdict.reason, dropWords[verdict.reason])
        return
      default:
        verdict satisfies never
    }
  }

  async #startRun(db: Database, mailId: string, mail: IncomingMail, group: string): Promise<void> {
    const { scheduling, clock } = this.#parts
    const runId = await scheduling.queueRun(db, { mailId, group, depth: 0 })
    await recordActivity(db, {
      at: clock.now(),
      type: 'email_received',
      group,
      runId,
      summary: `Mail from ${mail.from}: ${mail.subject}`,
      details: { mail_id: mailId, message_id: mail.messageId, attachments: mail.attachmentNames },
    })
  }

  async #tellKnownTags(db: Database, mail: IncomingMail, tag: string): Promise<void> {
    const { messages, groups } = this.#parts
    const known = groups.all.map((group) => `[${group.tag}]`).sort()
    await messages.post(db, {
      group: groups.admin.folder,
      depth: 0,
      priority: 'digest',
      text: `Your mail "${mail.subject}" was not taken: no group has the tag "${tag}". Known tags: ${known.join(', ')}.`,
    })
  }

  async #recordRefusal(db: Database, mailId: string, mail: IncomingMail, reason: string, why: string): Promise<void> {
    await recordActivity(db, {
      at: this.#parts.clock.now(),
      type: 'email_rejected',
      summary: `Mail from ${mail.from ?? 'nobody in particular'} was not taken, because ${why}: ${mail.subject}`,
      details: { mail_id: mailId, message_id: mail.messageId, reason },
    })
  }
}

/** Without its text, a trigger that is whole looks altered. */
function dependsOnText(verdict: Verdict): boolean {
  return verdict.kind === 'person' || (verdict.kind === 'rejected' && verdict.reason === 'trigger_altered')
}

function blankMail(messageId: string): IncomingMail {
  return {
    messageId,
    from: undefined,
    to: [],
    subject: '',
    text: '',
    headers: [],
    authenticationResults: [],
    attachmentNames: [],
    inReplyTo: undefined,
    autoSubmitted: undefined,
    precedence: undefined,
    returnPath: undefined,
  }
}

/** Without a key nothing can be signed with it. */
function readToken(mail: IncomingMail, key: string | undefined): TokenReading | undefined {
  const token = triggerTokenOf(mail)
  if (token === undefined) return undefined
  return key === undefined ? { kind: 'forged' } : readTriggerToken(token, key)
}

function knownMail(db: Database, messageId: string) {
  return db.selectFrom('mails').select(['id', 'verdict']).where('message_id', '=', messageId).executeTakeFirst()
}

/** Nothing refers to such a mail. */
function isRefused(verdict: string): boolean {
  return verdict === 'rejected' || verdict === 'dropped'
}

async function findTrigger(db: Database, id: string): Promise<StoredTrigger | undefined> {
  const row = await db
    .selectFrom('triggers')
    .select(['id', 'source', 'target', 'depth', 'subject', 'consumed_at'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { ...row, isConsumed: row.consumed_at !== null }
}

function rowOf(mail: IncomingMail, verdict: Verdict) {
  const refused = { text: storable(mail.text, refusedMailTextMax), group_folder: null }
  switch (verdict.kind) {
    case 'trigger':
      // Its text is the trigger's.
      return { verdict: 'trigger' as const, reason: null, text: '', group_folder: verdict.trigger.target }
    case 'person':
      return { verdict: 'accepted' as const, reason: null, text: promptOf(mail), group_folder: verdict.group }
    case 'unknown_tag':
      return { verdict: 'rejected' as const, reason: verdict.kind, ...refused }
    case 'rejected':
    case 'dropped':
      return { verdict: verdict.kind, reason: verdict.reason, ...refused }
    default:
      return verdict satisfies never
  }
}

function promptOf({ text, attachmentNames }: IncomingMail): string {
  const reply = replyText(text)
  return attachmentNames.length === 0 ? reply : `${reply}\n\nAttached, but not kept: ${attachmentNames.join(', ')}`
}
