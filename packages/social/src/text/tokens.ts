/** A word, or one character of a script that puts no blanks between words. */
export interface Token {
  readonly text: string
  /** UTF-16 offset. */
  readonly at: number
  readonly isWord: boolean
}

/** In the order of the text, which has been folded; everything else is between them. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let begin = -1
  for (let at = 0; at <= text.length; ) {
    const kind = kindAt(text, at)
    if (kind === wordKind) {
      if (begin === -1) begin = at
    } else if (begin !== -1) {
      tokens.push({ text: text.slice(begin, at), at: begin, isWord: true })
      begin = -1
    }
    const length = isPair(text, at) ? 2 : 1
    if (kind === unspacedKind) tokens.push({ text: text.slice(at, at + length), at, isWord: false })
    at += length
  }
  return tokens
}

/** Whether there is a character of a word at this offset, of a script that puts blanks between words. */
export function isWordAt(text: string, at: number): boolean {
  return kindAt(text, at) === wordKind
}

function kindAt(text: string, at: number): number {
  if (at >= text.length) return noKind
  return isPair(text, at) ? kindOf(text.slice(at, at + 2)) : kinds[text.charCodeAt(at)]!
}

function isPair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
}

function kindOf(character: string): number {
  if (unspaced.test(character)) return unspacedKind
  return wordCharacter.test(character) ? wordKind : noKind
}

const [noKind, wordKind, unspacedKind] = [0, 1, 2]

const wordCharacter = /[\p{L}\p{M}\p{N}_]/u

/** Scripts whose words stand without blanks between them, and the mark that lengthens a vowel in two of them. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Bopo}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}ー]/u

/** By UTF-16 unit: to ask the expressions for each character of each post takes ten times as long. */
const kinds = Uint8Array.from({ length: 0x10000 }, (_, unit) => kindOf(String.fromCharCode(unit)))
