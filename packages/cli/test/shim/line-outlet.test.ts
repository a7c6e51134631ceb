import { Writable } from 'node:stream'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LineOutlet } from '../../src/shim/line-outlet.js'

/** Takes what is written, and says how it came. */
function collector(highWaterMark = 1_000) {
  const writes: Buffer[][] = []
  const taken: (() => void)[] = []
  const stream = new Writable({
    highWaterMark,
    write: (chunk: Buffer, _, done) => {
      writes.push([chunk])
      taken.push(done)
    },
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => chunk as Buffer))
      taken.push(done)
    },
  })
  return { stream, writes, take: () => taken.shift()!() }
}

it('writes lines that came as one piece as that piece, without a copy', () => {
  const { stream, writes } = collector()
  const outlet = new LineOutlet(stream)
  const chunk = Buffer.from('one\ntwo\nthree\nfour\n')
  outlet.gather(() => {
    for (const end of [4, 8, 14]) outlet.write(chunk.subarray(chunk.lastIndexOf('\n', end - 2) + 1, end))
  })
  expect(writes.map((pieces) => pieces.map(String))).toEqual([['one\ntwo\nthree\n']])
  expect(writes[0]![0]!.buffer).toBe(chunk.buffer)
})

it('leaves out what is left out, and keeps the order of all else', () => {
  const chunk = Buffer.from('ab\ncd\nef\ngh\n')
  const other = Buffer.from('xy\n')
  const entry = fc.oneof(
    fc.nat({ max: 3 }).map((index) => chunk.subarray(index * 3, index * 3 + 3)),
    fc.constant(other),
    fc.constant('own\n'),
  )
  fc.assert(
    fc.property(fc.array(entry), fc.boolean(), (lines, isGathered) => {
      const said: string[] = []
      const stream = new Writable({
        write: (piece: Buffer, _, done) => {
          said.push(piece.toString())
          done()
        },
      })
      const outlet = new LineOutlet(stream)
      const writeAll = () => {
        for (const line of lines) outlet.write(line)
      }
      if (isGathered) outlet.gather(writeAll)
      else writeAll()
      expect(said.join('')).toBe(lines.map(String).join(''))
    }),
  )
})

it('writes what it has when whoever writes fails', () => {
  const { stream, writes } = collector()
  const outlet = new LineOutlet(stream)
  expect(() =>
    outlet.gather(() => {
      outlet.write(Buffer.from('one\n'))
      throw new Error('broken')
    }),
  ).toThrow('broken')
  expect(writes.flat().map(String)).toEqual(['one\n'])
})

it('is behind from the moment that its reader takes less than comes, until that has taken it', () => {
  const { stream, take } = collector(10)
  const outlet = new LineOutlet(stream)
  outlet.gather(() => outlet.write('short\n'))
  expect(outlet.isBehind).toBe(false)
  outlet.gather(() => outlet.write('far too much\n'))
  expect(outlet.isBehind).toBe(true)
  take()
  take()
  expect(outlet.isBehind).toBe(false)
})
