import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Message } from '../../src/messages.js'

export const vectorsDirectory = new URL('../../vectors/', import.meta.url)

/** A frame in hexadecimal, or in parts where it is long and dull. */
export type FrameText = string | readonly (string | { readonly repeat: string; readonly times: number })[]

/** A file under `vectors/`; README.md there describes it. */
export interface Vector {
  readonly name: string
  readonly clause: string
  readonly about: string
  readonly frames: readonly FrameText[]
  readonly message?: unknown
  readonly messages?: readonly unknown[]
  readonly fault?: string
  readonly faults?: readonly string[]
}

export function readVectors(kind: 'valid' | 'invalid'): Vector[] {
  const directory = new URL(`${kind}/`, vectorsDirectory)
  return readdirSync(directory)
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, directory), 'utf8')) as Vector)
}

export function frameBytes(frame: FrameText): Uint8Array {
  if (typeof frame === 'string') return Buffer.from(frame, 'hex')
  return Buffer.concat(
    frame.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'hex') : Buffer.from(part.repeat.repeat(part.times), 'hex'),
    ),
  )
}

/** A message as a vector has it: bytes as `{ hex }`, a body as `{ json }` where it is JSON. */
export function messageText(message: Message): unknown {
  return Object.fromEntries(
    Object.entries(message).map(([key, value]) => {
      if (!(value instanceof Uint8Array)) return [key, value]
      return [key, key === 'body' ? bodyText(value) : { hex: hex(value) }]
    }),
  )
}

function bodyText(body: Uint8Array): unknown {
  if (body.length > 65_536) return { bytes: body.length, sha256: createHash('sha256').update(body).digest('hex') }
  try {
    return { json: JSON.parse(Buffer.from(body).toString('utf8')) }
  } catch {
    return { hex: hex(body) }
  }
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
