import { expect, it } from 'vitest'
import { withoutInternal } from '../../src/messages/internal-text.js'

it.each([
  ['plain', 'a b', 'a b'],
  ['one part', 'a <internal>x</internal> b', 'a  b'],
  ['several lines', 'a\n<internal>\nx\n</internal>\nb', 'a\n\nb'],
  ['two parts', '<internal>x</internal>a<internal>y</internal>', 'a'],
  ['mixed case', 'a<Internal>x</INTERNAL>b', 'ab'],
  ['blanks and attributes', 'a< internal kind="note" >x</ internal >b', 'ab'],
  ['nested', 'a<internal>x<internal>y</internal>z</internal>b', 'ab'],
  ['without an end', 'a<internal>x', 'a'],
  ['nested without an end', 'a<internal>x<internal>y</internal>z', 'a'],
  ['a tag cut off', 'a<internal x', 'a'],
  ['an end without a beginning', 'a</internal>b', 'ab'],
  ['an empty element', 'a<internal/>b', 'ab'],
  ['nothing but internal text', '<internal>x</internal>', ''],
  ['another tag', 'a<internals>x</internals>', 'a<internals>x</internals>'],
])('%s', (_, text, left) => {
  expect(withoutInternal(text)).toBe(left)
})

it('is done with hostile text at once', () => {
  const blanks = `<${' '.repeat(50_000)}internal>`
  expect(withoutInternal(blanks)).toBe(blanks)
  expect(withoutInternal('<internal'.repeat(10_000))).toBe('<internal'.repeat(9_999))
  expect(withoutInternal('<internal '.repeat(10_000))).toBe('')
  expect(withoutInternal('<internal>'.repeat(10_000))).toBe('')
})
