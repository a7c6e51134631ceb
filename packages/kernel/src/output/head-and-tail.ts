import { streamBytesMax, streamHeadShare } from '../limits.js'

/** Keeps the beginning and the end of a stream of any length in bounded memory, and knows exactly what it left out. */
export class HeadAndTail {
  readonly #bytesMax: number
  readonly #headMax: number
  readonly #head: Uint8Array[] = []
  #headBytes = 0
  #tail: Uint8Array[] = []
  #tailBytes = 0
  #total = 0

  constructor(bytesMax = streamBytesMax, headShare = streamHeadShare) {
    this.#bytesMax = bytesMax
    this.#headMax = Math.floor(bytesMax * headShare)
  }

  get totalBytes(): number {
    return this.#total
  }

  push(bytes: Uint8Array): void {
    this.#total += bytes.length
    const room = this.#headMax - this.#headBytes
    if (room > 0) {
      const part = bytes.slice(0, room)
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

  #pushTail(bytes: Uint8Array): void {
    const tailMax = this.#bytesMax - this.#headMax
    const part = bytes.slice(Math.max(0, bytes.length - tailMax))
    this.#tail.push(part)
    this.#tailBytes += part.length
    // Joined now and then: many one-byte writes must not become many one-byte buffers.
    if (this.#tail.length >= 256) this.#tail = [Buffer.concat(this.#tail)]
    while (this.#tailBytes - this.#tail[0]!.length >= tailMax) this.#tailBytes -= this.#tail.shift()!.length
    const surplus = this.#tailBytes - tailMax
    if (surplus > 0 && this.#tail.length === 1) {
      this.#tail[0] = this.#tail[0]!.slice(surplus)
      this.#tailBytes = tailMax
    }
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}

/** Where the last complete UTF-8 character ends. */
function characterEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) break
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2
      return length > back ? bytes.length - back : bytes.length
    }
  }
  return bytes.length
}

function characterStart(bytes: Uint8Array): number {
  let start = 0
  while (start < Math.min(3, bytes.length) && (bytes[start]! & 0xc0) === 0x80) start += 1
  return start
}
