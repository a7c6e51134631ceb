import fc from 'fast-check'
import { Packr } from 'msgpackr'
import { describe, expect, test } from 'vitest'
import { headDepthMax } from '../src/limits.js'
import { malformed, readMsgpack } from '../src/msgpack-reader.js'
import { pack } from './support/msgpack-writer.js'
import { nested } from './support/valid-vectors.js'

const packr = new Packr({ useRecords: false, variableMapSize: true, int64AsType: 'number' })

/** What a receiver makes of this one is its affair. */
const key = fc.string().filter((text) => text !== '__proto__')

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double(),
  fc.string({ unit: 'binary' }),
  fc.string({ minLength: 30, maxLength: 300 }),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
)
const { value: plainValue } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    scalar,
    fc.array(tie('value'), { maxLength: 20 }),
    fc.dictionary(key, tie('value'), { maxKeys: 20 }),
  ),
}))

const isPlainMsgpack = (bytes: Uint8Array): boolean => readMsgpack(bytes) !== malformed

function hasMap(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasMap)
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array)
}

describe('readMsgpack', () => {
  test.each([
    ['msgpackr', (value: unknown) => packr.pack(value)],
    ['another writer', pack],
  ] as const)('[CB-5] accepts what %s makes of plain values, whole and alone', (_name, write) => {
    fc.assert(
      fc.property(plainValue, fc.nat(), fc.integer({ min: 0, max: 255 }), (value, cut, more) => {
        const bytes = write(value)
        expect(isPlainMsgpack(bytes)).toBe(true)
        expect(isPlainMsgpack(bytes.subarray(0, cut % bytes.length))).toBe(false)
        expect(isPlainMsgpack(Buffer.concat([bytes, Uint8Array.of(more)]))).toBe(false)
      }),
      { numRuns: 2_000 },
    )
  })

  test('[CB-5] reads what they say, as the library does', () => {
    fc.assert(
      fc.property(plainValue, (value) => {
        for (const bytes of [packr.pack(value), pack(value)]) expect(readMsgpack(bytes)).toEqual(packr.unpack(bytes))
      }),
      { numRuns: 300 },
    )
  })

  test('[CB-5] reads nothing that the library cannot read, and all the same, but for its keys', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 24 }), (bytes) => {
        const value = readMsgpack(bytes)
        if (value === malformed || hasMap(value)) return
        expect(withBuffers(value)).toEqual(withBuffers(packr.unpack(bytes)))
      }),
      { numRuns: 20_000, examples: [[Uint8Array.of(0xc4, 0)]] },
    )
  })

  test('[CB-5] leaves out what has no name, and what would be a prototype', () => {
    const read = readMsgpack(Buffer.from('8301a178a95f5f70726f746f5f5f81a16102a17a03', 'hex'))
    expect(read).toEqual({ z: 3 })
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype)
  })

  test.each([
    ['a record', new Packr().pack({ type: 'bye' })],
    ['undefined', packr.pack({ type: undefined })],
    ['a date', packr.pack(new Date(0))],
    ['a set', new Packr({ useRecords: false, moreTypes: true }).pack(new Set([1]))],
    ['an error', new Packr({ useRecords: false, moreTypes: true }).pack(new Error('x'))],
    ['a typed array', new Packr({ useRecords: false, moreTypes: true }).pack(Float32Array.of(1))],
    ['bundled strings', new Packr({ useRecords: false, bundleStrings: true }).pack({ a: 'text', b: 'text' })],
  ])('[CB-5] refuses what msgpackr writes for %s', (_name, bytes) => expect(isPlainMsgpack(bytes)).toBe(false))

  test('[CB-5] refuses every extension type by its tag', () => {
    for (const tag of [0xc1, 0xc7, 0xc8, 0xc9, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8]) {
      expect(isPlainMsgpack(Buffer.concat([Uint8Array.of(tag), Buffer.alloc(40)]).subarray(0, 18))).toBe(false)
      expect(isPlainMsgpack(Buffer.concat([Uint8Array.of(0x91, tag), Buffer.alloc(17)]))).toBe(false)
    }
  })

  test('[CB-5] knows every tag: one byte more or less than it needs is refused', () => {
    // biome-ignore format: a table
    const sizes: Record<string, number> = {
      c0: 1, c2: 1, c3: 1, c4: 2, c5: 3, c6: 5, ca: 5, cb: 9, cc: 2, cd: 3, ce: 5, cf: 9, d0: 2, d1: 3, d2: 5, d3: 9,
      d9: 2, da: 3, db: 5, dc: 3, dd: 5, de: 3, df: 5,
    }
    for (const [tag, size] of Object.entries(sizes)) {
      const bytes = Buffer.alloc(size + 1)
      bytes[0] = Number.parseInt(tag, 16)
      expect(isPlainMsgpack(bytes.subarray(0, size)), `tag ${tag}`).toBe(true)
      expect(isPlainMsgpack(bytes.subarray(0, size - 1)), `tag ${tag}`).toBe(false)
      expect(isPlainMsgpack(bytes), `tag ${tag}`).toBe(false)
    }
  })

  test('[CB-5] stops at its depth, not at that of the stack', () => {
    expect(isPlainMsgpack(pack(nested(headDepthMax)))).toBe(true)
    expect(isPlainMsgpack(pack(nested(headDepthMax + 1)))).toBe(false)
    expect(isPlainMsgpack(Buffer.alloc(200_000, 0x91))).toBe(false)
  })

  test('[CB-5] believes no count', () => {
    for (const tag of [0xc6, 0xdb, 0xdd, 0xdf]) {
      expect(isPlainMsgpack(Uint8Array.of(tag, 0xff, 0xff, 0xff, 0xff))).toBe(false)
      expect(isPlainMsgpack(Uint8Array.of(tag, 0x00, 0x00, 0x00, 0x01))).toBe(false)
    }
  })
})

/** Of no bytes at all the library makes another class than of some. */
function withBuffers(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value)
  return Array.isArray(value) ? value.map(withBuffers) : value
}
