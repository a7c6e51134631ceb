import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import { missingForMessages } from '../mail/mail-settings.js'
import type { Outbox } from '../mail/outbox.js'
import type { Database } from '../records/schema.js'
import { type DigestContent, readDigestContent } from './digest-content.js'
import { digestMail } from './digest-text.js'
import { automatic, ownMessageId } from './message-mail.js'

/** For the status; times are UTC ms. */
export interface DigestStatus {
  readonly lastSentAt: number | null
  /** Null where mail is not configured. */
  readonly nextAt: number | null
  /** Messages that wait for it. */
  readonly items: number
}

/** Makes a digest each interval in which there is something to tell. Any number of processes make one together. */
export class DigestKeeper {
  readonly #foundation: Foundation
  readonly #outbox: Outbox

  constructor(foundation: Foundation, outbox: Outbox) {
    this.#foundation = foundation
    this.#outbox = outbox
  }

  /** Makes the digest if it is due; returns when the next one is, UTC ms. Rejects with a StoreError. */
  async digestDue(): Promise<number | undefined> {
    const { store, clock, config } = this.#foundation
    if (missingForMessages(config).length > 0) return undefined
    const known = await readAnchor(store.db)
    if (known !== undefined && this.#isAhead(known, clock.now())) return this.#nextAfter(known)
    const after = await store.transaction((tx) => this.#digestInTurn(tx))
    this.#outbox.wake()
    return after
  }

  async status(): Promise<DigestStatus> {
    const { store, config } = this.#foundation
    const anchor = missingForMessages(config).length > 0 ? undefined : await readAnchor(store.db)
    return {
      lastSentAt: await lastSentAt(store.db),
      nextAt: anchor === undefined ? null : this.#nextAfter(anchor),
      items: await waitingItems(store.db),
    }
  }

  /** Read again in the transaction: another process may have been first. */
  async #digestInTurn(db: Database): Promise<number> {
    const now = this.#foundation.clock.now()
    const known = await readAnchor(db)
    const anchor = anchorBy(known, now)
    if (this.#isAhead(anchor, now)) {
      if (anchor !== known) await writeAnchor(db, anchor)
      return this.#nextAfter(anchor)
    }
    const content = await readDigestContent(db, this.#foundation.groups, anchor, now)
    if (hasItems(content)) await this.#queue(db, content, anchor.covered, now)
    const moved = { at: this.#lastBoundary(anchor, now), covered: content.coveredUntil, activityId: content.activityId }
    await writeAnchor(db, moved)
    return this.#nextAfter(moved)
  }

  async #queue(db: Database, content: DigestContent, from: number, to: number): Promise<void> {
    const { newId, config, timeZone } = this.#foundation
    const outboxId = await this.#outbox.add(db, {
      kind: 'digest',
      messageId: ownMessageId(newId('digest'), config),
      to: config.notification_email!,
      ...digestMail({ ...content, from, to, timeZone }),
      headers: automatic,
    })
    await stamp(db, content, outboxId)
  }

  #nextAfter({ at }: Anchor): number {
    return at + this.#foundation.config.digest_interval_ms
  }

  /** Whether the anchor is sound and its digest not due yet. */
  #isAhead(anchor: Anchor, now: number): boolean {
    return anchor.at <= now && now < this.#nextAfter(anchor)
  }

  /** Boundaries keep their distance, however late this comes. */
  #lastBoundary({ at }: Anchor, now: number): number {
    const interval = this.#foundation.config.digest_interval_ms
    return at + Math.floor((now - at) / interval) * interval
  }
}

const anchorKey = 'digest'

const anchorSchema = z.object({
  /** The last boundary between two windows, UTC ms. */
  at: z.int(),
  /** Until when runs have been told, UTC ms. */
  covered: z.int(),
  activityId: z.int(),
})

type Anchor = z.output<typeof anchorSchema>

/** An anchor of a clock that was ahead must not silence the digest until it is that late. */
function anchorBy(known: Anchor | undefined, now: number): Anchor {
  if (known === undefined) return { at: now, covered: now, activityId: 0 }
  return known.at <= now ? known : { ...known, at: now, covered: Math.min(known.covered, now) }
}

async function readAnchor(db: Database): Promise<Anchor | undefined> {
  const row = await db.selectFrom('kv').select('value').where('key', '=', anchorKey).executeTakeFirst()
  return row === undefined ? undefined : anchorSchema.parse(JSON.parse(row.value))
}

async function writeAnchor(db: Database, anchor: Anchor): Promise<void> {
  const value = JSON.stringify(anchor)
  await db
    .insertInto('kv')
    .values({ key: anchorKey, value })
    .onConflict((same) => same.column('key').doUpdateSet({ value }))
    .execute()
}

function hasItems({ messages, troubles, pauses }: DigestContent): boolean {
  return messages.length + troubles.length + pauses.length > 0
}

async function stamp(db: Database, { messages, runIds }: DigestContent, outboxId: string): Promise<void> {
  const ids = messages.map(({ id }) => id)
  if (ids.length > 0) await db.updateTable('messages').set({ digest_id: outboxId }).where('id', 'in', ids).execute()
  if (runIds.length > 0) await db.updateTable('runs').set({ digest_id: outboxId }).where('id', 'in', runIds).execute()
}

async function lastSentAt(db: Database): Promise<number | null> {
  const row = await db
    .selectFrom('activity')
    .select((activity) => activity.fn.max('ts').as('at'))
    .where('event_type', '=', 'digest_sent')
    .executeTakeFirst()
  return row?.at ?? null
}

async function waitingItems(db: Database): Promise<number> {
  const row = await db
    .selectFrom('messages')
    .select((message) => message.fn.countAll<number>().as('count'))
    .where('state', '=', 'batched')
    .where('digest_id', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}
