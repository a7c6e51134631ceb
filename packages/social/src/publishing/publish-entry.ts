import { StoreError } from '@callboard/store'
import { takePlace } from '../approval/approve-item.js'
import { candidateOf } from '../approval/item-content.js'
import { SocialFailure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { settle } from '../ledger/rate-ledger.js'
import { absenceMs, placeOverdueMs, replyStaleMs } from '../limits.js'
import type { MediaStore } from '../media/media-store.js'
import type { NetworkAdapter, PostRef, Prepared } from '../networks/network-adapter.js'
import { safetyProblem } from '../policy/safety-checks.js'
import type { Database, SocialSchema } from '../records/schema.js'
import { networkPartOf } from './network-part.js'
import { LeaseLost } from './outbox-claims.js'
import { isOut, mayBeOut, type OutboxEntry, type OutboxPart, readEntry } from './outbox-row.js'
import { markSending, recordDelay, recordDoubt, recordFailure, recordSent, type Trouble } from './settle-entry.js'

export interface PublishingParts extends Foundation {
  readonly media: Pick<MediaStore, 'load'>
  readonly markReplied: (db: Database, network: SocialSchema['outbox']['network'], remoteId: string) => Promise<void>
}

/**
 * Brings a leased row to an end: part by part, each stored before the next. A part that may be out already is looked for
 * first. Rejects with a LeaseLost when another process has the row by now.
 */
export async function publishEntry(
  entry: OutboxEntry,
  network: NetworkAdapter,
  parts: PublishingParts,
  signal: AbortSignal,
): Promise<void> {
  try {
    await new Publication(entry, network, parts, signal).run()
  } catch (error) {
    // Another process has it, the database is away, or we are stopping: all of it passes.
    if (error instanceof LeaseLost || error instanceof StoreError || signal.aborted) throw error
    parts.log.error({ err: error, outbox: entry.row.id }, 'an item could not be published')
    const now = await readEntry(parts.store.db, entry.row)
    await new Publication(now, network, parts, signal).giveUp()
  }
}

type Step = 'next' | 'over'

class Publication {
  #entry: OutboxEntry
  readonly #network: NetworkAdapter
  readonly #parts: PublishingParts
  readonly #signal: AbortSignal

  constructor(entry: OutboxEntry, network: NetworkAdapter, parts: PublishingParts, signal: AbortSignal) {
    this.#entry = entry
    this.#network = network
    this.#parts = parts
    this.#signal = signal
  }

  async run(): Promise<void> {
    for (const { position } of this.#entry.parts) {
      const part = this.#entry.parts[position]!
      if (isOut(part)) continue
      const step = await this.#bring(part)
      if (step === 'over') return
      this.#entry = await readEntry(this.#parts.store.db, this.#entry.row)
    }
  }

  /** An item on which this worker stumbles keeps no other one waiting. */
  async giveUp(): Promise<void> {
    const message = 'This worker stumbled over it; its log tells more.'
    const isInDoubt = this.#entry.parts.some(mayBeOut)
    await (isInDoubt ? this.#doubt(message) : this.#fail({ code: 'internal_error', message }))
  }

  async #bring(part: OutboxPart): Promise<Step> {
    if (part.position > 0 && this.#entry.parts[part.position - 1]!.remote_id === null) return this.#fail(withoutLink)
    const prepared = await this.#prepare(part)
    if (prepared instanceof SocialFailure) {
      return mayBeOut(part) ? this.#doubt(prepared.message) : this.#fail(prepared)
    }
    const isRepeat = mayBeOut(part)
    if (isRepeat) {
      const found = await this.#lookFor(part, prepared)
      if (found !== 'absent') return found
    }
    const problem = await this.#problem()
    if (problem !== undefined) return this.#fail(problem)
    const other = await this.#otherAccount()
    if (other !== undefined) return this.#fail(other)
    return this.#send(part.position, prepared, isRepeat)
  }

  /** Whether it came through, as the network says. Before that is certain it counts as not known. */
  async #lookFor(part: OutboxPart, prepared: Prepared): Promise<Step | 'absent'> {
    const { clock } = this.#parts
    try {
      const found = await this.#network.find(prepared, this.#signal)
      if (found.kind === 'sent') return await this.#sent(part.position, found)
      if (found.kind === 'undecidable') return await this.#doubt(found.message)
      if ((part.sent_at ?? 0) + absenceMs <= clock.now()) return 'absent'
      return await this.#doubt('It can not be found yet.')
    } catch (error) {
      if (error instanceof SocialFailure || this.#signal.aborted) return this.#doubt(messageOf(error))
      throw error
    }
  }

  async #send(position: number, prepared: Prepared, isRepeat: boolean): Promise<Step> {
    const { store, clock } = this.#parts
    try {
      await store.transaction(async (db) => {
        if (!isRepeat) await this.#renewPlace(db)
        await markSending(db, this.#entry, position, clock.now())
      })
    } catch (error) {
      if (error instanceof SocialFailure) return this.#delay(position, noPlaceNow(error))
      throw error
    }
    const outcome = await this.#network.publish(prepared, this.#signal)
    switch (outcome.kind) {
      case 'sent':
        return this.#sent(position, outcome)
      case 'unknown':
        return this.#doubt(outcome.message)
      case 'delayed':
        return this.#delay(position, outcome)
      case 'rejected':
        if (outcome.code === 'network_auth_expired') return this.#delay(position, outcome)
        // It seems that the first request came through after all.
        if (isRepeat && outcome.code === 'duplicate_content') return this.#doubt(outcome.message)
        return this.#fail(outcome)
      default:
        return outcome satisfies never
    }
  }

  /** A place that was kept for a time long past would let several days' posts out in one. Throws `rate_limited`. */
  async #renewPlace(db: Database): Promise<void> {
    const { row, item, parts } = this.#entry
    const now = this.#parts.clock.now()
    if (parts.some(isOut) || row.due_at + placeOverdueMs > now) return
    await settle(db, row.id, 'refunded', now)
    await takePlace(db, item, row.id, now, this.#parts)
  }

  async #prepare(part: OutboxPart): Promise<Prepared | SocialFailure> {
    const { item, content } = this.#entry
    try {
      const notes = content.media.filter((note) => note.part === part.position)
      const media = await this.#parts.media.load(this.#parts.store.db, notes)
      const given = networkPartOf({
        text: content.parts[part.position]!,
        media,
        target: content.target,
        thread: this.#threadBefore(part.position),
        visibility: item.visibility,
        contentWarning: item.content_warning,
        language: item.language,
      })
      return this.#network.prepare(given, { key: part.publish_key, createdAt: part.created_at_fixed })
    } catch (error) {
      if (error instanceof SocialFailure) return error
      throw error
    }
  }

  #threadBefore(position: number): { readonly first: PostRef; readonly previous: PostRef } | undefined {
    if (position === 0) return undefined
    return { first: refOf(this.#entry.parts[0]!), previous: refOf(this.#entry.parts[position - 1]!) }
  }

  /** Judged once more, as long as nothing of it is out. */
  async #problem(): Promise<Trouble | undefined> {
    const { item, row, parts } = this.#entry
    if (parts.some(isOut)) return undefined
    const { store, config, clock } = this.#parts
    const now = clock.now()
    if (item.action_type === 'reply' && row.due_at + replyStaleMs < now) {
      return { code: 'expired', message: 'The reply was due more than six hours ago; what it answers is over.' }
    }
    return safetyProblem(store.db, candidateOf(item, now), config)
  }

  /** Approved was a post of one account; the configuration may name another one by now. Where nobody tells, nothing is known. */
  async #otherAccount(): Promise<Trouble | undefined> {
    const { account } = this.#entry.item
    const handle = await this.#network.account(this.#signal).then(
      (own) => own.handle,
      () => undefined,
    )
    if (handle === undefined || handle.toLowerCase() === account.toLowerCase()) return undefined
    return {
      code: 'conflict',
      message: `It was approved for ${account}, and the account is ${handle} now: propose it again.`,
    }
  }

  async #sent(position: number, sent: Parameters<typeof recordSent>[2]): Promise<Step> {
    const followers = await this.#followers(position)
    await this.#write((writing) => recordSent(this.#entry, position, sent, { ...writing, followers }))
    return 'next'
  }

  async #followers(position: number): Promise<number | undefined> {
    if (position < this.#entry.parts.length - 1) return undefined
    return this.#network.account(this.#signal).then(
      ({ followers, isUncounted }) => (isUncounted ? undefined : followers),
      () => undefined,
    )
  }

  async #doubt(message: string): Promise<Step> {
    await this.#write((writing) => recordDoubt(this.#entry, message, writing))
    return 'over'
  }

  async #delay(position: number, trouble: Trouble): Promise<Step> {
    await this.#write((writing) => recordDelay(this.#entry, position, trouble, writing))
    return 'over'
  }

  async #fail({ code, message }: Trouble): Promise<Step> {
    await this.#write((writing) => recordFailure(this.#entry, { code, message }, writing))
    return 'over'
  }

  async #write(work: (writing: Parameters<typeof recordDoubt>[2]) => Promise<void>): Promise<void> {
    const { store, config, random, markReplied } = this.#parts
    const { min_action_delay_seconds: least, max_action_delay_seconds: most } = config.limits
    const pauseMs = this.#network.name === 'local' ? 0 : Math.round((least + (most - least) * random()) * 1_000)
    await store.transaction((db) => work({ db, foundation: this.#parts, pauseMs, followers: undefined, markReplied }))
  }
}

const withoutLink: Trouble = {
  code: 'thread_partial_failure',
  message: 'Nobody knows where the part before is, so nothing can follow on it: post the rest anew.',
}

function refOf({ remote_id, cid }: OutboxPart): PostRef {
  return { id: remote_id ?? '', ...(cid !== null && { cid }) }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'The worker ended while it was asking.'
}

/** Not counted as a try: the post can do nothing for it. */
function noPlaceNow({ message, options: { retryAfterMs } }: SocialFailure): Trouble {
  return { code: 'policy_denied_rate_limited', message, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}
