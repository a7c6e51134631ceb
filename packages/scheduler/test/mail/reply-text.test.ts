import { expect, it } from 'vitest'
import { replyText } from '../../src/mail/reply-text.js'

it.each([
  [
    'an English quote',
    'Yes, do it.\n\nOn Mon, 2 Mar 2026 at 10:00, Callboard <c@b.org> wrote:\n> old\n> older',
    'Yes, do it.',
  ],
  ['a French one', 'Oui\n\nLe lun. 2 mars 2026 à 10:00, Callboard <c@b.org> a écrit :\n> vieux', 'Oui'],
  ['a quote without a line before it', 'Yes\n\n> old\n> older\n', 'Yes'],
  ['a signature', 'Do it\n-- \nAda\nTelephone 5', 'Do it'],
  ['the mark of a telephone', 'Do it\n\nSent from my iPhone', 'Do it'],
])('cuts %s', (_name, text, reply) => expect(replyText(text)).toBe(reply))

it('keeps quotes that are being answered', () => {
  expect(replyText('> which?\n\nThe first\n\n> when?\n\nToday')).toBe('> which?\nThe first\n> when?\nToday')
})

it('keeps a quote that the words before it need', () => {
  expect(replyText('The log says:\n> no space left')).toBe('The log says:\n> no space left')
})

it('keeps what a rule of dashes parts', () => {
  expect(replyText('Publish this:\n---\ntitle: x\n---\nThank you')).toBe('Publish this:\n---\ntitle: x\n---\nThank you')
})

it('keeps everything where nothing would be left', () => {
  const quote = 'On Mon, 2 Mar 2026, Ada <a@b.org> wrote:\n> x'
  expect(replyText(quote)).toBe(quote)
  expect(replyText('> x')).toBe('> x')
  expect(replyText('')).toBe('')
})

// Each of these takes the library's patterns minutes. A test that hangs fails.
it.each([
  ['a long line', ' on at '.repeat(7_000)],
  ['a long quoted line', `>${' on at '.repeat(7_000)}`],
  ['many empty lines', '\n'.repeat(49_000)],
  ['spaces in lines', ' \n'.repeat(24_000)],
  ['many brackets', '>'.repeat(49_000)],
  ['lines of brackets', '>\n'.repeat(24_000)],
  ['half a header in each line', 'Le a a\n'.repeat(7_000)],
  ['headers without end', 'Op schreef '.repeat(4_500)],
  ['short lines', `${' on at '.repeat(40)}\n`.repeat(170)],
])('is done with %s', (_name, text) => expect(typeof replyText(text)).toBe('string'))
