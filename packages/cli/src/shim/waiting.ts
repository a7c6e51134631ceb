import * as limits from '../limits.js'
import type { Id } from './glance.js'

export interface WaitingLine {
  readonly line: Buffer
  /** Of the requests in it. */
  readonly ids: readonly Id[]
}

/** Lines for a hub that is away, in their order and within bounds. */
export class Waiting {
  #lines: WaitingLine[] = []
  #bytes = 0

  get size(): number {
    return this.#lines.length
  }

  get hasRequests(): boolean {
    return this.#lines.some(({ ids }) => ids.length > 0)
  }

  /** Whether there was room. */
  put(entry: WaitingLine): boolean {
    if (this.#lines.length >= limits.queueMessagesMax || this.#bytes + entry.line.length > limits.queueBytesMax)
      return false
    this.#lines.push(entry)
    this.#bytes += entry.line.length
    return true
  }

  /** What a hub had taken already goes before what came since, and had its room then. */
  putFirst(entries: readonly WaitingLine[]): void {
    this.#lines.unshift(...entries)
    for (const { line } of entries) this.#bytes += line.length
  }

  remove(id: Id): void {
    this.#lines = this.#lines.filter(({ ids }) => ids.length !== 1 || ids[0] !== id)
    this.#bytes = this.#lines.reduce((sum, { line }) => sum + line.length, 0)
  }

  takeAll(): readonly WaitingLine[] {
    const lines = this.#lines
    this.#lines = []
    this.#bytes = 0
    return lines
  }
}
