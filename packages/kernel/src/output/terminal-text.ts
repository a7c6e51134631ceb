import { escapeBytesMax, lineBytesMax } from '../limits.js'

const newline = 0x0a
const carriageReturn = 0x0d
const escapeByte = 0x1b

type Escape = 'none' | 'started' | 'control' | 'string' | 'string_escape'

/**
 * What a terminal would show in the end: escape sequences go, and text after a carriage return replaces its line. Works
 * on bytes, which is right for UTF-8, and chunk by chunk.
 */
export class TerminalText {
  /** What it is given is valid during the call only. */
  readonly #emit: (bytes: Uint8Array) => void
  /** Made with the first byte: most runs write nothing to stderr. */
  #line = new Uint8Array()
  #lineLength = 0
  #returned = false
  #escape: Escape = 'none'
  #escapeBytes = 0

  constructor(emit: (bytes: Uint8Array) => void) {
    this.#emit = emit
  }

  push(chunk: Uint8Array): void {
    if (this.#line.length === 0) this.#line = new Uint8Array(lineBytesMax)
    const plain =
      this.#escape === 'none' && !this.#returned && !chunk.includes(escapeByte) && !chunk.includes(carriageReturn)
    if (plain) this.#pushPlain(chunk)
    else this.#pushByByte(chunk)
  }

  /** Passes on the unfinished line. More may come all the same. */
  end(): void {
    this.#flushLine()
    this.#line = new Uint8Array()
    this.#returned = false
    this.#escape = 'none'
  }

  get pendingBytes(): number {
    return this.#lineLength
  }

  /** The unfinished line as it stands. */
  get pending(): Uint8Array {
    return this.#line.slice(0, this.#lineLength)
  }

  #pushPlain(chunk: Uint8Array): void {
    const rest = chunk.lastIndexOf(newline) + 1
    if (rest > 0) {
      this.#flushLine()
      this.#emit(chunk.subarray(0, rest))
    }
    const tail = chunk.subarray(rest)
    if (this.#lineLength + tail.length > lineBytesMax) {
      this.#flushLine()
      this.#emit(tail)
    } else {
      this.#line.set(tail, this.#lineLength)
      this.#lineLength += tail.length
    }
  }

  #pushByByte(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (this.#escape !== 'none') this.#inEscape(byte)
      else if (byte === escapeByte) this.#startEscape()
      else if (byte === carriageReturn) this.#returned = true
      else this.#visible(byte)
    }
  }

  #visible(byte: number): void {
    if (this.#returned && byte !== newline) this.#lineLength = 0
    this.#returned = false
    this.#line[this.#lineLength] = byte
    this.#lineLength += 1
    if (byte === newline || this.#lineLength >= lineBytesMax) this.#flushLine()
  }

  #startEscape(): void {
    this.#escape = 'started'
    this.#escapeBytes = 0
  }

  #inEscape(byte: number): void {
    this.#escapeBytes += 1
    this.#escape = this.#escapeBytes > escapeBytesMax ? 'none' : nextEscape(this.#escape, byte)
  }

  #flushLine(): void {
    if (this.#lineLength > 0) this.#emit(this.#line.subarray(0, this.#lineLength))
    this.#lineLength = 0
  }
}

/** ECMA-48: `ESC [ … final` is a control sequence; `ESC ] P X ^ _` open a string that BEL or `ESC \` ends. */
function nextEscape(state: Escape, byte: number): Escape {
  switch (state) {
    case 'started':
      if (byte === 0x5b) return 'control'
      if (byte === 0x5d || byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f) return 'string'
      return byte >= 0x20 && byte <= 0x2f ? 'started' : 'none'
    case 'control':
      return byte >= 0x40 && byte <= 0x7e ? 'none' : 'control'
    case 'string':
      if (byte === 0x07) return 'none'
      return byte === escapeByte ? 'string_escape' : 'string'
    case 'string_escape':
      return byte === 0x5c ? 'none' : 'string'
    case 'none':
      return 'none'
  }
}
