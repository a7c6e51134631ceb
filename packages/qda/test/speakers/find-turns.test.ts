import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findMarkers, type MarkerFormat } from '../../src/speakers/find-markers.js'
import { findTurns } from '../../src/speakers/find-turns.js'

function turnsIn(text: string, options: { formats?: readonly MarkerFormat[]; includeLabel?: boolean } = {}) {
  const turns = findTurns(text, findMarkers(text, options.formats), options)
  return [...turns].map(({ label, pieces }) => [label, ...pieces.map(({ start, end }) => text.slice(start, end))])
}

test('a turn goes over all lines to the next marker', () => {
  expect(turnsIn('Title\n\nP01: One.\nTwo.\n\nThree.\nResearcher 1: Why?\nP01:\nSo.\n')).toEqual([
    ['P01', 'One.\nTwo.\n\nThree.'],
    ['Researcher 1', 'Why?'],
    ['P01', 'So.'],
  ])
})

test('all formats of markers', () => {
  const text = 'Anna: a\n[Ben] b\n[Cem]: c\n[Dora:] d\n{Eva} e\n#Fritz: f\n@Gül: g\n'
  expect(turnsIn(text)).toEqual([
    ['Anna', 'a'],
    ['Ben', 'b'],
    ['Cem', 'c'],
    ['Dora', 'd'],
    ['Eva', 'e'],
    ['Fritz', 'f'],
    ['Gül', 'g'],
  ])
  expect(turnsIn(text, { formats: ['brace', 'at'] })).toEqual([
    ['Eva', 'e\n#Fritz: f'],
    ['Gül', 'g'],
  ])
})

test.each([
  'anna',
  'ANNA',
  'P01',
  '2nd speaker',
  'Researcher 1',
  'Dr. O’Neil-Smith (interviewer)',
  'Smith, John & P01/P02',
  'Ünal Çelik',
  '李明',
  'Ame\u0301lie',
  'x'.repeat(63),
  `P${'𝒙'.repeat(62)}`,
])('%s is a label', (label) => {
  expect(turnsIn(`${label}: yes`)).toEqual([[label, 'yes']])
})

test.each([
  'http://example.org/x',
  'See https://example.org/x',
  'mailto:anna@example.org',
  'C:\\texts',
  'localhost:8080/x',
  '12:30',
  '12:30 and so on',
  'We met at 12:30 and left',
  'John 3:16',
  '00:01:02 --> 00:01:05',
  '[00:12] text',
  '[...] text',
  '[12]',
  '{1.02}',
  '1: text',
  '# heading',
  '@anna text',
  ': text',
  '"Yes": text',
  `${'x'.repeat(64)}: text`,
  `[${'x'.repeat(64)}] text`,
])('%s has no marker', (line) => {
  expect(turnsIn(`${line}\n`)).toEqual([])
})

test('blanks, a byte order mark and a timestamp may stand before a marker', () => {
  const text = '\ufeff  Anna: a\n\t[00:12] Ben: b\n(1:00)Anna: c\n00:01:02 - Ben : d\n#00:02:03-4# [Anna] e\n'
  expect(turnsIn(text)).toEqual([
    ['Anna', 'a'],
    ['Ben', 'b'],
    ['Anna', 'c'],
    ['Ben', 'd'],
    ['Anna', 'e'],
  ])
})

test('a time may stand between label and colon, and the colon may be a wide one', () => {
  expect(turnsIn('Speaker 1 (00:12):\nHi\n李明：5年\n')).toEqual([
    ['Speaker 1', 'Hi'],
    ['李明', '5年'],
  ])
})

test('subtitles: lines about time cut a turn, and are nobody’s words', () => {
  const subtitles = [
    '1',
    '00:00:01,000 --> 00:00:04,000',
    'P01: Hello there.',
    '',
    '2',
    '00:00:05,000 --> 00:00:07,000 position:50%',
    'I am 42.',
    '42',
    '',
    '3',
    '00:00:08,000 --> 00:00:09,000',
    'P02: Yes.',
    '',
    '4',
    '00:00:10,000 --> 00:00:11,000',
    '',
  ]
  for (const lineBreak of ['\n', '\r\n', '\u2029']) {
    expect(turnsIn(subtitles.join(lineBreak))).toEqual([
      ['P01', 'Hello there.', `I am 42.${lineBreak}42`],
      ['P02', 'Yes.'],
    ])
  }
})

test('timestamps within and between lines cut a turn; clock times do not', () => {
  const text =
    'P01: One [00:12] two.\n00:13\nThree {1.02.03} (1:05)\n00:14:00 four #00:01:02-3# at 12:30, (see 12.30).\n'
  expect(turnsIn(text)).toEqual([['P01', 'One', 'two.', 'Three', 'four', 'at 12:30, (see 12.30).']])
  expect(turnsIn('P01: 12:30\nP02: 12:30:00 or so')).toEqual([
    ['P01', '12:30'],
    ['P02', '12:30:00 or so'],
  ])
})

test('the label is part of the first piece where that is wanted', () => {
  const text = '  [Anna] a\n[00:12] b\nBen: [00:13] c\nCem:\n d'
  expect(turnsIn(text, { includeLabel: true })).toEqual([
    ['Anna', '[Anna] a', 'b'],
    ['Ben', 'c'],
    ['Cem', 'Cem:\n d'],
  ])
})

test('turns without words are left out', () => {
  expect(turnsIn('Anna:\nBen: \n\nCem: [00:12]\nDora: d', { includeLabel: true })).toEqual([['Dora', 'Dora: d']])
  expect(turnsIn('')).toEqual([])
})

const line = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'Anna: a',
    '[Ben]',
    '{Cem} 😀',
    '#D:',
    '@E: e',
    '00:12',
    '00:01 --> 00:02',
    '7',
    '(00:12) Ben: b',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)

test('pieces are in order, within their turns, trimmed and not empty', () => {
  fc.assert(
    fc.property(
      fc.array(line),
      fc.constantFrom('\n', '\r\n', '\r', '\u2028'),
      fc.boolean(),
      (lines, lineBreak, includeLabel) => {
        const text = lines.join(lineBreak)
        let at = 0
        for (const { label, pieces } of findTurns(text, findMarkers(text), { includeLabel })) {
          expect(label).toBe(label.trim())
          expect(pieces.length).toBeGreaterThan(0)
          for (const { start, end } of pieces) {
            expect(start).toBeGreaterThanOrEqual(at)
            expect(end).toBeGreaterThan(start)
            expect(text.slice(start, end)).toBe(text.slice(start, end).trim())
            at = end
          }
        }
      },
    ),
    { numRuns: 500 },
  )
})

// Each would take hours if looking at one place took time that grows with the text.
test.each([
  'a',
  ' ',
  '\t\u00a0',
  '\n',
  '\r\n ',
  ':',
  '1',
  '0:0',
  '00:00',
  '00:00 ',
  '[',
  '[a',
  '{(',
  '#00:00:00',
  '-->',
  '1\n',
  '1\n00:00 ',
  'a:',
  'a:\n',
  'a: \n \n',
  'A b ',
  '(1:00',
])(
  'four million characters of %j are no trouble',
  (unit) => {
    const text = `A: ${unit.repeat(4_000_000 / unit.length)}`
    let pieces = 0
    for (const turn of findTurns(text, findMarkers(text))) pieces += turn.pieces.length
    expect(pieces).toBeLessThan(text.length)
  },
  20_000,
)
