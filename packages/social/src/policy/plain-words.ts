/** As it is compared: no difference by compatibility forms, case, white space, or characters that nobody sees. */
export function comparable(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

/** The first of the phrases that is in the text as words of its own; substrings only in scripts without blanks. */
export function phraseIn(text: string, phrases: readonly string[]): string | undefined {
  const compared = comparable(text)
  return phrases.find((phrase) => patternOf(comparable(phrase))?.test(compared))
}

const wordCharacter = /[\p{L}\p{N}\p{M}]/u
const withoutBlanks = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

function patternOf(phrase: string): RegExp | undefined {
  const first = [...phrase].at(0)
  const last = [...phrase].at(-1)
  if (first === undefined || last === undefined) return undefined
  const escaped = phrase.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  const before = needsBoundary(first) ? `(?<!${wordCharacter.source})` : ''
  const behind = needsBoundary(last) ? `(?!${wordCharacter.source})` : ''
  return new RegExp(`${before}${escaped}${behind}`, 'u')
}

const needsBoundary = (edge: string) => wordCharacter.test(edge) && !withoutBlanks.test(edge)

const segmenter = new Intl.Segmenter('und', { granularity: 'word' })

/** The words of a text without the names of those it addresses: every reply to one person begins alike. */
export function wordsOf(text: string): readonly string[] {
  const unaddressed = comparable(text).replaceAll(/(?<![\p{L}\p{N}])@[\p{L}\p{N}_.@-]+/gu, ' ')
  return [...segmenter.segment(unaddressed)].flatMap(({ segment, isWordLike }) => (isWordLike ? [segment] : []))
}
