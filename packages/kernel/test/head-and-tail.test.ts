import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HeadAndTail } from '../src/output/head-and-tail.js'

describe('HeadAndTail', () => {
  it('keeps all that fits, and names exactly the bytes that do not', () => {
    const chunks = fc.array(
      fc.uint8Array({ minLength: 0, maxLength: 60 }).map((bytes) => bytes.map((byte) => 97 + (byte % 26))),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(chunks, (parts) => {
        const kept = new HeadAndTail(100, 0.3)
        for (const part of parts) kept.push(part)
        const whole = Buffer.concat(parts).toString()
        const { text, omittedBytes } = kept.read()
        if (whole.length <= 100) expect({ text, omittedBytes }).toEqual({ text: whole, omittedBytes: 0 })
        else
          expect(text).toBe(`${whole.slice(0, 30)}\n[... ${whole.length - 100} bytes omitted ...]\n${whole.slice(-70)}`)
        expect(omittedBytes).toBe(Math.max(0, whole.length - 100))
      }),
    )
  })

  it('cuts between characters', () => {
    for (const character of ['é', '€', '😀']) {
      for (let shift = 0; shift < 4; shift += 1) {
        const kept = new HeadAndTail(100, 0.3)
        const whole = Buffer.from('x'.repeat(shift) + character.repeat(200))
        for (let at = 0; at < whole.length; at += 7) kept.push(whole.subarray(at, at + 7))
        const { text, omittedBytes } = kept.read()
        expect(text).not.toContain('\uFFFD')
        const [head, tail] = text.split(`\n[... ${omittedBytes} bytes omitted ...]\n`)
        expect(Buffer.byteLength(head! + tail!) + omittedBytes).toBe(whole.length)
      }
    }
  })
})
