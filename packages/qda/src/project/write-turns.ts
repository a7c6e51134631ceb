import type { Clock } from '@callboard/worker/clock'
import { QdaFailure } from '../failure.js'
import { busyRetryMs, busyWaitMs, lockedReadMs, writesWaitingMax } from '../limits.js'
import type { ProjectDatabase } from './project-database.js'

/** Thrown inside a transaction to take everything back and give a value all the same. */
export class RolledBack<Value> extends Error {
  readonly value: Value

  constructor(value: Value) {
    super('rolled back on purpose')
    this.value = value
  }
}

/** Writes of all sessions, one after the other, each whole or not at all in both files. */
export class WriteTurns {
  readonly #db: ProjectDatabase
  readonly #clock: Clock
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0

  constructor(db: ProjectDatabase, clock: Clock) {
    this.#db = db
    this.#clock = clock
  }

  /** Runs `body`, which must not wait for anything, in a transaction. Throws PROJECT_BUSY while another program writes. */
  transaction<Value>(body: () => Value, signal?: AbortSignal): Promise<Value> {
    return this.alone(async () => {
      await this.#begin(signal)
      try {
        const value = body()
        this.#commit()
        return value
      } catch (error) {
        if (this.#db.connection.inTransaction) this.#db.connection.exec('ROLLBACK')
        if (error instanceof RolledBack) return error.value as Value
        throw error
      }
    })
  }

  /** Runs `body` while nothing else of this worker writes to the project. */
  alone<Value>(body: () => Promise<Value>): Promise<Value> {
    if (this.#waiting >= writesWaitingMax) return Promise.reject(busy('Too many writes wait for their turn'))
    this.#waiting += 1
    const turn = this.#last.then(body).finally(() => {
      this.#waiting -= 1
    })
    this.#last = turn.catch(() => undefined)
    return turn
  }

  /** Resolves when nothing writes any more. */
  async idle(): Promise<void> {
    await this.#last
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

export function isBusy(error: unknown): boolean {
  const { code } = error as { readonly code?: unknown }
  return typeof code === 'string' && (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED'))
}

function busy(why: string): QdaFailure {
  return new QdaFailure('PROJECT_BUSY', `${why}; nothing was changed. Repeat the call in a moment`, {
    details: { retryable: true },
  })
}
