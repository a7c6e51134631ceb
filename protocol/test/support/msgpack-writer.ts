/** msgpack bytes written out literally, for what no writer would make of a value. */
export class Raw {
  readonly bytes: Uint8Array

  constructor(hex: string) {
    this.bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  }
}

/**
 * A second msgpack writer, so that the vectors don't come from the library that reads them. It writes what most
 * libraries of other languages write: the shortest form, and a large whole number as uint 64.
 */
export function pack(value: unknown): Uint8Array {
  if (value instanceof Raw) return value.bytes
  if (value === null) return bytes(0xc0)
  if (typeof value === 'boolean') return bytes(value ? 0xc3 : 0xc2)
  if (typeof value === 'number') return packNumber(value)
  if (typeof value === 'string') return packString(Buffer.from(value, 'utf8'))
  if (value instanceof Uint8Array) return join([packLength(value.length, undefined, [0xc4, 0xc5, 0xc6]), value])
  if (Array.isArray(value))
    return join([packLength(value.length, [0x90, 15], [undefined, 0xdc, 0xdd]), ...value.map(pack)])
  const entries = Object.entries(value as object)
  return join([
    packLength(entries.length, [0x80, 15], [undefined, 0xde, 0xdf]),
    ...entries.flatMap(([key, entry]) => [pack(key), pack(entry)]),
  ])
}

function packNumber(value: number): Uint8Array {
  if (!Number.isSafeInteger(value)) return float64(value)
  if (value < 0)
    return value >= -32 ? bytes(value & 0xff) : join([bytes(0xd3), big(BigInt.asUintN(64, BigInt(value)), 8)])
  if (value < 0x80) return bytes(value)
  if (value < 0x100) return bytes(0xcc, value)
  if (value < 0x1_0000) return join([bytes(0xcd), big(value, 2)])
  if (value < 0x1_0000_0000) return join([bytes(0xce), big(value, 4)])
  return join([bytes(0xcf), big(value, 8)])
}

export function float64(value: number): Uint8Array {
  const packed = Buffer.alloc(9, 0xcb)
  packed.writeDoubleBE(value, 1)
  return packed
}

const packString = (utf8: Uint8Array): Uint8Array =>
  join([packLength(utf8.length, [0xa0, 31], [0xd9, 0xda, 0xdb]), utf8])

/** `small` is the tag and the greatest length of the one-byte form; `tags` are those with 1, 2 and 4 bytes of length. */
function packLength(
  length: number,
  small: readonly [number, number] | undefined,
  tags: readonly [number | undefined, number, number],
): Uint8Array {
  if (small !== undefined && length <= small[1]) return bytes(small[0] | length)
  if (tags[0] !== undefined && length < 0x100) return bytes(tags[0], length)
  return length < 0x1_0000 ? join([bytes(tags[1]), big(length, 2)]) : join([bytes(tags[2]), big(length, 4)])
}

function big(value: number | bigint, width: number): Uint8Array {
  return Buffer.from(
    BigInt(value)
      .toString(16)
      .padStart(width * 2, '0'),
    'hex',
  )
}

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)
export const join = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts)
