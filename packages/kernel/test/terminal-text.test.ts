import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TerminalText } from '../src/output/terminal-text.js'

function clean(chunks: readonly (string | Uint8Array)[]): string {
  const out: Buffer[] = []
  const terminal = new TerminalText((bytes) => out.push(Buffer.from(bytes)))
  for (const chunk of chunks) terminal.push(Buffer.from(chunk as string))
  const pending = Buffer.from(terminal.pending)
  return Buffer.concat([...out, pending]).toString()
}

describe('TerminalText', () => {
  it.each([
    ['plain text', 'a\nb', 'a\nb'],
    ['colours', '\x1b[1;31mred\x1b[0m', 'red'],
    ['a title that BEL ends', '\x1b]0;title\x07x', 'x'],
    ['a title that ST ends', '\x1b]0;title\x1b\\x', 'x'],
    ['a two-byte escape', '\x1b(Bx\x1b=y', 'xy'],
    ['a progress bar', '1%\r2%\r100%\n', '100%\n'],
    ['a return before a newline', 'kept\r\n', 'kept\n'],
    ['a return at the end', 'kept\r', 'kept'],
    ['an unfinished escape', 'x\x1b[3', 'x'],
  ])('shows %s as a terminal would', (_, input, expected) => {
    expect(clean([input])).toBe(expected)
  })

  it('gives the same for any cut into chunks', () => {
    const piece = fc.constantFrom('a', 'é', '\n', '\r', '\x1b[31m', '\x1b]0;t\x07', 'line\n', '\x1b', '[', 'm')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(200), { maxLength: 10 }), (pieces, cuts) => {
        const whole = Buffer.from(pieces.join(''))
        const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
        const chunks = at.slice(1).map((end, index) => whole.subarray(at[index], end))
        expect(clean(chunks)).toBe(clean([whole]))
      }),
    )
  })

  it('holds back a bounded line only', () => {
    const terminal = new TerminalText(() => {})
    terminal.push(Buffer.alloc(100_000, 'x'))
    expect(terminal.pending.length).toBeLessThanOrEqual(8 * 1024)
  })
})
