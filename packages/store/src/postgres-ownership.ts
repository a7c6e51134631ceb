import type { ClientConfig } from 'pg'
import { ownershipWaitMs } from './limits.js'
import type { PgModule } from './pg-module.js'
import { advisoryKey } from './postgres-lock.js'
import { StoreError } from './store-error.js'

type Client = InstanceType<PgModule['Client']>

/**
 * Holds a session-level advisory lock on a connection of its own. The server frees it with the connection, so it may be lost
 * while the process lives: every write asks for `hold` first, and is refused once another process has taken over.
 */
export class PostgresOwnership {
  readonly #pg: PgModule
  readonly #config: ClientConfig
  readonly #schema: string
  #held: Promise<Client> | undefined

  constructor(pg: PgModule, config: ClientConfig, schema: string) {
    this.#pg = pg
    this.#config = config
    this.#schema = schema
  }

  /** Resolves at once while the lock is held, else takes it. Rejects with StoreError `locked` or the driver's error. */
  async hold(): Promise<void> {
    if (!this.#held) {
      const held = this.#acquire(() => {
        if (this.#held === held) this.#held = undefined
      })
      this.#held = held
    }
    await this.#held
  }

  async release(): Promise<void> {
    const client = await this.#held?.catch(() => undefined)
    await client?.end()
  }

  async #acquire(lose: () => void): Promise<Client> {
    const client = new this.#pg.Client(this.#config)
    client.on('error', lose)
    client.on('end', lose)
    try {
      await client.connect()
      await client.query(`set lock_timeout = ${ownershipWaitMs}`)
      await client.query('select pg_advisory_lock($1, $2)', advisoryKey('owner', this.#schema))
      return client
    } catch (error) {
      lose()
      await client.end().catch(() => undefined)
      throw isLockTimeout(error) ? this.#heldElsewhere() : error
    }
  }

  #heldElsewhere(): StoreError {
    return new StoreError(
      'locked',
      `Another process is using the PostgreSQL schema ${this.#schema}: stop it, or give this one another DATABASE_URL.`,
    )
  }
}

function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '55P03'
}
