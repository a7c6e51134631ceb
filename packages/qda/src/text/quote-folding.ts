import { FoldedText, type Folding } from './folded-text.js'
import { perText } from './per-text.js'

/** A text as quotes are compared with it: each run of white space one blank, quotation marks and dashes plain. */
export const foldedForQuotes = perText((text) => new FoldedText(text, quoteFolding))

/** A quote written the same way, without white space around it. */
export function foldedQuote(quote: string): string {
  return quote.replace(quoteFolding.pattern, quoteFolding.substitute).trim()
}

const plainForms = new Map([
  ...[...'‘’‚‛′‵´`ʼ‹›'].map((mark) => [mark, "'"] as const),
  ...[...'“”„‟″‶«»'].map((mark) => [mark, '"'] as const),
  ...[...'‐‑‒–—―−﹘﹣－'].map((dash) => [dash, '-'] as const),
])

// A single blank is plain already: most of a text is left alone.
const quoteFolding: Folding = {
  pattern: new RegExp(`\\s{2,}|[^\\S ]|[${[...plainForms.keys()].join('')}]`, 'g'),
  substitute: (found) => plainForms.get(found) ?? ' ',
}
