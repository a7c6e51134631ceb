import { randomUUID } from 'node:crypto'
import { ForumFailure } from '../failure/forum-failure.js'
import type { Foundation } from '../foundation.js'
import { isRecord, type JsonRecord } from '../json/read-json.js'
import { journalMs, journalOutputLengthMax, replicaClockSkewMs } from '../limits.js'
import type { ForumSchema } from '../records/schema.js'
import type { ForumTransaction } from './write-queue.js'

/** One write, as the journal knows it. */
export interface JournalEntry {
  readonly key: string
  readonly base: string
  readonly tool: string
  /** How long a repetition of what is done is the same write, ms. */
  readonly sameForMs: number
}

/** What is known of a write: `ours` to send from now on, sent before, or in the hands of another process. */
export type Standing =
  | { readonly kind: 'ours' }
  | { readonly kind: 'done'; readonly output: JsonRecord }
  | { readonly kind: 'unknown'; readonly sentAt: number }
  | { readonly kind: 'elsewhere'; readonly sentAt: number; readonly hasLeft: boolean }

type Row = ForumSchema['write_journal']

/**
 * Every write of the last minutes, in the store: before a request leaves, its row says so. What becomes of it is written there by
 * the process that sends it, its holder; a row whose holder has gone tells that nobody knows.
 */
export class Journal {
  readonly #store: Foundation['store']
  readonly #clock: Foundation['clock']
  readonly #log: Foundation['log']
  readonly #holder = randomUUID()

  constructor({ store, clock, log }: Pick<Foundation, 'store' | 'clock' | 'log'>) {
    this.#store = store
    this.#clock = clock
    this.#log = log
  }

  /** Takes the write unless somebody has. Who takes it gives up by `endsAt`, UTC ms. One call for a key at a time. */
  async claim(entry: JournalEntry, endsAt: number, signal?: AbortSignal): Promise<Standing> {
    return this.#store.transaction(
      async (transaction) => {
        const now = this.#clock.now()
        await transaction
          .deleteFrom('write_journal')
          .where('sent_at', '<', now - journalMs)
          .execute()
        const row = await transaction
          .selectFrom('write_journal')
          .selectAll()
          .where('key', '=', entry.key)
          .executeTakeFirst()
        const standing = row === undefined ? ours : this.#standingOf(row, entry, now)
        if (standing.kind === 'ours') await this.#take(transaction, entry, endsAt, now)
        return standing
      },
      signal === undefined ? {} : { signal },
    )
  }

  /** Part of the transaction that reserves its time: from now on it may have left. */
  async sending(transaction: ForumTransaction, key: string, at: number): Promise<void> {
    const { numUpdatedRows } = await transaction
      .updateTable('write_journal')
      .set({ state: 'sending', sent_at: at })
      .where('key', '=', key)
      .where('holder', '=', this.#holder)
      .where('state', '=', 'waiting')
      .executeTakeFirst()
    if (numUpdatedRows === 0n) throw takenOver()
  }

  /** Nothing has happened: the same call may come again. */
  async release(key: string): Promise<void> {
    await this.#note('deleted', () =>
      this.#store.db.deleteFrom('write_journal').where('key', '=', key).where('holder', '=', this.#holder).execute(),
    )
  }

  /** A large output is not kept: then a repetition hears that the write was sent, and has to look for itself. */
  async done(key: string, output: JsonRecord): Promise<void> {
    const text = JSON.stringify(output)
    const kept = text.length <= journalOutputLengthMax ? text : null
    await this.#note('done', () =>
      this.#store.db.updateTable('write_journal').set({ state: 'done', output: kept }).where('key', '=', key).execute(),
    )
  }

  async unknown(key: string): Promise<void> {
    await this.#note('unknown', () =>
      this.#store.db
        .updateTable('write_journal')
        .set({ state: 'unknown' })
        .where('key', '=', key)
        .where('state', '=', 'sending')
        .execute(),
    )
  }

  #standingOf(row: Row, { sameForMs }: JournalEntry, now: number): Standing {
    const { state, sent_at: sentAt } = row
    if (state === 'unknown') return { kind: 'unknown', sentAt }
    if (state === 'done') {
      const output = parsedOutput(row)
      if (output === undefined) return { kind: 'unknown', sentAt }
      return now - sentAt < sameForMs ? { kind: 'done', output } : ours
    }
    // Of this process no call is at it any more: it could not write what became of it.
    const isAbandoned = row.holder === this.#holder || now > row.ends_at + replicaClockSkewMs
    if (!isAbandoned) return { kind: 'elsewhere', sentAt, hasLeft: state === 'sending' && sentAt <= now }
    return state === 'waiting' ? ours : { kind: 'unknown', sentAt }
  }

  async #take(transaction: ForumTransaction, entry: JournalEntry, endsAt: number, now: number): Promise<void> {
    const { key, base, tool } = entry
    const row = { state: 'waiting', holder: this.#holder, ends_at: endsAt, sent_at: now, output: null } as const
    await transaction
      .insertInto('write_journal')
      .values({ key, base, tool, ...row })
      .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
      .execute()
  }

  /** What has happened has happened, also where it can't be written down: the row then tells less, and never too much. */
  async #note(what: string, write: () => Promise<unknown>): Promise<void> {
    try {
      await write()
    } catch (error) {
      this.#log.error({ err: error, state: what }, 'What became of a write could not be recorded')
    }
  }
}

const ours: Standing = { kind: 'ours' }

/** It has waited longer than it said. */
function takenOver(): ForumFailure {
  const words =
    'The time of this call was over before its write could leave, and another call has taken it over. Call again.'
  return new ForumFailure('timeout', words, { outcome: 'rejected' })
}

function parsedOutput({ output }: Row): JsonRecord | undefined {
  const value: unknown = output === null ? undefined : JSON.parse(output)
  return isRecord(value) ? value : undefined
}
