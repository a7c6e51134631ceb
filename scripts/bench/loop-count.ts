import { promiseHooks } from 'node:v8'

/** What a process asked of its event loop. */
export interface LoopCounts {
  readonly promises: number
  /** `setImmediate` and `setTimeout`. */
  readonly timers: number
}

/** Counts in the process that it is in. */
export class LoopCount {
  #isCounting = false
  #promises = 0
  #timers = 0
  #stopPromises: () => void = () => undefined

  install(): void {
    for (const name of ['setImmediate', 'setTimeout'] as const) {
      const original = globalThis[name] as (...words: unknown[]) => unknown
      const counted = (...words: unknown[]) => {
        if (this.#isCounting) this.#timers += 1
        return original(...words)
      }
      // What else it has, for `util.promisify`, stays.
      Object.assign(globalThis, {
        [name]: Object.defineProperties(counted, Object.getOwnPropertyDescriptors(original)),
      })
    }
  }

  begin(): void {
    this.end()
    this.#promises = 0
    this.#timers = 0
    this.#isCounting = true
    // With the hook every promise takes longer, so it is there only now.
    this.#stopPromises = promiseHooks.onInit(() => {
      this.#promises += 1
    }) as () => void
  }

  end(): LoopCounts {
    this.#isCounting = false
    this.#stopPromises()
    this.#stopPromises = () => undefined
    return { promises: this.#promises, timers: this.#timers }
  }
}
