import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitsOneText, partsOf, textOf } from '../../src/approvals/parts-text.js'

describe('the parts of a thread as one text', () => {
  it('have a line of dashes between them', () => {
    expect(textOf(['One.', 'Two.\n\nTwo.'])).toBe('One.\n---\nTwo.\n\nTwo.\n')
    expect(partsOf('\nOne.\r\n\r\n--- \r\n\r\nTwo.\n\nTwo.\n\n')).toEqual(['One.', 'Two.\n\nTwo.'])
    expect(partsOf('One. --- Two.\n----\n ---\n')).toEqual(['One. --- Two.\n----\n ---'])
    expect(partsOf('---\n')).toEqual(['', ''])
  })

  it('come back as they were, where the text can hold them', () => {
    const part = fc
      .array(fc.constantFrom('a', ' ', '-', '--', '---', '\n', 'é', '# '), { minLength: 1 })
      .map((pieces) => `x${pieces.join('')}x`)
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        if (fitsOneText(parts)) expect(partsOf(textOf(parts))).toEqual(parts)
      }),
    )
    expect(fitsOneText(['a\n---\nb'])).toBe(false)
  })
})
