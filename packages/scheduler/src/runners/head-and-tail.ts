import { resultBytesMax } from '../limits.js'

/** Of the line that says how much is left out. */
const noteBytesMax = 64

/** Keeps the beginning and the end of a stream of any length, and knows how much it left out. */
export class HeadAndTail {
  readonly #bytesMax: number
  readonly #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #total = 0

  /** `bytesMax` of each. */
  constructor(bytesMax = resultBytesMax) {
    this.#bytesMax = bytesMax
  }

  get totalBytes(): number {
    return this.#total
  }

  push(bytes: Buffer): void {
    this.#total += bytes.length
    const room = this.#bytesMax - this.#headBytes
    if (room > 0) {
      // Copies: a chunk is a slice of a greater buffer that would stay in memory with it.
      const first = Buffer.from(bytes.subarray(0, room))
      this.#head.push(first)
      this.#headBytes += first.length
    }
    if (bytes.length > room) this.#pushTail(Buffer.from(bytes.subarray(Math.max(0, room))))
  }

  /** Text of at most `bytesMax` bytes, and a line for what is left out; `headShare` of it is the beginning. */
  read(bytesMax: number, headShare: number): string {
    const head = Buffer.concat(this.#head)
    const tail = Buffer.concat(this.#tail).subarray(-this.#bytesMax)
    const isWhole = head.length + tail.length === this.#total
    if (isWhole && this.#total <= bytesMax) return Buffer.concat([head, tail]).toString('utf8')
    const room = Math.max(0, bytesMax - noteBytesMax)
    const headBytes = Math.floor(room * headShare)
    const end = isWhole ? Buffer.concat([head, tail]) : tail
    const first = wholeStart(head.subarray(0, headBytes))
    const last = wholeEnd(end.subarray(Math.max(0, end.length - (room - headBytes))))
    const left = this.#total - first.length - last.length
    return `${first.toString('utf8')}\n[... ${left} bytes left out ...]\n${last.toString('utf8')}`
  }

  /** Joined only when there is twice too much, so that each byte is moved about once. */
  #pushTail(bytes: Buffer): void {
    this.#tail.push(bytes)
    this.#tailBytes += bytes.length
    if (this.#tailBytes < 2 * this.#bytesMax) return
    const last = Buffer.from(Buffer.concat(this.#tail).subarray(-this.#bytesMax))
    this.#tail = last.length === 0 ? [] : [last]
    this.#tailBytes = last.length
  }
}

/** A text within a number of bytes: its beginning and its end, when it is longer. */
export function withinBytes(text: string, bytesMax: number, headShare = 0.5): string {
  const kept = new HeadAndTail(bytesMax)
  kept.push(Buffer.from(text))
  return kept.read(bytesMax, headShare)
}

/** Without the first bytes of a character whose rest was cut off. */
function wholeStart(bytes: Buffer): Buffer {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!
    if (byte < 0x80) break
    if (byte >= 0xc0) return back < lengthOf(byte) ? bytes.subarray(0, bytes.length - back) : bytes
  }
  return bytes
}

/** Without the last bytes of a character whose beginning was cut off. */
function wholeEnd(bytes: Buffer): Buffer {
  let start = 0
  while (start < Math.min(3, bytes.length) && (bytes[start]! & 0xc0) === 0x80) start += 1
  return bytes.subarray(start)
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}
