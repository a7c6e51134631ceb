import { transactionsWaitingMax } from './limits.js'
import { StoreError } from './store-error.js'

interface Waiter {
  start(): void
  reject(reason: unknown): void
}

/** Runs one task at a time, in the order of the calls. */
export class SerialQueue {
  readonly #storeName: string
  readonly #waiting: Waiter[] = []
  #busy = false
  #closing = false
  #onIdle: (() => void) | undefined

  constructor(storeName: string) {
    this.#storeName = storeName
  }

  /** Rejects without having started the task when `signal` aborts first, the queue closes, or too many wait. */
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    signal?.throwIfAborted()
    if (this.#closing) throw this.#closedError()
    await this.#turn(signal)
    try {
      return await task()
    } finally {
      this.#finish()
    }
  }

  /** Rejects what waits and resolves when the running task has ended. */
  async close(): Promise<void> {
    this.#closing = true
    for (const waiter of this.#waiting.splice(0)) waiter.reject(this.#closedError())
    if (!this.#busy) return
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve
    })
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (!this.#busy) {
      this.#busy = true
      return
    }
    if (this.#waiting.length >= transactionsWaitingMax) {
      throw new StoreError('unavailable', `The store "${this.#storeName}" cannot keep up: try again later.`)
    }
    await this.#wait(signal)
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter = { start, reject: settleRejected }
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(signal?.reason)
      }
      function start() {
        signal?.removeEventListener('abort', onAbort)
        resolve()
      }
      function settleRejected(reason: unknown) {
        signal?.removeEventListener('abort', onAbort)
        reject(reason)
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(waiter)
    })
  }

  #finish(): void {
    const next = this.#waiting.shift()
    if (next) {
      next.start()
      return
    }
    this.#busy = false
    this.#onIdle?.()
  }

  #closedError(): StoreError {
    return new StoreError('unavailable', `The store "${this.#storeName}" is closed: open it again.`)
  }
}
