import { AskedCall } from '../chaos/asked-call.js'
import type { Caller } from '../chaos/caller.js'
import type { CallRecord, ToolKind } from '../chaos/records.js'
import { now } from '../hub-process.js'

const kinds: readonly ToolKind[] = ['record', 'record_idempotent', 'record', 'read', 'record_brief']
const everyMs = 10
const workMsMin = 5
const workMsSpread = 16

/** Asks at a fixed pace, whatever becomes of what it asked before. */
export class LinkLoad {
  readonly #calls: AskedCall[] = []
  readonly #timer: NodeJS.Timeout

  /** `rate` is in calls a second. */
  constructor(callers: readonly Caller[], rate: number) {
    const beganAt = now()
    this.#timer = setInterval(() => {
      const due = ((now() - beganAt) / 1_000) * rate
      while (this.#calls.length < due) this.#ask(callers)
    }, everyMs)
  }

  /** So far. */
  get records(): CallRecord[] {
    return this.#calls.map(({ record }) => record)
  }

  /** Resolves when each call that was asked has ended. */
  async end(): Promise<readonly CallRecord[]> {
    clearInterval(this.#timer)
    await Promise.all(this.#calls.map(({ settled }) => settled))
    return this.records
  }

  #ask(callers: readonly Caller[]): void {
    const serial = this.#calls.length
    const workMs = workMsMin + ((serial * 7919) % workMsSpread)
    const asked = { canary: `link-${serial}`, kind: kinds[serial % kinds.length]!, workMs }
    this.#calls.push(new AskedCall(callers[serial % callers.length]!, asked))
  }
}
