import type { RawAnswer } from '@callboard/testkit'
import { now } from '../hub-process.js'
import type { Caller } from './caller.js'
import type { LoadOptions } from './load-options.js'
import type { CallRecord } from './records.js'

const tickMs = 1

type OpenRecord = { -readonly [Key in keyof CallRecord]: CallRecord[Key] }

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
    const at = now()
    const due = Math.floor(((at - this.#startedAt) / 1000) * this.#options.rate)
    while (this.calls.length < due) this.#ask(this.calls.length)
    this.#timer = setTimeout(() => this.#tick(), tickMs)
  }

  #ask(serial: number): void {
    const { name, kinds, workMs, rate } = this.#options
    const kind = kinds[serial % kinds.length]!
    const canary = `${name}-${serial}`
    const record: OpenRecord = { canary, kind, sentAt: now(), answers: 0, foreign: 0 }
    this.calls.push(record)
    this.lags.push(record.sentAt - this.#startedAt - ((serial + 1) * 1000) / rate)
    this.#open += 1
    const stray = () => {
      record.answers += 1
    }
    // A prime, so that each kind gets each duration.
    const span = workMs[1] - workMs[0] + 1
    const args = { canary, workMs: workMs[0] + ((serial * 7919) % span) }
    this.#callerFor(serial)
      .call(kind, args, stray)
      .then(
        (answer) => this.#answered(record, answer),
        () => this.#lost(record),
      )
  }

  /** All of a turn go one way, so that each way sees every kind. */
  #callerFor(serial: number): Caller {
    const { httpEvery, kinds } = this.#options
    const turn = Math.floor(serial / kinds.length)
    if (httpEvery > 0 && turn % httpEvery === httpEvery - 1) return this.#http
    return this.#sockets[turn % this.#sockets.length]!
  }

  /** The way to the hub ended, which is no answer. */
  #lost(record: OpenRecord): void {
    this.#open -= 1
    record.outcome = 'lost'
  }

  #answered(record: OpenRecord, answer: RawAnswer): void {
    this.#open -= 1
    record.answers += 1
    record.answeredAt = now()
    record.outcome = outcomeOf(answer)
    if (record.outcome !== 'result') return
    const { canary, process } = (answer.result?.['structuredContent'] ?? {}) as { canary?: string; process?: string }
    if (process !== undefined) record.process = process
    if (canary !== record.canary) record.foreign += 1
  }
}

/** `result`, or why not: the hub's code, `error` of a tool's own, or the protocol's message. */
export function outcomeOf({ result, error }: RawAnswer): string {
  if (error !== undefined) return error.message
  if (result?.['isError'] !== true) return 'result'
  const { error: own } = (result['structuredContent'] ?? {}) as { error?: { code?: string } }
  const meta = (result['_meta'] as { 'callboard/error'?: { code?: string } } | undefined)?.['callboard/error']
  return own?.code ?? meta?.code ?? 'error'
}
