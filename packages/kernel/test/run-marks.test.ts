import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MarkSplitter, runMarks } from '../src/output/run-marks.js'

const marks = runMarks('0123456789abcdef')

describe('MarkSplitter', () => {
  it('tells late output from the run’s, for any cut into chunks', () => {
    const near = fc
      .array(fc.constantFrom('a', '\0', '\0\x01', '\0\x01callboard ', marks.begin.slice(0, 20), 'é'), { maxLength: 6 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(near, near, near, fc.array(fc.nat(200), { maxLength: 12 }), (before, inside, after, cuts) => {
        const whole = Buffer.from(`${before}${marks.begin}${inside}${marks.end}${after}`)
        const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
        const splitter = new MarkSplitter()
        splitter.expect(marks)
        const pieces = at.slice(1).flatMap((end, index) => splitter.push(whole.subarray(at[index], end)))
        const text = (kind: string) =>
          Buffer.concat(
            pieces.flatMap((piece) => (piece.kind === kind && 'bytes' in piece ? [piece.bytes] : [])),
          ).toString()
        expect(text('run')).toBe(inside)
        expect(text('between')).toBe(before + after)
        expect(pieces.filter(({ kind }) => kind === 'ended')).toHaveLength(1)
      }),
    )
  })

  it('gives what it held back when it gives up', () => {
    const splitter = new MarkSplitter()
    splitter.expect(marks)
    splitter.push(Buffer.from(`${marks.begin}text${marks.end.slice(0, 9)}`))
    expect(splitter.giveUp()).toEqual([{ kind: 'run', bytes: Buffer.from(marks.end.slice(0, 9)) }])
    expect(splitter.giveUp()).toEqual([])
  })
})
