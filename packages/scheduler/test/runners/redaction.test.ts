import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StreamRedactor } from '../../src/runners/redaction.js'

describe('a secret in a stream', () => {
  const through = (secret: string, chunks: readonly string[]) => {
    const redactor = new StreamRedactor(secret)
    return Buffer.concat([...chunks.map((chunk) => redactor.push(Buffer.from(chunk))), redactor.end()]).toString()
  }

  it('is replaced, wherever chunks are cut', () => {
    const pieces = fc.array(fc.constantFrom('aab', 'a', 'b', 'aa', 'x', '\n'), { maxLength: 30 })
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(60)), (words, cuts) => {
        const whole = words.join('')
        const places = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length]
        const chunks = places.slice(1).map((end, index) => whole.slice(places[index], end))
        expect(through('aab', chunks)).toBe(whole.replaceAll('aab', '[redacted]'))
      }),
      { seed: 7, numRuns: 2_000 },
    )
  })

  it('is held back only as far as it has begun', () => {
    const redactor = new StreamRedactor('secret')
    expect(redactor.push(Buffer.from('no sec')).toString()).toBe('no ')
    expect(redactor.push(Buffer.from('ond')).toString()).toBe('second')
    expect(redactor.push(Buffer.from('the secr')).toString()).toBe('the ')
    expect(redactor.end().toString()).toBe('secr')
  })
})
