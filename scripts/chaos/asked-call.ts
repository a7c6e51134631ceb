import type { RawAnswer } from '@callboard/testkit'
import { now } from '../hub-process.js'
import type { Caller } from './caller.js'
import type { CallRecord, ToolKind } from './records.js'

export interface Asked {
  readonly canary: string
  readonly kind: ToolKind
  readonly workMs: number
}

/** One call on its way, and what becomes of it. */
export class AskedCall {
  readonly record: CallRecord
  /** Resolves when it was answered, or its way to the hub ended. */
  readonly settled: Promise<void>
  readonly #book: { -readonly [Key in keyof CallRecord]: CallRecord[Key] }

  constructor(caller: Caller, { canary, kind, workMs }: Asked) {
    this.#book = { canary, kind, sentAt: now(), answers: 0, foreign: 0 }
    this.record = this.#book
    const stray = () => {
      this.#book.answers += 1
    }
    this.settled = caller.call(kind, { canary, workMs }, stray).then(
      (answer) => this.#answered(answer),
      () => {
        // The end of the way is no answer.
        this.#book.outcome = 'lost'
      },
    )
  }

  #answered(answer: RawAnswer): void {
    const book = this.#book
    book.answers += 1
    book.answeredAt = now()
    book.outcome = outcomeOf(answer)
    if (book.outcome !== 'result') return
    const { canary, process } = (answer.result?.['structuredContent'] ?? {}) as { canary?: string; process?: string }
    if (process !== undefined) book.process = process
    if (canary !== book.canary) book.foreign += 1
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
