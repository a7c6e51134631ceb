import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'

/** The header that makes a mail a trigger. */
export const triggerHeader = 'X-Callboard-Trigger'

const payloadSchema = z.strictObject({
  v: z.literal(1),
  id: z.string(),
  /** Folders. */
  src: z.string(),
  dst: z.string(),
  /** Of the run that it starts. */
  depth: z.int().min(1),
  /** UTC ms. */
  iat: z.int(),
  exp: z.int(),
  /** See `triggerBodyHash`. */
  body: z.string(),
})

export type TriggerPayload = Readonly<z.output<typeof payloadSchema>>

export type TokenReading =
  | { readonly kind: 'valid'; readonly payload: TriggerPayload }
  /** No token at all: nobody has signed this. */
  | { readonly kind: 'malformed' }
  /** Not signed with this key, or changed since. */
  | { readonly kind: 'forged' }

/** `base64url(payload) "." base64url(HMAC-SHA256(key, first part))`. */
export function signTrigger(payload: TriggerPayload, key: string): string {
  const claim = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `${claim}.${signatureOf(claim, key).toString('base64url')}`
}

/** For any text. White space is passed over: servers fold long headers. */
export function readTriggerToken(text: string, key: string): TokenReading {
  const match = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{43})$/.exec(text.replaceAll(/\s+/g, ''))
  if (match === null) return { kind: 'malformed' }
  const [, claim = '', signature = ''] = match
  if (!timingSafeEqual(Buffer.from(signature, 'base64url'), signatureOf(claim, key))) return { kind: 'forged' }
  const payload = payloadSchema.safeParse(parseJson(Buffer.from(claim, 'base64url').toString()))
  return payload.success ? { kind: 'valid', payload: payload.data } : { kind: 'malformed' }
}

function signatureOf(claim: string, key: string): Buffer {
  return createHmac('sha256', key).update(claim).digest()
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
