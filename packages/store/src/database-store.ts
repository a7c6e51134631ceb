import type { Kysely, Transaction } from 'kysely'
import { SerialQueue } from './serial-queue.js'
import type { DialectName, Store, TransactionOptions } from './store.js'
import type { TransactionScope } from './transaction-scope.js'

/** What a dialect opens: Kysely, and how to give back what Kysely does not own. */
export interface OpenDatabase<Schema> {
  readonly dialect: DialectName
  readonly db: Kysely<Schema>
  release(): Promise<void>
}

export class DatabaseStore<Schema> implements Store<Schema> {
  readonly db: Kysely<Schema>
  readonly dialect: DialectName
  readonly #database: OpenDatabase<Schema>
  readonly #scope: TransactionScope
  readonly #queue: SerialQueue
  #closed: Promise<void> | undefined

  constructor(name: string, database: OpenDatabase<Schema>, scope: TransactionScope) {
    this.db = database.db
    this.dialect = database.dialect
    this.#database = database
    this.#scope = scope
    this.#queue = new SerialQueue(name)
  }

  async transaction<Result>(
    work: (transaction: Transaction<Schema>) => Promise<Result>,
    { signal }: TransactionOptions = {},
  ): Promise<Result> {
    this.#scope.refuseInside()
    return this.#queue.run(() => this.#transact(work, signal), signal)
  }

  async close(): Promise<void> {
    this.#scope.refuseInside()
    this.#closed ??= this.#close()
    await this.#closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  #transact<Result>(
    work: (transaction: Transaction<Schema>) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    return this.db.transaction().execute((transaction) =>
      this.#scope.run(async () => {
        signal?.throwIfAborted()
        const result = await work(transaction)
        signal?.throwIfAborted()
        return result
      }),
    )
  }

  async #close(): Promise<void> {
    await this.#queue.close()
    try {
      await this.db.destroy()
    } finally {
      await this.#database.release()
    }
  }
}
