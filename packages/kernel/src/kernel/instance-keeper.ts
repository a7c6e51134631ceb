import { instanceBeatMs, instanceSilenceMs } from '../limits.js'
import type { InstanceRecords, InstanceRow } from '../records/instance-records.js'

export interface InstanceKeeperOptions {
  readonly id: string
  readonly records: InstanceRecords
  /** `gone` and `alive` where this machine can tell, else `unknown`. */
  readonly stateOf: (row: InstanceRow) => Promise<'alive' | 'gone' | 'unknown'>
  /** Settles everything that an instance that is gone has left; may be told of the same one twice. */
  readonly bury: (instance: string) => Promise<void>
  readonly now?: () => number
}

/** Says that this instance lives, and finds those that do so no more: killed ones, of machines that were switched off too. */
export class InstanceKeeper {
  readonly #options: InstanceKeeperOptions
  readonly #now: () => number
  #timer: NodeJS.Timeout | undefined
  #round: Promise<void> = Promise.resolve()

  constructor(options: InstanceKeeperOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Resolves when what was left behind before is settled: nobody may be told before that a dead run goes on. */
  async start(pid: number, pidStarted: string | null): Promise<void> {
    const register = () => this.#options.records.register(this.#options.id, pid, pidStarted)
    await register()
    await this.buryTheGone()
    this.#timer = setInterval(() => this.#beat(register), instanceBeatMs)
    this.#timer.unref()
  }

  async buryTheGone(): Promise<void> {
    const { id, records, bury } = this.#options
    for (const row of await records.others(id)) {
      if (!(await this.#isGone(row))) continue
      await bury(row.id)
      await records.forget(row.id)
    }
  }

  /** After everything of this instance has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#round
    const { id, records, bury } = this.#options
    await bury(id)
    await records.forget(id)
  }

  async #isGone(row: InstanceRow): Promise<boolean> {
    const state = await this.#options.stateOf(row)
    if (state !== 'unknown') return state === 'gone'
    return row.seenAt < this.#now() - instanceSilenceMs
  }

  /** The store may be away for a while: the next beat tries again. */
  #beat(register: () => Promise<void>): void {
    const { id, records } = this.#options
    this.#round = records
      .touch(id)
      .then((known) => (known ? undefined : register()))
      .then(() => this.buryTheGone())
      .catch(() => {})
  }
}
