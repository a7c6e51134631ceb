import type { Kysely, Transaction } from 'kysely'

export type DialectName = 'sqlite' | 'postgres'

export interface TransactionOptions {
  /** Aborts the wait for the turn, and rolls back a transaction that has not committed yet. */
  readonly signal?: AbortSignal
}

/**
 * One worker's database. Both dialects promise the same: one writer at a time over all processes, so a transaction reads
 * nothing that another one could change before it commits, and it runs exactly once.
 */
export interface Store<Schema> extends AsyncDisposable {
  /** For single statements, which commit by themselves. Inside a transaction use its own handle: this one refuses there. */
  readonly db: Kysely<Schema>
  readonly dialect: DialectName

  /**
   * Runs `work` in a write transaction: commits when it resolves, rolls back when it rejects. Transactions of one process
   * run one at a time, in the order of the calls; a nested call is refused. A transaction in which a statement failed
   * cannot commit, even if `work` swallowed the error.
   *
   * Rejects with what `work` threw, with `signal.reason`, or with a StoreError: `locked` (nothing has run), `unavailable`
   * (PostgreSQL lost; if that happened during the commit, it may have been stored all the same).
   */
  transaction<Result>(
    work: (transaction: Transaction<Schema>) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>

  /** Lets the running transaction finish, rejects the waiting ones (`unavailable`) and frees the files and connections. Idempotent. */
  close(): Promise<void>
}
