const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** What a reader sees as characters; any text, half surrogates too. */
export function countGraphemes(text: string): number {
  if (isPlain(text)) return text.length
  let count = 0
  for (const _ of segmenter.segment(text)) count += 1
  return count
}

/** Of ASCII only a line end of two characters is one grapheme; most texts need no segmenter. */
function isPlain(text: string): boolean {
  return /^[\n\x20-\x7e]*$/.test(text)
}
