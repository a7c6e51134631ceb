import { Worker } from 'node:worker_threads'
import { patternThreadHeapMb } from '../limits.js'
import { threadMain } from './thread-main.js'
import type { FromThread, ToThread } from './thread-messages.js'

interface Answer {
  readonly resolve: (message: FromThread) => void
  readonly reject: (error: Error) => void
}

/** A thread that an expression can hold up without holding up anybody else: `end` stops it in the midst of a match. */
export class SearchThread {
  readonly #worker: Worker
  #answer: Answer | undefined
  #hasEnded = false

  constructor() {
    this.#worker = new Worker(`(${threadMain})(require('node:worker_threads').parentPort)`, {
      eval: true,
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: patternThreadHeapMb },
    })
    this.#worker.unref()
    this.#worker.on('message', (message: FromThread) => this.#settle((answer) => answer.resolve(message)))
    this.#worker.on('error', (error: Error) => this.#settle((answer) => answer.reject(error)))
    this.#worker.on('exit', () => {
      this.#hasEnded = true
      this.#settle((answer) => answer.reject(new Error('The thread of the search has ended.')))
    })
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** The thread's answer; one question at a time. Rejects when the thread ends first. The process stays for the answer. */
  ask(message: ToThread): Promise<FromThread> {
    if (this.#hasEnded) return Promise.reject(new Error('The thread of the search has ended.'))
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject }
      this.#worker.ref()
      this.#worker.postMessage(message)
    })
  }

  /** Resolves when it runs no more. */
  async end(): Promise<void> {
    this.#hasEnded = true
    await this.#worker.terminate()
  }

  #settle(how: (answer: Answer) => void): void {
    const answer = this.#answer
    if (answer === undefined) return
    this.#answer = undefined
    this.#worker.unref()
    how(answer)
  }
}
