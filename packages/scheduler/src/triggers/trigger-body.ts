import { createHash } from 'node:crypto'

/** SHA-256, hex, of what of a text survives mail servers: not its line ends, composed characters and trailing space. */
export function triggerBodyHash(text: string): string {
  return createHash('sha256').update(unfold(text)).digest('hex')
}

function unfold(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .normalize('NFC')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n+$/, '')
}
