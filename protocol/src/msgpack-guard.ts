import { headDepthMax } from './limits.js'

/**
 * Walks msgpack bytes once, before the library builds anything from them, and answers whether they are exactly one
 * value of the types that CB/1 uses. [CB-5] Three things a general decoder would do are thereby out of reach:
 * extension types (records, references, dates), counts that reserve memory for elements that are not there, and
 * nesting deep enough to exhaust the stack.
 */
export function isPlainMsgpack(bytes: Uint8Array): boolean {
  return skipValue(bytes, 0, headDepthMax) === bytes.length
}

const refused = -1

/** The offset behind the value at `at`, or -1. */
function skipValue(bytes: Uint8Array, at: number, depth: number): number {
  const tag = bytes[at]
  if (tag === undefined || depth < 0) return refused
  if (tag <= 0x7f || tag >= 0xe0) return at + 1
  if (tag <= 0x8f) return skipValues(bytes, at + 1, (tag & 0x0f) * 2, depth)
  if (tag <= 0x9f) return skipValues(bytes, at + 1, tag & 0x0f, depth)
  if (tag <= 0xbf) return within(bytes, at + 1 + (tag & 0x1f))
  switch (tag) {
    case 0xc0: // nil
    case 0xc2: // false
    case 0xc3: // true
      return at + 1
    case 0xc4: // bin 8
    case 0xd9: // str 8
      return skipBytes(bytes, at + 1, 1)
    case 0xc5: // bin 16
    case 0xda: // str 16
      return skipBytes(bytes, at + 1, 2)
    case 0xc6: // bin 32
    case 0xdb: // str 32
      return skipBytes(bytes, at + 1, 4)
    case 0xca: // float 32
    case 0xce: // uint 32
    case 0xd2: // int 32
      return within(bytes, at + 5)
    case 0xcb: // float 64
    case 0xcf: // uint 64
    case 0xd3: // int 64
      return within(bytes, at + 9)
    case 0xcc: // uint 8
    case 0xd0: // int 8
      return within(bytes, at + 2)
    case 0xcd: // uint 16
    case 0xd1: // int 16
      return within(bytes, at + 3)
    case 0xdc: // array 16
      return skipCounted(bytes, at + 1, 2, 1, depth)
    case 0xdd: // array 32
      return skipCounted(bytes, at + 1, 4, 1, depth)
    case 0xde: // map 16
      return skipCounted(bytes, at + 1, 2, 2, depth)
    case 0xdf: // map 32
      return skipCounted(bytes, at + 1, 4, 2, depth)
    default: // 0xc1, and every extension type
      return refused
  }
}

function skipValues(bytes: Uint8Array, start: number, count: number, depth: number): number {
  // Each value takes a byte at least, so a count beyond the bytes that are left is a lie.
  if (count > bytes.length - start) return refused
  let at = start
  for (let left = count; left > 0 && at !== refused; left--) at = skipValue(bytes, at, depth - 1)
  return at
}

function skipCounted(bytes: Uint8Array, at: number, width: 2 | 4, perEntry: 1 | 2, depth: number): number {
  const count = readLength(bytes, at, width)
  return count === refused ? refused : skipValues(bytes, at + width, count * perEntry, depth)
}

function skipBytes(bytes: Uint8Array, at: number, width: 1 | 2 | 4): number {
  const length = readLength(bytes, at, width)
  return length === refused ? refused : within(bytes, at + width + length)
}

function readLength(bytes: Uint8Array, at: number, width: 1 | 2 | 4): number {
  if (at + width > bytes.length) return refused
  let length = 0
  for (let index = 0; index < width; index++) length = length * 256 + bytes[at + index]!
  return length
}

function within(bytes: Uint8Array, end: number): number {
  return end <= bytes.length ? end : refused
}
