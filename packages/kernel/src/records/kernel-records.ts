import type { Store } from '@callboard/store'
import { storable } from '@callboard/store'
import { kernelsKeptMax, storedTextLengthMax } from '../limits.js'
import type { Death } from '../runtime/death.js'
import type { KernelSchema } from './schema.js'

export interface KernelBeginning {
  readonly owner: string
  readonly kernel: string
  readonly runtime: string
  readonly pid: number
  readonly pidStarted: string | null
}

/** A process that an instance started and did not see the end of. */
export interface OpenKernel {
  readonly owner: string
  readonly epoch: number
  readonly kernel: string
  readonly runtime: string
  readonly instance: string
  readonly pid: number
  readonly pidStarted: string | null
}

/** Every process of every kernel: the epochs of an owner. */
export class KernelRecords {
  readonly #store: Store<KernelSchema>
  readonly #instance: string
  readonly #now: () => number

  constructor(store: Store<KernelSchema>, instance: string, now: () => number = Date.now) {
    this.#store = store
    this.#instance = instance
    this.#now = now
  }

  /** Returns the epoch. What the kernel's names come from goes on with the new process until `forgetJournal`. */
  begin({ owner, kernel, runtime, pid, pidStarted }: KernelBeginning): Promise<number> {
    return this.#store.transaction(async (transaction) => {
      const newest = await transaction
        .selectFrom('kernels')
        .select((of) => of.fn.max('epoch').as('epoch'))
        .where('owner', '=', owner)
        .executeTakeFirst()
      const last = await transaction
        .selectFrom('kernels')
        .select('journal_from')
        .where('owner', '=', owner)
        .where('kernel', '=', kernel)
        .orderBy('epoch', 'desc')
        .limit(1)
        .executeTakeFirst()
      const epoch = Number(newest?.epoch ?? 0) + 1
      await transaction
        .insertInto('kernels')
        .values({
          owner,
          epoch,
          kernel,
          runtime,
          instance: this.#instance,
          pid,
          pid_started: pidStarted,
          journal_from: last?.journal_from ?? 0,
          started_at: this.#now(),
        })
        .execute()
      await transaction
        .deleteFrom('kernels')
        .where('owner', '=', owner)
        .where('epoch', '<=', epoch - kernelsKeptMax)
        .where('ended_at', 'is not', null)
        .execute()
      return epoch
    })
  }

  async end(owner: string, epoch: number, { code, signal }: Pick<Death, 'code' | 'signal'>, reason: string) {
    await this.#store.db
      .updateTable('kernels')
      .set({ ended_at: this.#now(), exit_code: code, signal, reason: storable(reason, storedTextLengthMax) })
      .where('owner', '=', owner)
      .where('epoch', '=', epoch)
      .where('ended_at', 'is', null)
      .execute()
  }

  /** Epoch and reason of the last process of this kernel; undefined if it never had one. */
  async last(owner: string, kernel: string): Promise<{ epoch: number; reason: string | null } | undefined> {
    return this.#store.db
      .selectFrom('kernels')
      .select(['epoch', 'reason'])
      .where('owner', '=', owner)
      .where('kernel', '=', kernel)
      .orderBy('epoch', 'desc')
      .limit(1)
      .executeTakeFirst()
  }

  /** The first run whose effects a replay brings back. */
  async journalFrom(owner: string, kernel: string): Promise<number> {
    const row = await this.#store.db
      .selectFrom('kernels')
      .select('journal_from')
      .where('owner', '=', owner)
      .where('kernel', '=', kernel)
      .orderBy('epoch', 'desc')
      .limit(1)
      .executeTakeFirst()
    return row?.journal_from ?? 0
  }

  /** The names were given up on purpose: runs up to now are not to come back. */
  async forgetJournal(owner: string, kernel: string): Promise<void> {
    await this.#store.transaction(async (transaction) => {
      const newest = await transaction
        .selectFrom('runs')
        .select((of) => of.fn.max('run_id').as('run_id'))
        .where('owner', '=', owner)
        .executeTakeFirst()
      await transaction
        .updateTable('kernels')
        .set({ journal_from: Number(newest?.run_id ?? 0) + 1 })
        .where('owner', '=', owner)
        .where('kernel', '=', kernel)
        .execute()
    })
  }

  /** Processes of that instance that seem to live. */
  async openOf(instance: string): Promise<readonly OpenKernel[]> {
    const rows = await this.#store.db
      .selectFrom('kernels')
      .selectAll()
      .where('ended_at', 'is', null)
      .where('instance', '=', instance)
      .execute()
    return rows.map(openKernelOf)
  }

  /** The process of this kernel that another instance started and that has not ended, as far as is written. */
  async elsewhere(owner: string, kernel: string): Promise<OpenKernel | undefined> {
    const row = await this.#store.db
      .selectFrom('kernels')
      .selectAll()
      .where('owner', '=', owner)
      .where('kernel', '=', kernel)
      .where('ended_at', 'is', null)
      .where('instance', '!=', this.#instance)
      .executeTakeFirst()
    return row && openKernelOf(row)
  }

  async bury(instance: string): Promise<void> {
    await this.#store.db
      .updateTable('kernels')
      .set({ ended_at: this.#now(), reason: 'Its worker ended without a word, and this process with it.' })
      .where('instance', '=', instance)
      .where('ended_at', 'is', null)
      .execute()
  }
}

function openKernelOf(row: {
  readonly owner: string
  readonly epoch: number
  readonly kernel: string
  readonly runtime: string
  readonly instance: string
  readonly pid: number
  readonly pid_started: string | null
}): OpenKernel {
  const { owner, epoch, kernel, runtime, instance, pid, pid_started: pidStarted } = row
  return { owner, epoch, kernel, runtime, instance, pid, pidStarted }
}
