import { knownWord } from './known-words.js'
import { headDepthMax } from './limits.js'

/**
 * The one value that the bytes are, or `malformed` where they are not exactly one value of the types that CB/1 uses. [CB-5]
 * Three things that a general decoder would do are out of reach: extension types (records, references, dates), counts that
 * reserve memory for elements that are not there, and nesting deep enough to exhaust the stack. Binary values are views of
 * the bytes. A key that is not a string is left out with its value.
 */
export function readMsgpack(bytes: Uint8Array): unknown {
  const reader = new MsgpackReader(bytes)
  try {
    const value = reader.value(headDepthMax)
    return reader.isAtEnd ? value : malformed
  } catch (error) {
    if (error === malformed) return malformed
    throw error
  }
}

/** No error object: one would take longer to make than the head to read. */
export const malformed: unique symbol = Symbol('malformed')

class MsgpackReader {
  readonly #bytes: Buffer
  readonly #end: number
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#end = bytes.length
  }

  get isAtEnd(): boolean {
    return this.#at === this.#end
  }

  /** `depth`: how many containers may be within. */
  value(depth: number): unknown {
    if (depth < 0) throw malformed
    const tag = this.#unsigned(1)
    if (tag <= 0x7f) return tag
    if (tag >= 0xe0) return tag - 0x100
    if (tag <= 0x8f) return this.#map(tag & 0x0f, depth)
    if (tag <= 0x9f) return this.#array(tag & 0x0f, depth)
    if (tag <= 0xbf) return this.#text(tag & 0x1f)
    switch (tag) {
      case 0xc0:
        return null
      case 0xc2:
        return false
      case 0xc3:
        return true
      case 0xc4:
        return this.#binary(this.#unsigned(1))
      case 0xc5:
        return this.#binary(this.#unsigned(2))
      case 0xc6:
        return this.#binary(this.#unsigned(4))
      case 0xca:
        return this.#float(4)
      case 0xcb:
        return this.#float(8)
      case 0xcc:
        return this.#unsigned(1)
      case 0xcd:
        return this.#unsigned(2)
      case 0xce:
        return this.#unsigned(4)
      case 0xcf:
        return this.#unsigned(4) * 2 ** 32 + this.#unsigned(4)
      case 0xd0:
        return (this.#unsigned(1) << 24) >> 24
      case 0xd1:
        return (this.#unsigned(2) << 16) >> 16
      case 0xd2:
        return this.#unsigned(4) | 0
      case 0xd3:
        return (this.#unsigned(4) | 0) * 2 ** 32 + this.#unsigned(4)
      case 0xd9:
        return this.#text(this.#unsigned(1))
      case 0xda:
        return this.#text(this.#unsigned(2))
      case 0xdb:
        return this.#text(this.#unsigned(4))
      case 0xdc:
        return this.#array(this.#unsigned(2), depth)
      case 0xdd:
        return this.#array(this.#unsigned(4), depth)
      case 0xde:
        return this.#map(this.#unsigned(2), depth)
      case 0xdf:
        return this.#map(this.#unsigned(4), depth)
      default: // 0xc1, and every extension type
        throw malformed
    }
  }

  #map(count: number, depth: number): object {
    this.#expectEntries(count * 2)
    const map: Record<string, unknown> = {}
    for (let left = count; left > 0; left--) {
      const key = this.value(depth - 1)
      const value = this.value(depth - 1)
      // The prototype of what is read is nobody's to choose.
      if (typeof key === 'string' && key !== '__proto__') map[key] = value
    }
    return map
  }

  #array(count: number, depth: number): unknown[] {
    this.#expectEntries(count)
    const array: unknown[] = []
    for (let left = count; left > 0; left--) array.push(this.value(depth - 1))
    return array
  }

  /** Each value takes a byte at least, so a count beyond the bytes that are left is a lie. */
  #expectEntries(count: number): void {
    if (count > this.#end - this.#at) throw malformed
  }

  #text(length: number): string {
    const start = this.#skip(length)
    const bytes = this.#bytes
    const word = knownWord(bytes, start, length)
    if (word !== undefined) return word
    for (let at = start; at < this.#at; at++) {
      if (bytes[at]! > 0x7f) return bytes.toString('utf8', start, this.#at)
    }
    return bytes.toString('latin1', start, this.#at)
  }

  #binary(length: number): Uint8Array {
    const start = this.#skip(length)
    return this.#bytes.subarray(start, this.#at)
  }

  #unsigned(width: 1 | 2 | 4): number {
    const start = this.#skip(width)
    const bytes = this.#bytes
    if (width === 1) return bytes[start]!
    const word = bytes[start]! * 0x100 + bytes[start + 1]!
    return width === 2 ? word : word * 0x10000 + bytes[start + 2]! * 0x100 + bytes[start + 3]!
  }

  #float(width: 4 | 8): number {
    const start = this.#skip(width)
    return width === 4 ? this.#bytes.readFloatBE(start) : this.#bytes.readDoubleBE(start)
  }

  /** Returns where it was. */
  #skip(count: number): number {
    const start = this.#at
    if (count > this.#end - start) throw malformed
    this.#at = start + count
    return start
  }
}
