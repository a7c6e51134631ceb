import { createHash } from 'node:crypto'

/** What the first line of all follows. */
export const genesis = '0'.repeat(64)

/** The newest line of a chain. */
export interface Link {
  readonly seq: number
  readonly hash: string
}

export interface SealedLine extends Link {
  /** Without its line end. */
  readonly text: string
}

/** A line's hash is that of all its bytes before it, among which is the hash of the line before. `members`: JSON members without braces. */
export function seal(members: string, { seq, hash: prev }: Link): SealedLine {
  const head = `{"seq":${seq + 1},${members},"prev":"${prev}"`
  const hash = sha256(head)
  return { seq: seq + 1, hash, text: `${head},"hash":"${hash}"}` }
}

/** A line that was read. */
export interface ReadLine extends Link {
  readonly prev: string
  readonly value: Readonly<Record<string, unknown>>
}

/** Undefined: it is not as it was written. */
export function readLine(text: string): ReadLine | undefined {
  const match = /^(\{"seq":(\d{1,15}),.*,"prev":"([0-9a-f]{64})"),"hash":"([0-9a-f]{64})"\}$/s.exec(text)
  if (match === null) return undefined
  const [, head, seq, prev, hash] = match as unknown as [string, string, string, string, string]
  if (sha256(head) !== hash) return undefined
  try {
    return { seq: Number(seq), prev, hash, value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')
