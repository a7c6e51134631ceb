import type { CompiledQuery, DatabaseConnection, Driver, QueryResult, TransactionSettings } from 'kysely'
import type { TransactionScope } from './transaction-scope.js'

/** Where the databases differ beneath Kysely's own drivers. */
export interface DriverRules {
  /** Begins a transaction that holds the store's write lock, or leaves none open. */
  begin(driver: Driver, connection: DatabaseConnection, settings: TransactionSettings): Promise<void>
  /** Performs a statement outside a transaction. */
  autocommit(driver: Driver, connection: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<unknown>>
  /** The StoreError for what an operator can do something about, any other error as it is. */
  translate(error: unknown): unknown
}

/** Makes Kysely's driver of either database behave alike. Savepoints are left out: transactions do not nest. */
export class StoreDriver implements Driver {
  readonly #inner: Driver
  readonly #rules: DriverRules
  readonly #scope: TransactionScope

  constructor(inner: Driver, rules: DriverRules, scope: TransactionScope) {
    this.#inner = inner
    this.#rules = rules
    this.#scope = scope
  }

  async init(): Promise<void> {
    await this.#inner.init()
  }

  async acquireConnection(): Promise<StoreConnection> {
    this.#scope.refuseInside()
    try {
      return new StoreConnection(this.#inner, await this.#inner.acquireConnection(), this.#rules)
    } catch (error) {
      throw this.#rules.translate(error)
    }
  }

  beginTransaction(connection: StoreConnection, settings: TransactionSettings): Promise<void> {
    return connection.begin(settings)
  }

  commitTransaction(connection: StoreConnection): Promise<void> {
    return connection.commit()
  }

  rollbackTransaction(connection: StoreConnection): Promise<void> {
    return connection.rollback()
  }

  async releaseConnection(connection: StoreConnection): Promise<void> {
    await this.#inner.releaseConnection(connection.inner)
  }

  async destroy(): Promise<void> {
    await this.#inner.destroy()
  }
}

/**
 * A failed statement ends its transaction. PostgreSQL does so by itself, but turns the later COMMIT into a silent
 * rollback, while SQLite would go on: neither may look like success to code that was tested on the other.
 */
class StoreConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection
  readonly #driver: Driver
  readonly #rules: DriverRules
  #state: 'autocommit' | 'open' | 'failed' = 'autocommit'

  constructor(driver: Driver, inner: DatabaseConnection, rules: DriverRules) {
    this.#driver = driver
    this.inner = inner
    this.#rules = rules
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    this.#refuseFailed()
    try {
      const result = await (this.#state === 'open'
        ? this.inner.executeQuery(query)
        : this.#rules.autocommit(this.#driver, this.inner, query))
      return result as QueryResult<Row>
    } catch (error) {
      if (this.#state === 'open') this.#state = 'failed'
      throw this.#rules.translate(error)
    }
  }

  streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<Row>> {
    return this.inner.streamQuery(query, chunkSize)
  }

  async begin(settings: TransactionSettings): Promise<void> {
    try {
      await this.#rules.begin(this.#driver, this.inner, settings)
    } catch (error) {
      throw this.#rules.translate(error)
    }
    this.#state = 'open'
  }

  async commit(): Promise<void> {
    this.#refuseFailed()
    try {
      await this.#driver.commitTransaction(this.inner)
    } catch (error) {
      throw this.#rules.translate(error)
    }
    this.#state = 'autocommit'
  }

  async rollback(): Promise<void> {
    this.#state = 'autocommit'
    // A database that cannot roll back has done so already: SQLite after a full disk, PostgreSQL after a lost connection.
    // The error that led here is the one to tell.
    await this.#driver.rollbackTransaction(this.inner).catch(() => undefined)
  }

  #refuseFailed(): void {
    if (this.#state === 'failed') throw new Error('A statement of this transaction has failed: it can only roll back')
  }
}
