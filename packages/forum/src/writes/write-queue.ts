import type { Transaction } from 'kysely'
import { ForumFailure } from '../failure/forum-failure.js'
import type { Foundation } from '../foundation.js'
import type { Scope } from '../http/site-client.js'
import { callMs, dispatchSlackMs, writeIntervalMs, writesWaitingMax } from '../limits.js'
import type { ForumSchema } from '../records/schema.js'

export type ForumTransaction = Transaction<ForumSchema>

/** Those who wait for their turn on one forum. */
interface Line {
  /** Resolves when all that have come so far are gone. */
  tail: Promise<unknown>
  waiting: number
}

export interface Turn {
  /** When the write may leave, UTC ms; that time has come. */
  readonly at: number
  /** It leaves now, or never: the next one's turn comes. Once is enough. */
  readonly over: () => void
}

/**
 * The pace of writes, which all tools, sessions and replicas keep together: whoever is at the head of this process's line
 * reserves the forum's next free time in the store, and waits for it. So a process holds one time at most that it may not use.
 */
export class WriteQueue {
  readonly #store: Foundation['store']
  readonly #clock: Foundation['clock']
  readonly #lines = new Map<string, Line>()

  constructor({ store, clock }: Pick<Foundation, 'store' | 'clock'>) {
    this.#store = store
    this.#clock = clock
  }

  /**
   * Resolves when the caller's write may leave. `reserved` runs in the transaction that takes the time. Rejects with a
   * ForumFailure `rate_limited`, `timeout` or `cancelled`, or with what `reserved` threw; then nobody may send.
   */
  async turn(
    base: string,
    scope: Scope,
    reserved: (transaction: ForumTransaction, at: number) => Promise<void> = async () => undefined,
  ): Promise<Turn> {
    const line = this.#lineOf(base)
    this.#requireRoom(line, scope)
    const { ahead, leave } = this.#join(base, line)
    try {
      await this.#waitFor(ahead, scope)
      const at = await this.#take(base, scope, reserved)
      return { at, over: () => leave(this.#keepDistance(base, at)) }
    } catch (error) {
      leave()
      throw error
    }
  }

  /** `leave` lets the next one go on, when that promise has resolved. */
  #join(base: string, line: Line) {
    const ahead = line.tail
    let isGone = false
    let leave: (when?: Promise<void>) => void = () => undefined
    const gone = new Promise<void>((resolve) => {
      leave = (when) => {
        if (isGone) return
        isGone = true
        line.waiting -= 1
        if (line.waiting === 0 && when === undefined) this.#lines.delete(base)
        resolve(when)
      }
    })
    line.tail = ahead.then(() => gone)
    line.waiting += 1
    return { ahead, leave }
  }

  /** One that was held up on its way, because the forum asked for a pause, leaves later than planned. */
  #keepDistance(base: string, at: number): Promise<void> | undefined {
    const next_at = this.#clock.now() + writeIntervalMs
    if (next_at <= at + writeIntervalMs + dispatchSlackMs) return undefined
    return this.#store.db
      .updateTable('write_slots')
      .set({ next_at })
      .where('base', '=', base)
      .where('next_at', '<', next_at)
      .execute()
      .then(
        () => undefined,
        () => undefined,
      )
  }

  #lineOf(base: string): Line {
    const known = this.#lines.get(base)
    if (known !== undefined) return known
    const line = { tail: Promise.resolve(), waiting: 0 }
    this.#lines.set(base, line)
    return line
  }

  #requireRoom({ waiting }: Line, { deadline, signal }: Scope): void {
    if (signal.aborted) throw cancelled()
    if (waiting >= writesWaitingMax) throw fullLine(waiting)
    // The one at the head may be about to leave.
    const earliest = this.#clock.now() + (waiting - 1) * writeIntervalMs
    if (earliest > deadline) throw tooLate(earliest - this.#clock.now())
  }

  async #waitFor(ahead: Promise<unknown>, { deadline, signal }: Scope): Promise<void> {
    const ended = new AbortController()
    try {
      await Promise.race([ahead, this.#clock.sleepUntil(deadline, AbortSignal.any([signal, ended.signal]))])
    } finally {
      ended.abort()
    }
    if (signal.aborted) throw cancelled()
    if (this.#clock.now() > deadline) throw tooLate(writeIntervalMs)
  }

  async #take(
    base: string,
    scope: Scope,
    reserved: (transaction: ForumTransaction, at: number) => Promise<void>,
  ): Promise<number> {
    const { deadline, signal } = scope
    const at = await this.#store
      .transaction((transaction) => this.#reserve(transaction, base, deadline, reserved), { signal })
      .catch((error: unknown) => {
        throw signal.aborted ? cancelled() : error
      })
    await this.#clock.sleepUntil(at, signal)
    if (!signal.aborted) return at
    await this.#giveBack(base, at)
    throw cancelled()
  }

  async #reserve(
    transaction: ForumTransaction,
    base: string,
    deadline: number,
    reserved: (transaction: ForumTransaction, at: number) => Promise<void>,
  ): Promise<number> {
    const now = this.#clock.now()
    const row = await transaction
      .selectFrom('write_slots')
      .select('next_at')
      .where('base', '=', base)
      .executeTakeFirst()
    const next = row?.next_at ?? now
    // Nobody reserves beyond the time of a call: the clock has been set back.
    const at = next > now + callMs + writeIntervalMs ? now : Math.max(now, next)
    if (at > deadline) throw tooLate(at - now)
    const next_at = at + writeIntervalMs
    await transaction
      .insertInto('write_slots')
      .values({ base, next_at })
      .onConflict((conflict) => conflict.column('base').doUpdateSet({ next_at }))
      .execute()
    await reserved(transaction, at)
    return at
  }

  /** Unless somebody has taken the time after it. */
  async #giveBack(base: string, at: number): Promise<void> {
    await this.#store.db
      .updateTable('write_slots')
      .set({ next_at: at })
      .where('base', '=', base)
      .where('next_at', '=', at + writeIntervalMs)
      .execute()
      // Then one second passes without a write.
      .catch(() => undefined)
  }
}

function cancelled(): ForumFailure {
  return new ForumFailure('cancelled', 'The call was cancelled before anything was sent; nothing has happened.', {
    outcome: 'rejected',
  })
}

function fullLine(waiting: number): ForumFailure {
  const seconds = Math.ceil((waiting * writeIntervalMs) / 1000)
  return new ForumFailure(
    'rate_limited',
    `${waiting} writes to this forum wait for their turn already, one leaves every second; nothing was sent. Call again in ${seconds} s.`,
    { outcome: 'rejected', retry_after_s: seconds },
  )
}

function tooLate(ms: number): ForumFailure {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return new ForumFailure(
    'timeout',
    `Writes to this forum leave one a second, and the turn of this one would have come after the time that the call has; nothing was sent. Call again in ${seconds} s.`,
    { outcome: 'rejected', retry_after_s: seconds },
  )
}
