/**
 * Without what nobody sees and programs read all the same: control characters, marks that turn the direction of writing,
 * letters of the tag block, zero-width blanks, halves of characters. Line ends are `\n`. What joins emoji and letters stays.
 */
export function visibleText(text: string): string {
  return Buffer.from(text)
    .toString('utf8')
    .replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/(?!\n)\p{Cc}|[\u200b\u2060-\u2064\ufeff\u00ad\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu, '')
}
