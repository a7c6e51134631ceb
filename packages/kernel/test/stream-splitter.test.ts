import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markPrefix } from '../src/output/output-marks.js'
import { StreamSplitter } from '../src/output/stream-splitter.js'

const token = '0123456789abcdef'
const prefix = markPrefix(token).toString('latin1')
const begin = (run: number) => `${prefix}<${run}\0`
const end = (run: number) => `${prefix}>${run}\0`
const piece = (run: number, text: string) => `${prefix}=${run} ${Buffer.byteLength(text)}\0${text}`

/** What each run is given when the stream comes in these chunks, and which runs were seen to end. */
async function split(chunks: readonly Buffer[], runs: readonly number[], giveUp = false) {
  const texts = new Map<number, string>()
  const ended: number[] = []
  const splitter = new StreamSplitter(token, (run, bytes) =>
    texts.set(run, (texts.get(run) ?? '') + Buffer.from(bytes).toString('latin1')),
  )
  for (const run of runs) void splitter.begin(run).then(() => ended.push(run))
  for (const chunk of chunks) splitter.push(chunk)
  if (giveUp) splitter.giveUp()
  await Promise.resolve()
  return { texts: Object.fromEntries(texts), ended }
}

function cutAt(whole: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
  return at.slice(1).map((to, index) => whole.subarray(at[index], to))
}

describe('StreamSplitter', () => {
  const nearMarks = fc
    .array(fc.constantFrom('a', '\0', '\0\x01', '\0\x01callboard ', prefix.slice(0, 20), `${prefix.slice(0, -1)}x`), {
      maxLength: 5,
    })
    .map((parts) => parts.join(''))
  const segment = fc.oneof(
    fc.record({ run: fc.constant(undefined), text: nearMarks }),
    fc.record({ run: fc.integer({ min: 1, max: 3 }), text: nearMarks }),
  )

  it('gives each run the same bytes, however the stream is cut into chunks', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.array(segment, { maxLength: 4 }), { minLength: 3, maxLength: 3 }),
      fc.array(fc.nat(600), { maxLength: 20 }),
      async (cells, cuts) => {
        const expected: { [run: number]: string } = {}
        let stream = ''
        for (const [index, segments] of cells.entries()) {
          const current = index + 1
          stream += begin(current)
          for (const { run, text } of segments) {
            stream += run === undefined ? text : piece(run, text)
            if (text !== '') expected[run ?? current] = (expected[run ?? current] ?? '') + text
          }
          stream += end(current)
        }
        const { texts, ended } = await split(cutAt(Buffer.from(stream, 'latin1'), cuts), [1, 2, 3])
        expect(texts).toEqual(expected)
        expect(ended).toEqual([3])
      },
    )
    await fc.assert(property)
  })

  it('counts what comes between two runs to the earlier one, and drops what comes before the first', async () => {
    const stream = Buffer.from(`starting${begin(1)}one${end(1)}left behind${piece(1, 'late')}`)
    expect(await split([stream], [1])).toEqual({ texts: { 1: 'oneleft behindlate' }, ended: [1] })
  })

  it('tells a piece of an earlier run from the output around it', async () => {
    const stream = Buffer.from(`${begin(1)}${end(1)}${begin(2)}a${piece(1, 'late')}b${end(2)}`)
    expect((await split([stream], [1, 2])).texts).toEqual({ 1: 'late', 2: 'ab' })
  })

  it('gives what it held back when it gives up, and lets the run end', async () => {
    const stream = Buffer.from(`${begin(1)}text${prefix.slice(0, 9)}`)
    const held = await split([stream], [1], true)
    expect(held).toEqual({ texts: { 1: `text${prefix.slice(0, 9)}` }, ended: [1] })
  })

  it('takes what only looks like a mark for output', async () => {
    const forged = [
      `${prefix}!1\0`,
      `${prefix}=1\0`,
      `${prefix}<1 2\0`,
      `${prefix}=1 ${'9'.repeat(50)}\0`,
      '\0\x01callboard x <9\0',
    ].join('-')
    const { texts } = await split(cutAt(Buffer.from(`${begin(1)}${forged}${end(1)}`), [70, 71, 140]), [1])
    expect(texts).toEqual({ 1: forged })
  })

  it('invents no run for a forged number', async () => {
    const { texts } = await split([Buffer.from(`${begin(1)}${piece(77, 'x')}${begin(99)}y`)], [1])
    expect(texts).toEqual({ 1: 'xy' })
  })
})
