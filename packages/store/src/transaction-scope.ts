import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Knows whether the running code is inside a transaction of its store. There, asking for another connection would wait for
 * ever on SQLite, which has one, and would silently leave the transaction on PostgreSQL; both refuse instead.
 */
export class TransactionScope {
  readonly #storeName: string
  readonly #current = new AsyncLocalStorage<{ open: boolean }>()

  constructor(storeName: string) {
    this.#storeName = storeName
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    const transaction = { open: true }
    try {
      return await this.#current.run(transaction, work)
    } finally {
      // Work that outlives the transaction keeps its context, and may use the store again.
      transaction.open = false
    }
  }

  refuseInside(): void {
    if (!this.#current.getStore()?.open) return
    throw new Error(`Inside a transaction of the store "${this.#storeName}" use the transaction's own handle`)
  }
}
