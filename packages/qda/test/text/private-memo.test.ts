import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendPublic, joinMemos, publicPart, withPublicPart } from '../../src/text/private-memo.js'

test('from the first mark on, a memo is private', () => {
  expect(publicPart('open\n#####secret\n##### more')).toBe('open')
  expect(publicPart('######secret')).toBeNull()
  expect(publicPart('a ####')).toBe('a ####')
  expect([publicPart(''), publicPart(null)]).toEqual([null, null])
})

test('an edit keeps the private part', () => {
  expect(withPublicPart('open\n#####secret', 'new')).toBe('new\n#####secret')
  expect(withPublicPart('open#####secret', null)).toBe('#####secret')
  expect(appendPublic('open\n\n#####secret', 'more')).toBe('open\nmore\n\n#####secret')
  expect(appendPublic(null, 'first')).toBe('first')
})

test('no text of an agent can make or move a private part', () => {
  expect(() => withPublicPart('open', 'a#####b')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  expect(() => appendPublic('open', '#####')).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }))
  expect(appendPublic('ab###', '##c')).toBe('ab###\n##c')
  const words = fc.array(fc.constantFrom('#', '##', 'a', '\n'), { maxLength: 8 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(words, words, words, (open, secret, given) => {
      fc.pre(!open.includes('#####') && !given.includes('#####'))
      fc.pre(!open.endsWith('#'))
      const hidden = `#####${secret}`
      for (const written of [withPublicPart(`${open}${hidden}`, given), appendPublic(`${open}${hidden}`, given)]) {
        expect(written.slice(written.indexOf('#####'))).toBe(hidden)
      }
      expect(publicPart(withPublicPart(`${open}${hidden}`, given)) ?? '').toBe(given.trimEnd())
    }),
  )
})

test('two memos become one, with both private parts at its end', () => {
  expect(joinMemos('a\n#####x', 'b #####y')).toBe('a\nb\n#####x\n#####y')
  expect(joinMemos(null, '#####y', 'head')).toBe('head\n#####y')
  expect([joinMemos('a', null), joinMemos(null, null), joinMemos('a#####x', '#####y')]).toEqual([
    'a',
    '',
    'a#####x\n#####y',
  ])
})
