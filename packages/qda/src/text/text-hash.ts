import { createHash } from 'node:crypto'

/** SHA-256 of the text's UTF-8, in hexadecimal digits. */
export function textHash(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}
