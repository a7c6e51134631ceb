import fc from 'fast-check'
import { Packr } from 'msgpackr'
import { describe, expect, it } from 'vitest'
import { readMsgpack } from '../src/msgpack-reader.js'
import { MsgpackWriter, type Plain } from '../src/msgpack-writer.js'

const packr = new Packr({ useRecords: false, int64AsType: 'number' })

const lengths = [0, 1, 15, 16, 31, 32, 63, 64, 65, 127, 128, 255, 256, 65_535, 65_536]
const numbers = [0, -0, 1, 127, 128, 255, 256, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 0.5, 1e300]

/** What a receiver makes of this one is its affair. */
const key = fc.string().filter((text) => text !== '__proto__')

const { value: plain } = fc.letrec<{ value: Plain }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.maxSafeInteger(),
    // −0 is 0.
    fc.double().map((number) => number + 0),
    fc.string({ unit: 'grapheme' }),
    fc.string({ minLength: 30, maxLength: 300 }),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.array(tie('value'), { maxLength: 20 }),
    fc.dictionary(key, tie('value'), { maxKeys: 20 }),
  ),
}))

function written(value: Plain): Uint8Array {
  const writer = new MsgpackWriter(8)
  writer.value(value)
  return writer.take()
}

function expectRead(value: Plain): void {
  const bytes = written(value)
  expect(readMsgpack(bytes)).toEqual(value)
  expect(packr.unpack(bytes)).toEqual(value)
}

describe('MsgpackWriter', () => {
  it('[CB-5] writes what another library reads', () => {
    fc.assert(fc.property(plain, expectRead), { numRuns: 2_000 })
  })

  it.each(numbers)('[CB-6] writes %d, and what is as far below 0', (number) => {
    for (const value of [number, -number]) expect(packr.unpack(written(value)) === value).toBe(true)
  })

  it.each(lengths)('[CB-5] writes strings, bytes, lists and maps with %i entries', (length) => {
    expectRead('x'.repeat(length))
    expectRead('é'.repeat(length))
    expectRead(Buffer.alloc(length, 7))
    expectRead(Array.from({ length }, (_, index) => index))
    expectRead(Object.fromEntries(Array.from({ length }, (_, index) => [`k${index}`, index])))
  })

  it('writes a half of a surrogate pair as what stands for no character', () => {
    for (const text of ['\ud800', `a\udc00b`])
      expect(packr.unpack(written(text))).toBe(text.replace(/[\ud800-\udfff]/, '\ufffd'))
  })

  it('keeps nothing of one head in the next, and gives each to its reader', () => {
    const writer = new MsgpackWriter(8)
    writer.value('first')
    const first = writer.take()
    writer.value('other')
    expect([packr.unpack(first), packr.unpack(writer.take())]).toEqual(['first', 'other'])
  })

  it('gives back the room of a head that was too large', () => {
    const writer = new MsgpackWriter(8)
    writer.value('kept')
    const { length } = writer
    writer.value('x'.repeat(100))
    writer.truncate(length)
    expect(packr.unpack(writer.take())).toBe('kept')
  })
})
