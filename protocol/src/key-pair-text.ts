import { type CurveKeyPair, publicKeyOf } from './key-agreement.js'

/**
 * Reads a key file: a line `public KEY` and a line `secret KEY`, in Z85; lines that begin with `#` are comments. Undefined where it
 * is anything else, or the two keys don't belong together.
 */
export function parseKeyPair(text: string): CurveKeyPair | undefined {
  const found = new Map<string, string>()
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [word = '', key, ...more] = line.trim().split(/\s+/)
    if (key === undefined || more.length > 0 || found.has(word)) return undefined
    found.set(word, key)
  }
  const [publicKey, secretKey] = [found.get('public'), found.get('secret')]
  if (found.size !== 2 || publicKey === undefined || secretKey === undefined) return undefined
  return publicKeyOf(secretKey) === publicKey ? { publicKey, secretKey } : undefined
}
