import { withoutHosts } from './measure.js'

/**
 * The form in which a post that was read back is compared with what was sent: NFC, entities decoded, one space for all blanks,
 * mentions without their hosts and capitals, which networks write as they like. Not for showing.
 */
export function comparableText(text: string): string {
  return withoutHosts(decodedFully(text.normalize('NFC')))
    .replace(mention, (name) => name.toLowerCase())
    .replace(/[\s\p{Zs}]+/gu, ' ')
    .trim()
}

const mention = /(?<![=/\p{L}\p{M}\p{N}_])@[\p{L}\p{N}_.-]+/gu

/** One network escapes what was sent, another does not: until nothing is left both come out alike. */
function decodedFully(text: string): string {
  let decoded = text
  for (let round = 0; round < roundsMax; round += 1) {
    const next = decodeEntities(decoded)
    if (next === decoded) break
    decoded = next
  }
  return decoded
}

const roundsMax = 4

/** `&lt;` as `<`: once, of the entities that networks put into plain text. */
export function decodeEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|nbsp|#39|#x27|#34|#x22);/gi, (whole, name: string) => {
    return entities[name.toLowerCase()] ?? whole
  })
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
  '#x27': "'",
  '#34': '"',
  '#x22': '"',
}
