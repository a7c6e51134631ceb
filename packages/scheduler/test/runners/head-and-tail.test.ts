import { describe, expect, it } from 'vitest'
import { HeadAndTail, withinBytes } from '../../src/runners/head-and-tail.js'

describe('beginning and end', () => {
  it('are all of a short stream', () => {
    const kept = new HeadAndTail(10)
    for (const piece of ['0123', '4567', '89ab', 'cdef']) kept.push(Buffer.from(piece))
    expect(kept.read(100, 0.5)).toBe('0123456789abcdef')
  })

  it('say how much of a long one is left out, in any pieces', () => {
    const text = Array.from({ length: 400 }, (_, n) => `${n}`.padStart(5)).join('')
    for (const size of [1, 3, 97, 5_000]) {
      const kept = new HeadAndTail(100)
      for (let at = 0; at < text.length; at += size) kept.push(Buffer.from(text.slice(at, at + size)))
      const shown = kept.read(164, 0.2)
      expect(shown).toBe(`${text.slice(0, 20)}\n[... 1900 bytes left out ...]\n${text.slice(-80)}`)
    }
  })

  it('cut no character in two', () => {
    for (let bytes = 100; bytes < 120; bytes += 1) {
      const shown = withinBytes('日本語🎉'.repeat(50), bytes)
      expect(shown).not.toContain('\ufffd')
      expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(bytes)
    }
  })
})
