export type PayloadName = 'typical' | '100 B' | '10 KB' | '1 MB'

export interface Payload {
  /** Of the argument `text`. */
  readonly textBytes: number
  /** How often the answer holds it. */
  readonly repeat: number
}

/** `typical` is a request of 225 bytes with an answer of 1.9 KB; the others come back as they went. */
export const payloads: { readonly [Name in PayloadName]: Payload } = {
  typical: { textBytes: 112, repeat: 17 },
  '100 B': { textBytes: 100, repeat: 1 },
  '10 KB': { textBytes: 10_000, repeat: 1 },
  '1 MB': { textBytes: 1_000_000, repeat: 1 },
}

const words = 'the quick brown fox jumps over the lazy dog and runs away with it; '
const idDigits = 10
export const canaryLength = idDigits + 2

/** Begins the text of a call and of its answer: no answer can pass for another's. */
export function canaryOf(id: number): string {
  return `c${String(id).padStart(idDigits, '0')}.`
}

/** The id in a text that begins with a canary, else NaN. */
export function idInCanary(text: string, at: number): number {
  return Number(text.slice(at + 1, at + 1 + idDigits))
}

export function fillerOf({ textBytes }: Payload): string {
  const bytes = textBytes - canaryLength
  return words.repeat(Math.ceil(bytes / words.length)).slice(0, bytes)
}
