import { streamBytesMax, streamHeadShare } from '../limits.js'
import { characterEnd, characterStart, decode } from './characters.js'
import type { Stretch } from './readable-text.js'

/** Keeps the beginning and the end of a stream of any length in bounded memory, and knows exactly what it left out. */
export class HeadAndTail {
  readonly #bytesMax: number
  readonly #headMax: number
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #total = 0

  constructor(bytesMax = streamBytesMax, headShare = streamHeadShare) {
    this.#bytesMax = bytesMax
    this.#headMax = Math.floor(bytesMax * headShare)
  }

  get totalBytes(): number {
    return this.#total
  }

  /** Nothing is left out so far. */
  get isWhole(): boolean {
    return this.#total <= this.#bytesMax
  }

  /** Bytes in memory. */
  get keptBytes(): number {
    return this.#headBytes + this.#tailBytes
  }

  push(bytes: Uint8Array): void {
    this.#total += bytes.length
    const room = this.#headMax - this.#headBytes
    if (room > 0) {
      const part = copy(bytes.subarray(0, room))
      this.#head.push(part)
      this.#headBytes += part.length
    }
    if (bytes.length > Math.max(room, 0)) this.#pushTail(bytes.subarray(Math.max(room, 0)))
  }

  /** Text, with a line that names the bytes left out, and their number. `more` is text that may still change. */
  read(more: Uint8Array = new Uint8Array()): { readonly text: string; readonly omittedBytes: number } {
    const head = Buffer.concat(this.#head)
    const rest = Buffer.concat([...this.#tail, more])
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
    const bytes = Buffer.concat(this.isWhole ? [...this.#head, ...this.#tail] : this.#tail)
    return { offset: this.#total - bytes.length, bytes }
  }

  #pushTail(bytes: Uint8Array): void {
    const tailMax = this.#bytesMax - this.#headMax
    const part = copy(bytes.subarray(Math.max(0, bytes.length - tailMax)))
    this.#tail.push(part)
    this.#tailBytes += part.length
    // Joined now and then: many one-byte writes must not become many one-byte buffers.
    if (this.#tail.length >= 256) this.#tail = [Buffer.concat(this.#tail)]
    while (this.#tailBytes - this.#tail[0]!.length >= tailMax) this.#tailBytes -= this.#tail.shift()!.length
    const surplus = this.#tailBytes - tailMax
    if (surplus > 0 && this.#tail.length === 1) {
      this.#tail[0] = copy(this.#tail[0]!.subarray(surplus))
      this.#tailBytes = tailMax
    }
  }
}

/** Never a view: one kept byte would keep a whole buffer of the pipe alive. */
function copy(bytes: Uint8Array): Buffer {
  const copied = Buffer.allocUnsafeSlow(bytes.length)
  copied.set(bytes)
  return copied
}
