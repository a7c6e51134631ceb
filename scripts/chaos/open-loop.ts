import { now } from '../hub-process.js'
import { AskedCall } from './asked-call.js'
import type { Caller } from './caller.js'
import type { LoadOptions } from './load-options.js'
import type { CallRecord } from './records.js'

const tickMs = 1

/** Asks at a fixed rate, however long answers take, and keeps what became of each call. */
export class OpenLoop {
  readonly calls: CallRecord[] = []
  /** How much later than planned each call went out, in ms. */
  readonly lags: number[] = []
  readonly #options: LoadOptions
  readonly #sockets: readonly Caller[]
  readonly #http: Caller
  readonly #startedAt = now()
  #timer: NodeJS.Timeout
  #open = 0

  constructor(options: LoadOptions, sockets: readonly Caller[], http: Caller) {
    this.#options = options
    this.#sockets = sockets
    this.#http = http
    this.#timer = setTimeout(() => this.#tick(), tickMs)
  }

  /** Of calls without an answer. */
  get open(): number {
    return this.#open
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #tick(): void {
    const due = Math.floor(((now() - this.#startedAt) / 1_000) * this.#options.rate)
    while (this.calls.length < due) this.#ask(this.calls.length)
    this.#timer = setTimeout(() => this.#tick(), tickMs)
  }

  #ask(serial: number): void {
    const { name, kinds, rate } = this.#options
    const asked = { canary: `${name}-${serial}`, kind: kinds[serial % kinds.length]!, workMs: this.#workOf(serial) }
    const { record, settled } = new AskedCall(this.#callerFor(serial), asked)
    this.calls.push(record)
    this.lags.push(record.sentAt - this.#startedAt - ((serial + 1) * 1_000) / rate)
    this.#open += 1
    void settled.then(() => {
      this.#open -= 1
    })
  }

  /** By a prime, so that each kind gets each duration. */
  #workOf(serial: number): number {
    const [least, most] = this.#options.workMs
    return least + ((serial * 7_919) % (most - least + 1))
  }

  /** All of a turn go one way, so that each way sees every kind. */
  #callerFor(serial: number): Caller {
    const { httpEvery, kinds } = this.#options
    const turn = Math.floor(serial / kinds.length)
    if (httpEvery > 0 && turn % httpEvery === httpEvery - 1) return this.#http
    return this.#sockets[turn % this.#sockets.length]!
  }
}
