import type { Store } from '@callboard/store'
import type { KernelSchema } from './schema.js'

export interface InstanceRow {
  readonly id: string
  readonly pid: number
  /** As the system counts; null where it cannot be known. */
  readonly pidStarted: string | null
  /** UTC ms of its last sign of life. */
  readonly seenAt: number
}

/** The instances of this worker that share the store, as each of them says that it lives. */
export class InstanceRecords {
  readonly #store: Store<KernelSchema>
  readonly #now: () => number

  constructor(store: Store<KernelSchema>, now: () => number = Date.now) {
    this.#store = store
    this.#now = now
  }

  async register(id: string, pid: number, pidStarted: string | null): Promise<void> {
    await this.#store.db
      .insertInto('instances')
      .values({ id, pid, pid_started: pidStarted, seen_at: this.#now() })
      .execute()
  }

  /** False: another instance took the silence of this one, e.g. of a machine that slept, for its end. */
  async touch(id: string): Promise<boolean> {
    const update = this.#store.db.updateTable('instances').set({ seen_at: this.#now() }).where('id', '=', id)
    return (await update.executeTakeFirst()).numUpdatedRows > 0n
  }

  async others(id: string): Promise<readonly InstanceRow[]> {
    const rows = await this.#store.db.selectFrom('instances').selectAll().where('id', '!=', id).execute()
    return rows.map((row) => ({ id: row.id, pid: row.pid, pidStarted: row.pid_started, seenAt: row.seen_at }))
  }

  /** Last, when everything that it held is settled. */
  async forget(id: string): Promise<void> {
    await this.#store.db.deleteFrom('instances').where('id', '=', id).execute()
  }
}
