import { fieldNames, messageTypes } from './schema.js'

/**
 * The word of CB/1 that these bytes spell, if they do. Heads consist of little else, and a string that is there need neither
 * be made nor, as a key, be looked for among all strings.
 */
export function knownWord(bytes: Uint8Array, start: number, length: number): string | undefined {
  if (length === 0 || length > wordLengthMax) return undefined
  const alike = table[slotOf(length, bytes[start]!, bytes[start + length - 1]!)]!
  for (const word of alike) if (word.length === length && isSpelt(word, bytes, start)) return word
  return undefined
}

const values = [
  'result',
  'error',
  'tools/call',
  'tools/list',
  'agent',
  'operator',
  'legacy',
  'modern',
  'form',
  'cancelled',
]
const words = new Set([...messageTypes, ...fieldNames, ...values, 'type', 'outcome', 'bytes'])

const wordLengthMax = Math.max(...[...words].map((word) => word.length))
const slots = 512
const table: string[][] = Array.from({ length: slots }, () => [])
for (const word of words) {
  table[slotOf(word.length, word.charCodeAt(0), word.charCodeAt(word.length - 1))]!.push(word)
}

function slotOf(length: number, first: number, last: number): number {
  return (length * 37 + first * 5 + last * 211) % slots
}

function isSpelt(word: string, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < word.length; index++) if (word.charCodeAt(index) !== bytes[start + index]) return false
  return true
}
