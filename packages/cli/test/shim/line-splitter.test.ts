// biome-ignore-all lint/suspicious/noExplicitAny: what comes over the wire is read freely here
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineSplitter } from '../../src/shim/line-splitter.js'

it('gives the same lines however they are cut, with their ends', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.nat({ max: 20 })), (texts, cuts) => {
      const whole = Buffer.from(texts.map((text) => `${text.replaceAll('\n', ' ')}\n`).join(''))
      const splitter = new LineSplitter(1_000)
      const lines: string[] = []
      let start = 0
      for (const length of [...cuts, whole.length]) {
        for (const line of splitter.push(whole.subarray(start, start + length))) {
          if (line.kind === 'line') lines.push(line.bytes.toString())
        }
        start += length
      }
      expect(lines.join('')).toBe(whole.toString())
      expect(lines).toHaveLength(texts.length)
    }),
  )
})

it('keeps both ends of a line that is too long, and goes on behind it', () => {
  const splitter = new LineSplitter(1_000)
  const lines = [
    ...splitter.push(Buffer.from(`{"id":1${' '.repeat(2_000)}`)),
    ...splitter.push(Buffer.from('"end"}\nnext\nrest')),
  ]
  expect(lines.map(({ kind }) => kind)).toEqual(['too_long', 'line'])
  expect((lines[0] as any).head.toString()).toMatch(/^\{"id":1 /)
  expect((lines[0] as any).tail.toString()).toMatch(/ "end"\}\n$/)
  expect([...splitter.end()]).toEqual([{ kind: 'line', bytes: Buffer.from('rest\n') }])
})
