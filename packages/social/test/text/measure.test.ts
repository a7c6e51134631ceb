import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LengthRule } from '../../src/text/length-rule.js'
import { measure } from '../../src/text/measure.js'
import { anyText } from '../support/any-text.js'

const x: LengthRule = { kind: 'weighted' }
const bluesky: LengthRule = { kind: 'graphemes', max: 300, bytesMax: 3_000 }
const mastodon: LengthRule = { kind: 'short-urls', max: 500, urlLength: 23 }
const rules = [x, bluesky, mastodon]
const family = '👨‍👩‍👧‍👦'

describe('on X', () => {
  it.each([
    ['280 "é"', 'é'.repeat(280), 280, true],
    ['280 "é" of two code points each', 'e\u0301'.repeat(280), 280, true],
    ['281 "é"', 'é'.repeat(281), 281, false],
    ['140 Chinese characters', '語'.repeat(140), 280, true],
    ['141 Chinese characters', '語'.repeat(141), 282, false],
    ['140 families of four', family.repeat(140), 280, true],
    ['a long URL', `https://example.com/${'a'.repeat(400)}`, 23, true],
    ['a bare URL', 'example.com/x', 23, true],
    ['quotation marks and dashes', '“”–—‘’', 6, true],
    ['nothing', '', 0, false],
  ])('%s', (_, text, count, fits) => {
    expect(measure(text, x)).toEqual({ count, limit: 280, unit: 'weighted characters', fits })
  })
})

describe('on Bluesky', () => {
  it('a family is one grapheme, whatever it takes', () => {
    expect(measure(family.repeat(3), bluesky)).toEqual({ count: 3, limit: 300, unit: 'graphemes', fits: true })
  })

  it('300 graphemes fit, and 301 do not', () => {
    expect(measure('é'.repeat(300), bluesky)).toMatchObject({ count: 300, fits: true })
    expect(measure('é'.repeat(301), bluesky)).toMatchObject({ count: 301, fits: false })
  })

  it('few graphemes of too many bytes do not fit, and bytes are what is counted then', () => {
    expect(measure(family.repeat(120), bluesky)).toMatchObject({ count: 120, unit: 'graphemes', fits: true })
    expect(measure(family.repeat(121), bluesky)).toEqual({ count: 3_025, limit: 3_000, unit: 'bytes', fits: false })
  })

  it('a URL counts as written', () => {
    expect(measure('https://example.com/abcdefghijklmnopqrstuvwxyz', bluesky).count).toBe(46)
  })
})

describe('on Mastodon', () => {
  it('each URL counts as 23, also a short one', () => {
    expect(measure(`a https://example.com/${'b'.repeat(600)} c`, mastodon)).toEqual({
      count: 27,
      limit: 500,
      unit: 'characters',
      fits: true,
    })
    expect(measure('https://a.co', mastodon).count).toBe(23)
    expect(measure('https://a.co', { ...mastodon, urlLength: 30 }).count).toBe(30)
  })

  it('a bare domain counts as written: no server makes a link of it', () => {
    expect(measure('example.com', mastodon).count).toBe(11)
  })

  it('a mention counts without its host, and an e-mail address as written', () => {
    expect(measure('@ada@mastodon.example hi', mastodon).count).toBe(7)
    expect(measure('@ada@a.example @bob.c@b.example.', mastodon).count).toBe(12)
    expect(measure('ada@mastodon.example', mastodon).count).toBe(20)
    expect(measure('https://a.com/@ada@b.com', mastodon).count).toBe(23)
  })

  it('the content warning counts', () => {
    expect(measure('a'.repeat(498), mastodon, 'cw')).toMatchObject({ count: 500, fits: true })
    expect(measure('a'.repeat(499), mastodon, 'cw')).toMatchObject({ count: 501, fits: false })
  })
})

describe('anywhere', () => {
  it.each(['', ' \n\t', '\u200b\u200d', '\0'])('a text without anything to see does not fit: %j', (text) => {
    for (const rule of rules) expect(measure(text, rule).fits).toBe(false)
  })

  it('a text beyond all limits is not counted, and does not fit', () => {
    for (const rule of rules) expect(measure('a'.repeat(10_000_000), rule)).toMatchObject({ fits: false })
    expect(measure('a'.repeat(20_001), { ...mastodon, max: 1_000_000 }).fits).toBe(false)
  })

  it('every text has a length, and what fits is within the limit', () => {
    fc.assert(
      fc.property(anyText, fc.constantFrom(...rules), (text, rule) => {
        const { count, limit, fits } = measure(text, rule)
        expect(Number.isSafeInteger(count)).toBe(true)
        if (fits) expect(count).toBeLessThanOrEqual(limit)
        if (fits) expect(count).toBeGreaterThan(0)
      }),
    )
  })
})
