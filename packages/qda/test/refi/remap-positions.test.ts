import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type PlacedSelection, remapPositions } from '../../src/refi/remap-positions.js'

const pieces = fc
  .array(fc.constantFrom('a', 'b', ' ', '\r\n', '\r\n', '\n', '\r', '😀', 'é', '中'), { minLength: 1, maxLength: 30 })
  .filter((parts) => parts.every((part, index) => part !== '\r' || parts[index + 1] !== '\n'))

/** A range over whole pieces, as each count has it. */
const marked = fc.tuple(pieces, fc.nat(), fc.nat()).map(([parts, from, to]) => {
  const first = from % parts.length
  const last = first + 1 + (to % (parts.length - first))
  const points = (count: number, end: number) =>
    parts.slice(0, end).reduce((sum, part) => sum + (part === '\r\n' ? count : 1), 0)
  return {
    raw: parts.join(''),
    quote: parts.slice(first, last).join('').replace(/\r\n?/g, '\n'),
    one: { start: points(1, first), end: points(1, last) },
    two: { start: points(2, first), end: points(2, last) },
  }
})

function remapped(text: string, selections: PlacedSelection[], origin: string | null) {
  return remapPositions({ text, lineEnds: 'as written', selections, origin })
}

test('positions meet the same text, whether line ends counted one or two', () => {
  fc.assert(
    fc.property(marked, ({ raw, quote, one, two }) => {
      for (const [origin, range] of [
        ['ATLAS.ti 23', one],
        ['NVivo 14', two],
      ] as const) {
        const { text, length, selections } = remapped(raw, [{ ...range, name: null }], origin)
        expect(text).not.toContain('\r')
        expect(length).toBe([...text].length)
        expect(selections).toMatchObject([{ kind: 'placed', ...one }])
        const [placed] = selections
        if (placed?.kind === 'placed') expect([...text].slice(placed.start, placed.end).join('')).toBe(quote)
      }
    }),
  )
})

test('what a quotation shows counts more than which program it was', () => {
  const text = 'one\r\ntwo\r\nthree\r\nfour'
  const counted = (start: number, end: number, name: string | null) => ({ start, end, name })
  const one = remapped(text, [counted(8, 13, 'three'), counted(14, 18, null)], 'NVivo')
  expect(one.selections).toMatchObject([
    { start: 8, end: 13, quoted: true },
    { start: 14, end: 18, quoted: false },
  ])
  const two = remapped(text, [counted(10, 15, 'three'), counted(17, 21, null)], 'ATLAS.ti')
  expect(two.selections).toMatchObject([
    { start: 8, end: 13, quoted: true },
    { start: 14, end: 18, quoted: false },
  ])
})

test('a quotation may be cut short, and have blanks for line ends', () => {
  const text = 'x\r\nx\r\nfirst line\r\nsecond line of it'
  const { selections } = remapped(text, [{ start: 4, end: 31, name: 'first line second…' }], 'MAXQDA')
  expect(selections).toMatchObject([{ start: 4, end: 31, quoted: true }])
})

test('of a text that a parser normalised, line ends count two only where quotations show it', () => {
  const request = { text: 'one\ntwo\nthree', lineEnds: 'parsed' as const, origin: 'NVivo' }
  const plain = { start: 8, end: 13, name: null }
  expect(remapPositions({ ...request, selections: [plain] }).selections).toMatchObject([{ start: 8, end: 13 }])
  const quoted = { start: 10, end: 15, name: 'three' }
  expect(remapPositions({ ...request, selections: [quoted] }).selections).toMatchObject([{ start: 8, end: 13 }])
})

test.each([
  [-1, 2],
  [2, 2],
  [3, 2],
  [0, 4],
])('positions %i to %i of three characters are outside', (start, end) => {
  expect(remapped('abc', [{ start, end, name: null }], null).selections).toMatchObject([{ kind: 'outside' }])
})

test('a byte order mark is no character of the text', () => {
  const { text, selections } = remapped('\uFEFFabc', [{ start: 0, end: 1, name: 'a' }], null)
  expect(text).toBe('abc')
  expect(selections).toMatchObject([{ start: 0, end: 1, quoted: true }])
})
