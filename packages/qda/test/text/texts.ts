import fc from 'fast-check'

/** What texts of research have in them that is more, or less, than one unit each. */
const pieces = [
  'a',
  'b',
  'word',
  ' ',
  '  ',
  '\n',
  '\r\n',
  '\u2029',
  '\ufeff',
  '👩‍👩‍👧',
  '😀',
  '𝒜',
  'e\u0301',
  '漢字',
  'שלום',
  '“',
  '’',
  '—',
  '-',
  '"',
]

export const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join(''))

/** A text, and two positions in it, in code points. */
export const textsWithRange = texts.chain((text) => {
  const length = [...text].length
  return fc
    .tuple(fc.nat(length), fc.nat(length))
    .map(([one, other]) => ({ text, start: Math.min(one, other), end: Math.max(one, other) }))
})
