import type { Clock } from '@callboard/worker/clock'
import { QdaFailure } from '../failure.js'
import { busyRetryMs, busyWaitMs, lockedReadMs, writesWaitingMax } from '../limits.js'
import { isBusy } from './database-failure.js'
import type { ProjectDatabase } from './project-database.js'

/** Thrown inside a transaction to take everything back and give a value all the same. */
export class RolledBack<Value> extends Error {
  readonly value: Value

  constructor(value: Value) {
    super('rolled back on purpose')
    this.value = value
  }
}

/** What must be known of each transaction. Both are called within it, so that nothing comes between. */
export interface TransactionWatch {
  /** Nobody else can write from now on. Throws where nothing may be written after all. */
  begun(): void
  /** What was read in it was never so. */
  rolledBack(): void
}

/** Runs work that waits for nothing in a transaction of its own. */
export type Transact = <Value>(work: () => Value) => Promise<Value>

/** Writes of all sessions, one after the other, each whole or not at all in both files. */
export class WriteTurns {
  readonly #db: ProjectDatabase
  readonly #clock: Clock
  readonly #watch: TransactionWatch | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(db: ProjectDatabase, clock: Clock, watch?: TransactionWatch) {
    this.#db = db
    this.#clock = clock
    this.#watch = watch
  }

  /**
   * Runs `work`, which must not wait for anything, in a transaction. Throws PROJECT_BUSY while another program writes, and the
   * signal's reason if that comes before its turn.
   */
  transaction<Value>(work: () => Value, signal?: AbortSignal): Promise<Value> {
    return this.alone(() => this.#transact(work, signal), signal)
  }

  /** Runs `body` while nothing else of this worker writes to the project. It has transactions by what it is given, and only so. */
  alone<Value>(body: (transact: Transact) => Promise<Value>, signal?: AbortSignal): Promise<Value> {
    if (this.#waiting >= writesWaitingMax) return Promise.reject(busy('Too many writes wait for their turn'))
    this.#waiting += 1
    const turn = this.#last
      .then(() => {
        signal?.throwIfAborted()
        return body((work) => this.#transact(work))
      })
      .finally(() => {
        this.#waiting -= 1
      })
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** Resolves when nothing writes any more. */
  async idle(): Promise<void> {
    await this.#last
  }

  async #transact<Value>(work: () => Value, signal?: AbortSignal): Promise<Value> {
    await this.#begin(signal)
    try {
      this.#watch?.begun()
      const value = work()
      this.#commit()
      return value
    } catch (error) {
      // Some errors have ended it already.
      if (this.#db.connection.inTransaction) this.#db.connection.exec('ROLLBACK')
      this.#watch?.rolledBack()
      if (error instanceof RolledBack) return error.value as Value
      throw error
    }
  }

  /** The event loop goes on meanwhile: a worker that waits is not a dead one. */
  async #begin(signal: AbortSignal | undefined): Promise<void> {
    const until = this.#clock.monotonic() + busyWaitMs
    for (;;) {
      signal?.throwIfAborted()
      if (this.#isBegun()) return
      if (this.#clock.monotonic() >= until) throw busy('Another program is writing to the project')
      await this.#clock.sleepUntil(this.#clock.now() + busyRetryMs, signal)
    }
  }

  #isBegun(): boolean {
    const { connection } = this.#db
    connection.pragma('busy_timeout = 0')
    try {
      connection.exec('BEGIN IMMEDIATE')
      return true
    } catch (error) {
      if (isBusy(error)) return false
      throw error
    } finally {
      connection.pragma(`busy_timeout = ${lockedReadMs}`)
    }
  }

  /** Waits, within SQLite, for readers of other programs to finish. */
  #commit(): void {
    try {
      this.#db.connection.exec('COMMIT')
    } catch (error) {
      if (isBusy(error)) throw busy('Another program is reading the project')
      throw error
    }
  }
}

function busy(why: string): QdaFailure {
  return new QdaFailure('PROJECT_BUSY', `${why}; nothing was changed. Repeat the call in a moment`, {
    details: { retryable: true },
  })
}
