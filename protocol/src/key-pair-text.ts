import { type CurveKeyPair, publicKeyOf } from './key-agreement.js'

/**
 * Reads a key file: JSON with `publicKey` and `secretKey`, or two lines, the public key first; `#` in front of a blank begins a
 * comment line. Undefined where it is neither, or the keys don't belong together.
 */
export function parseKeyPair(text: string): CurveKeyPair | undefined {
  const pair = text.trimStart().startsWith('{') ? (pairInJson(text) ?? pairInLines(text)) : pairInLines(text)
  return pair !== undefined && publicKeyOf(pair.secretKey) === pair.publicKey ? pair : undefined
}

export function formatKeyPair({ publicKey, secretKey }: CurveKeyPair): string {
  return `${JSON.stringify({ publicKey, secretKey }, null, 2)}\n`
}

function pairInJson(text: string): CurveKeyPair | undefined {
  try {
    const { publicKey, secretKey } = JSON.parse(text) as Record<string, unknown>
    return typeof publicKey === 'string' && typeof secretKey === 'string' ? { publicKey, secretKey } : undefined
  } catch {
    return undefined
  }
}

function pairInLines(text: string): CurveKeyPair | undefined {
  const lines = text.split('\n').map((line) => line.trim())
  const [publicKey, secretKey, ...others] = lines.filter((line) => line !== '' && line !== '#' && !line.startsWith('# '))
  return publicKey !== undefined && secretKey !== undefined && others.length === 0 ? { publicKey, secretKey } : undefined
}
