import { foldText } from './fold-text.js'
import { isWordAt, tokensOf } from './tokens.js'

interface Phrase {
  /** As somebody wrote it. */
  readonly written: string
  readonly order: number
  readonly folded: string
  /** Its first word in a script with blanks, and where that begins. */
  readonly word: string | undefined
  readonly wordAt: number
  readonly endsWithWord: boolean
}

/**
 * Which of some words and phrases a text says: compatibility forms and cases alike, whole words only ("ai" is not in "said"),
 * with or without `#`. In scripts without blanks between words any occurrence counts. Compiled once: the time that a text
 * takes hardly depends on how many phrases there are.
 */
export class PhraseMatcher {
  /** Each once, as written; without those that say nothing. */
  readonly phrases: readonly string[]
  /** By their first word. */
  readonly #byWord = new Map<string, Phrase[]>()
  /** Without any word in a script with blanks, by their first UTF-16 unit. */
  readonly #byUnit = new Map<string, Phrase[]>()

  constructor(phrases: readonly string[]) {
    const compiled = new Map<string, Phrase>()
    for (const [order, written] of phrases.entries()) {
      const phrase = compile(written, order)
      if (phrase.folded !== '' && !compiled.has(phrase.folded)) compiled.set(phrase.folded, phrase)
    }
    this.phrases = [...compiled.values()].map(({ written }) => written)
    for (const phrase of compiled.values()) this.#add(phrase)
  }

  #add(phrase: Phrase): void {
    if (phrase.word === undefined) push(this.#byUnit, phrase.folded.charAt(0), phrase)
    else push(this.#byWord, phrase.word, phrase)
  }

  /** Those that the text says, in the order in which they were given. */
  matches(text: string): readonly string[] {
    const found = new Set(this.#occurrences(text))
    return [...found].sort((a, b) => a.order - b.order).map(({ written }) => written)
  }

  matchesAny(text: string): boolean {
    return !this.#occurrences(text).next().done
  }

  *#occurrences(text: string): Generator<Phrase> {
    const folded = foldText(text)
    if (this.#byWord.size > 0) yield* this.#withWords(folded)
    if (this.#byUnit.size > 0) yield* this.#withoutWords(folded)
  }

  *#withWords(folded: string): Generator<Phrase> {
    for (const { text: word, at, isWord } of tokensOf(folded)) {
      if (!isWord) continue
      for (const phrase of this.#byWord.get(word) ?? none) {
        const begin = at - phrase.wordAt
        if (begin < 0 || !folded.startsWith(phrase.folded, begin)) continue
        if (!phrase.endsWithWord || !isWordAt(folded, begin + phrase.folded.length)) yield phrase
      }
    }
  }

  *#withoutWords(folded: string): Generator<Phrase> {
    for (const [unit, phrases] of this.#byUnit) {
      if (!folded.includes(unit)) continue
      for (const phrase of phrases) if (folded.includes(phrase.folded)) yield phrase
    }
  }
}

function compile(written: string, order: number): Phrase {
  const folded = foldText(written).trim().replace(/^#+/, '').trim()
  const first = tokensOf(folded).find(({ isWord }) => isWord)
  return {
    written,
    order,
    folded,
    word: first?.text,
    wordAt: first?.at ?? 0,
    endsWithWord: isWordAt(folded, lastAt(folded)),
  }
}

/** Of the last character. */
function lastAt(text: string): number {
  return text.length - ((text.charCodeAt(text.length - 1) & 0xfc00) === 0xdc00 ? 2 : 1)
}

function push(map: Map<string, Phrase[]>, key: string, phrase: Phrase): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [phrase])
  else list.push(phrase)
}

const none: readonly Phrase[] = []
