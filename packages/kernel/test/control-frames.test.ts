import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeFrame, FrameDecoder } from '../src/runtime/python/control-frames.js'

describe('FrameDecoder', () => {
  it('gives back what was encoded, for any cut into chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), (values, step) => {
        const whole = Buffer.concat(values.map(encodeFrame))
        const decoder = new FrameDecoder()
        const decoded: unknown[] = []
        for (let at = 0; at < whole.length; at += step)
          decoded.push(...decoder.push(whole.subarray(at, at + step)).values)
        expect(decoded).toEqual(values.map((value) => JSON.parse(JSON.stringify(value))))
      }),
    )
  })

  it('never throws, and stays broken after a malformed frame', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        new FrameDecoder().push(Buffer.from(bytes))
      }),
    )
    const decoder = new FrameDecoder()
    expect(decoder.push(Buffer.from([0, 0, 0, 2, 0x7b, 0x7b])).broken).toBe(true)
    expect(decoder.push(encodeFrame(1))).toEqual({ values: [], broken: true })
    expect(new FrameDecoder().push(Buffer.from([0xff, 0xff, 0xff, 0xff])).broken).toBe(true)
  })
})
