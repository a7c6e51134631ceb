import type { Store } from '@callboard/store'
import type { Clock } from '@callboard/worker/clock'
import { heartbeatMs, heartbeatStaleMs, processForgottenMs } from '../limits.js'
import type { Log } from '../log.js'
import type { SchedulerSchema } from '../records/schema.js'
import { Repeating } from '../repeating.js'

export interface ProcessKeeperOptions {
  /** Of this process, new for each. */
  readonly id: string
  readonly host: string
  readonly pid: number
  readonly store: Store<SchedulerSchema>
  readonly clock: Clock
  readonly log: Log
  /** The number of others is another one than before. */
  readonly onChange?: () => void
}

/** Says that this process lives, and knows how many others on this database do. */
export class ProcessKeeper {
  readonly #options: ProcessKeeperOptions
  #beats: Repeating | undefined
  #others = 0

  constructor(options: ProcessKeeperOptions) {
    this.#options = options
  }

  /** Other processes that live, as of the last heartbeat: one that has just started may be missing for 20 s. */
  others(): number {
    return this.#others
  }

  /** Once. Resolves when this process is on record and the others are counted. */
  async start(): Promise<void> {
    await this.beat()
    const { clock, log } = this.#options
    this.#beats = new Repeating(
      clock,
      heartbeatMs,
      () => this.beat(),
      (err) => log.warn({ err }, 'heartbeat failed'),
    )
  }

  /** Writes the row anew where another process has taken a long silence for the end of this one. */
  async beat(): Promise<void> {
    const { id, host, pid, store, clock } = this.#options
    const now = clock.now()
    await store.db
      .insertInto('processes')
      .values({ id, host, pid, started_at: now, heartbeat_at: now })
      .onConflict((same) => same.column('id').doUpdateSet({ heartbeat_at: now }))
      .execute()
    await store.db
      .deleteFrom('processes')
      .where('heartbeat_at', '<', now - processForgottenMs)
      .where('id', '!=', id)
      .execute()
    const { count } = await store.db
      .selectFrom('processes')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('id', '!=', id)
      .where('heartbeat_at', '>=', now - heartbeatStaleMs)
      .executeTakeFirstOrThrow()
    const isChanged = count !== this.#others
    this.#others = count
    if (isChanged) this.#options.onChange?.()
  }

  /** Takes this process off the record. Idempotent. */
  async close(): Promise<void> {
    if (this.#beats === undefined) return
    await this.#beats.close()
    this.#beats = undefined
    const { id, store } = this.#options
    await store.db.deleteFrom('processes').where('id', '=', id).execute()
  }
}
