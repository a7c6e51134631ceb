import { createHash } from 'node:crypto'

/** SHA-256, hex, of what of a text survives mail servers: not its line ends, composed characters and trailing space. */
export function triggerBodyHash(text: string): string {
  return createHash('sha256').update(unfold(text)).digest('hex')
}

function unfold(text: string): string {
  const lines = text
    .replaceAll(/\r\n?/g, '\n')
    .normalize('NFC')
    .split('\n')
    .map((line) => line.trimEnd())
  // Not by a pattern: one for the line ends at the end takes the square of all others.
  const last = lines.findLastIndex((line) => line !== '')
  return lines.slice(0, last + 1).join('\n')
}
