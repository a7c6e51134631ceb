import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LineBudget } from '../../src/mcp/line-budget.js'
import { type Line, LineSplitter } from '../../src/mcp/line-splitter.js'

const shown = (line: Line) => (line.kind === 'line' ? line.bytes.toString('latin1') : `too long: ${line.tail.length}`)

function pushed(splitter: LineSplitter, chunk: Buffer): Line[] {
  splitter.push(chunk)
  const lines: Line[] = []
  for (let line = splitter.next(); line !== undefined; line = splitter.next()) lines.push(line)
  return lines
}

function split(bytes: Buffer, cuts: readonly number[], max = 1000): string[] {
  const splitter = new LineSplitter(max)
  const lines: Line[] = []
  let start = 0
  for (const cut of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    lines.push(...pushed(splitter, bytes.subarray(start, cut)))
    start = cut
  }
  const rest = splitter.end()
  if (rest !== undefined) lines.push(rest)
  return lines.map(shown)
}

describe('LineSplitter', () => {
  it('finds the same lines however the bytes are cut', () => {
    const lines = fc.array(fc.string({ maxLength: 40 }).filter((line) => !/[\r\n]/.test(line) && line !== ''))
    fc.assert(
      fc.property(lines, fc.constantFrom('\n', '\r\n', '\n\n'), fc.array(fc.nat()), (wanted, end, cuts) => {
        const bytes = Buffer.from(wanted.map((line) => line + end).join(''))
        expect(split(bytes, cuts)).toEqual(wanted.map((line) => Buffer.from(line).toString('latin1')))
      }),
    )
  })

  it('takes any bytes and keeps every line of at most the bound', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat()), (bytes, cuts) => {
        const wanted = Buffer.from(bytes)
          .toString('latin1')
          .split('\n')
          .map((line) => line.replace(/\r$/, ''))
          .filter((line) => line !== '')
        const found = split(Buffer.from(bytes), cuts, 10)
        expect(found.length).toBe(wanted.length)
        for (const [index, line] of wanted.entries()) {
          if (line.length <= 10) expect(found[index]).toBe(line)
          else expect(found[index]).toMatch(/^too long/)
        }
      }),
    )
  })

  it('skips a line that is too long and goes on with the next', () => {
    expect(split(Buffer.from(`${'x'.repeat(5000)}\nnext\n`), [100, 2000, 4990])).toEqual(['too long: 256', 'next'])
  })

  describe('with a budget', () => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    const max = 10 * 1024 * 1024
    const rest = (splitter: LineSplitter) => [...pushed(splitter, Buffer.from('\n'))].map(({ kind }) => kind)

    it('skips a line for which others have left nothing', () => {
      const budget = new LineBudget(4 * chunk.length)
      const [greedy, late] = [new LineSplitter(max, budget), new LineSplitter(max, budget)]
      for (let index = 0; index < 4; index++) for (const splitter of [greedy, late]) void [...pushed(splitter, chunk)]
      expect(rest(late)).toEqual(['too_long'])
      expect(rest(greedy)).toEqual(['line'])
      // What was skipped or has ended is given back.
      for (let index = 0; index < 4; index++) void [...pushed(late, chunk)]
      expect(rest(late)).toEqual(['line'])
    })

    it('counts neither what is small nor what comes whole', () => {
      const splitter = new LineSplitter(max, new LineBudget(0))
      void [...pushed(splitter, chunk.subarray(0, 60_000))]
      expect(rest(splitter)).toEqual(['line'])
      expect([...pushed(splitter, Buffer.from(`${'x'.repeat(200_000)}\n`))]).toMatchObject([{ kind: 'line' }])
    })

    it('counts what the pieces of a dripping line cost', () => {
      const splitter = new LineSplitter(max, new LineBudget(0))
      for (let index = 0; index < 300; index++) void [...pushed(splitter, Buffer.from('x'))]
      expect(rest(splitter)).toEqual(['too_long'])
    })

    it('gives all back when it is closed, in the middle of a chunk too', () => {
      const budget = new LineBudget(chunk.length)
      const gone = new LineSplitter(max, budget)
      void [...pushed(gone, chunk), ...pushed(gone, chunk.subarray(1000))]
      for (const _ of pushed(gone, Buffer.concat([Buffer.from('\n'), chunk, Buffer.from('x')]))) gone.close()
      expect(budget.take(chunk.length)).toBe(true)
    })
  })

  it('yields what follows the last line end only at the end', () => {
    const splitter = new LineSplitter(100)
    expect([...pushed(splitter, Buffer.from('a\nhalf'))].map(shown)).toEqual(['a'])
    expect(shown(splitter.end()!)).toBe('half')
  })

  it('is linear in the length of a line', () => {
    const splitter = new LineSplitter(64 * 1024 * 1024)
    const chunk = Buffer.alloc(4096, 'x')
    const pushes = 8192
    const started = process.cpuUsage()
    for (let index = 0; index < pushes; index++) for (const _ of pushed(splitter, chunk)) throw new Error('no line yet')
    const lines = [...pushed(splitter, Buffer.from('\n'))]
    expect(lines[0]?.kind === 'line' && lines[0].bytes.length).toBe(chunk.length * pushes)
    // Joining at every chunk would copy 128 GiB.
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000)
  })
})
