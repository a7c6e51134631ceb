import { cleanText } from './clean-text.js'

/** What stands between lines of dashes, without a count at its beginning; empty parts and an introduction are none. */
export function splitParts(raw: string): readonly string[] {
  const parts = cleanText(raw)
    .split(/^[^\S\n]*(?:-{3,}|\*{3,}|_{3,})[^\S\n]*$/m)
    .map((part) => withoutCount(cleanText(part)))
    .filter((part) => part !== '')
  return parts.length > 1 && isIntroduction(parts[0]!) ? parts.slice(1) : parts
}

/** `1/7`, `(1/7)`, `1/`, `Part 1:`. */
function withoutCount(text: string): string {
  return text.replace(/^(?:\(?\d{1,2}\s*\/\s*\d{0,2}\)?[:.)]?\s+|(?:part|tweet|post)\s*\d{1,2}\s*[:.]\s*)/i, '')
}

function isIntroduction(text: string): boolean {
  return /^(?:sure|certainly|of course|okay|here(?:'s|’s| is| are))\b[^\n]{0,100}:$/i.test(text)
}
