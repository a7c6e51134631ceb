import { streamBytesMax, streamHeadShare } from '../limits.js'
import { characterEnd, characterStart, decode } from './characters.js'
import type { Stretch } from './readable-text.js'

/** Keeps the beginning and the end of a stream of any length in bounded memory, and knows exactly what it left out. */
export class HeadAndTail {
  readonly #bytesMax: number
  readonly #headMax: number
  readonly #head: LastBytes
  readonly #tail: LastBytes
  #total = 0

  constructor(bytesMax = streamBytesMax, headShare = streamHeadShare) {
    this.#bytesMax = bytesMax
    this.#headMax = Math.floor(bytesMax * headShare)
    this.#head = new LastBytes(this.#headMax)
    this.#tail = new LastBytes(bytesMax - this.#headMax)
  }

  /** As it was after `totalBytes`, of which these are the first and the last; together all, or each as long as is kept. */
  static resumed(totalBytes: number, first: Uint8Array, last: Uint8Array): HeadAndTail {
    const resumed = new HeadAndTail()
    resumed.#head.push(first)
    resumed.#tail.push(last)
    resumed.#total = totalBytes
    return resumed
  }

  /** Bytes of each that `resumed` needs of a stream of this length. */
  static needed(totalBytes: number): { readonly first: number; readonly last: number } {
    const first = Math.min(totalBytes, Math.floor(streamBytesMax * streamHeadShare))
    return { first, last: Math.min(totalBytes - first, streamBytesMax - Math.floor(streamBytesMax * streamHeadShare)) }
  }

  get totalBytes(): number {
    return this.#total
  }

  /** Nothing is left out so far. */
  get isWhole(): boolean {
    return this.#total <= this.#bytesMax
  }

  /** Bytes of memory. */
  get memoryBytes(): number {
    return this.#head.memoryBytes + this.#tail.memoryBytes
  }

  push(bytes: Uint8Array): void {
    this.#total += bytes.length
    const room = this.#headMax - this.#head.length
    if (room > 0) this.#head.push(bytes.subarray(0, room))
    if (bytes.length > room) this.#tail.push(bytes.subarray(room))
  }

  /** Text, with a line that names the bytes left out, and their number. `more` is text that may still change. */
  read(more: Uint8Array = new Uint8Array()): { readonly text: string; readonly omittedBytes: number } {
    const head = this.#head.view
    const rest = Buffer.concat([this.#tail.view, more])
    const total = this.#total + more.length
    if (total <= this.#bytesMax) return { text: decode(Buffer.concat([head, rest])), omittedBytes: 0 }
    const start = head.subarray(0, characterEnd(head))
    const kept = rest.subarray(Math.max(0, rest.length - (this.#bytesMax - this.#headMax)))
    const end = kept.subarray(characterStart(kept))
    const omittedBytes = total - start.length - end.length
    return { text: `${decode(start)}\n[... ${omittedBytes} bytes omitted ...]\n${decode(end)}`, omittedBytes }
  }

  /** The longest end of the stream that is in memory; all of it while `isWhole`. */
  end(): Stretch {
    const bytes = Buffer.concat(this.isWhole ? [this.#head.view, this.#tail.view] : [this.#tail.view])
    return { offset: this.#total - bytes.length, bytes }
  }
}

/** The last so many bytes of all that was pushed, in one buffer that is written over again and again: no garbage. */
class LastBytes {
  readonly #bytesMax: number
  #buffer: Buffer = Buffer.alloc(0)
  #end = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get length(): number {
    return Math.min(this.#end, this.#bytesMax)
  }

  get memoryBytes(): number {
    return this.#buffer.length
  }

  /** Valid until the next push. */
  get view(): Buffer {
    return this.#buffer.subarray(this.#end - this.length, this.#end)
  }

  push(bytes: Uint8Array): void {
    const added = bytes.subarray(Math.max(0, bytes.length - this.#bytesMax))
    if (this.#end + added.length > this.#buffer.length) this.#makeRoom(added.length)
    this.#buffer.set(added, this.#end)
    this.#end += added.length
  }

  /** Twice the bytes that are kept, so that moving them to the front is rare. */
  #makeRoom(added: number): void {
    const kept = this.view
    const needed = kept.length + added
    const capacity = Math.min(Math.max(needed, 2 * this.#buffer.length), 2 * this.#bytesMax)
    const buffer = capacity > this.#buffer.length ? Buffer.allocUnsafeSlow(capacity) : this.#buffer
    buffer.set(kept, 0)
    this.#buffer = buffer
    this.#end = kept.length
  }
}
