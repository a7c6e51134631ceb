/** What a head is made of. An entry that is undefined is written as nil, which means absent. [CB-7] */
export type Plain =
  | string
  | number
  | boolean
  | null
  | undefined
  | Uint8Array
  | readonly Plain[]
  | { readonly [key: string]: Plain }

/**
 * Writes msgpack of the types that CB/1 uses, [CB-5] one value behind the other, into memory that it uses again. A head is
 * written for every call: what is here in the long way is so because the short one took longer than all else in the hub.
 */
export class MsgpackWriter {
  readonly #bytesAtFirst: number
  #bytes: Buffer
  #view: DataView
  #at = 0

  /** `bytesAtFirst`: what it has room for without growing; enough for a batch of usual heads, unless said. */
  constructor(bytesAtFirst = 64 * 1024) {
    this.#bytesAtFirst = bytesAtFirst
    this.#bytes = Buffer.allocUnsafeSlow(bytesAtFirst)
    this.#view = new DataView(this.#bytes.buffer)
  }

  /** How much has been written since {@link take}. */
  get length(): number {
    return this.#at
  }

  /** Forgets what was written beyond that length. */
  truncate(length: number): void {
    this.#at = length
  }

  /** What was written, for the caller to keep; the next value begins anew. */
  take(): Uint8Array {
    const taken = Buffer.allocUnsafe(this.#at)
    this.#bytes.copy(taken, 0, 0, this.#at)
    this.#at = 0
    if (this.#bytes.length > bytesKeptMax) this.#resize(this.#bytesAtFirst)
    return taken
  }

  /** The head of an array whose count comes later, by {@link setCount}. */
  countLater(): void {
    this.#reserve(3)
    this.#at += 3
  }

  setCount(at: number, count: number): void {
    this.#bytes[at] = 0xdc
    this.#view.setUint16(at + 1, count)
  }

  map(size: number): void {
    this.#lengthHead(size, 0x80, 15, 0, 0xde)
  }

  /** Bytes that another writer made. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  value(value: Plain): void {
    switch (typeof value) {
      case 'string':
        return this.string(value)
      case 'number':
        return this.number(value)
      case 'boolean':
        return this.#byte(value ? 0xc3 : 0xc2)
      case 'object':
        if (value !== null) return this.#object(value)
    }
    this.#byte(0xc0)
  }

  string(text: string): void {
    const { length } = text
    if (length > asciiLengthMax || !this.#ascii(text, length)) this.#utf8(text)
  }

  number(value: number): void {
    if (value >= 0 && value < 0x80 && Number.isInteger(value)) return this.#byte(value)
    this.#reserve(9)
    if (value === (value | 0)) {
      this.#bytes[this.#at] = 0xd2
      this.#view.setInt32(this.#at + 1, value)
      this.#at += 5
      return
    }
    this.#bytes[this.#at] = 0xcb
    this.#view.setFloat64(this.#at + 1, value)
    this.#at += 9
  }

  #object(value: object): void {
    if (value instanceof Uint8Array) {
      this.#lengthHead(value.length, 0, -1, 0xc4, 0xc5)
      return this.raw(value)
    }
    if (Array.isArray(value)) {
      this.#lengthHead(value.length, 0x90, 15, 0, 0xdc)
      for (const entry of value) this.value(entry)
      return
    }
    const keys = Object.keys(value)
    this.map(keys.length)
    for (const key of keys) {
      this.string(key)
      this.value((value as { readonly [key: string]: Plain })[key])
    }
  }

  /** Nearly every string of a head is short and ASCII, and a call into the runtime costs more than all of its characters. */
  #ascii(text: string, length: number): boolean {
    this.#reserve(length + 2)
    const bytes = this.#bytes
    let at = this.#at
    if (length > 31) bytes[at++] = 0xd9
    bytes[at++] = length > 31 ? length : 0xa0 | length
    for (let index = 0; index < length; index++) {
      const code = text.charCodeAt(index)
      if (code > 0x7f) return false
      bytes[at++] = code
    }
    this.#at = at
    return true
  }

  #utf8(text: string): void {
    const length = Buffer.byteLength(text)
    this.#lengthHead(length, 0xa0, 31, 0xd9, 0xda)
    this.#reserve(length)
    this.#bytes.write(text, this.#at)
    this.#at += length
  }

  /** `short`: the tag that holds lengths up to `shortMax` itself; `byte`: the one for 8 bits, if any; `word`: for 16, then 32. */
  #lengthHead(length: number, short: number, shortMax: number, byte: number, word: number): void {
    if (length <= shortMax) return this.#byte(short | length)
    this.#reserve(5)
    if (byte !== 0 && length <= 0xff) {
      this.#bytes[this.#at] = byte
      this.#bytes[this.#at + 1] = length
      this.#at += 2
    } else if (length <= 0xffff) {
      this.#bytes[this.#at] = word
      this.#view.setUint16(this.#at + 1, length)
      this.#at += 3
    } else {
      this.#bytes[this.#at] = word + 1
      this.#view.setUint32(this.#at + 1, length)
      this.#at += 5
    }
  }

  #byte(byte: number): void {
    this.#reserve(1)
    this.#bytes[this.#at++] = byte
  }

  #reserve(count: number): void {
    if (this.#at + count > this.#bytes.length) this.#resize(Math.max(this.#bytes.length * 2, this.#at + count))
  }

  #resize(size: number): void {
    const bytes = Buffer.allocUnsafeSlow(size)
    this.#bytes.copy(bytes, 0, 0, this.#at)
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer)
  }
}

/** What one message of an unusual size took is not kept for ever. */
const bytesKeptMax = 1024 * 1024
/** Longer strings are written faster by the runtime. */
const asciiLengthMax = 64
