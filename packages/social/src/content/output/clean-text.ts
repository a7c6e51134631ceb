import { visibleText } from './visible-text.js'

/** A model's text without what models put around it: thoughts, introductions, quotation marks, Markdown. Never throws. */
export function cleanText(raw: string): string {
  let text = visibleText(withoutThoughts(raw.normalize('NFC'))).trim()
  // One wrapping may be inside another.
  for (let before = ''; before !== text; ) {
    before = text
    text = unwrapped(text)
  }
  return tidied(text)
}

/** A model that thinks aloud does so first; one that was cut off meanwhile has said nothing. */
function withoutThoughts(text: string): string {
  return text.replace(/^\s*<(think|thinking)>[\s\S]*?(<\/\1>|$)/i, '')
}

function unwrapped(text: string): string {
  return withoutQuotes(
    text
      .replace(/^(?:-{3,}|\*{3,}|_{3,}) *(?:\n|$)/, '')
      .replace(/(?:^|\n) *(?:-{3,}|\*{3,}|_{3,})$/, '')
      .replace(/^```[^\n]*\n([\s\S]*?)\n?```$/, '$1')
      .replace(/^(?:sure|certainly|of course|okay|here(?:'s|’s| is| are))\b[^\n]{0,100}:\s*\n/i, '')
      .replace(/^(?:tweet|post|reply|thread|(?:part|tweet|post) *\d{1,2})[^\S\n]*:\s+/i, '')
      .trim(),
  )
}

const quotes = ['""', '“”', "''", '‘’', '«»', '``'] as const

/** Only a pair that stands around the whole text. */
function withoutQuotes(text: string): string {
  const pair = quotes.find(([open, close]) => text.length > 1 && text.startsWith(open!) && text.endsWith(close!))
  if (pair === undefined) return text
  const inner = text.slice(1, -1)
  return inner.includes(pair[0]!) || inner.includes(pair[1]!) ? text : inner.trim()
}

function tidied(text: string): string {
  return text
    .replaceAll(/(\*\*|__)(?=\S)([^\n]*?\S)\1/g, '$2')
    .replaceAll(/^#{1,6} +/gm, '')
    .replaceAll(/ +$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}
