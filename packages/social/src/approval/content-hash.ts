import { createHash } from 'node:crypto'
import { canonicalJson } from '@callboard/worker/canonical-json'
import type { ActionType } from '../records/schema.js'
import type { MediaNote } from './proposals.js'

/** All of an item that becomes public, and when. */
export interface PublicContent {
  readonly network: string
  readonly account: string
  readonly action: ActionType
  readonly parts: readonly string[]
  readonly media: readonly Pick<MediaNote, 'part' | 'sha256' | 'alt'>[]
  /** Remote id of what is replied to. */
  readonly replyTo: string | null
  readonly visibility: string | null
  readonly contentWarning: string | null
  readonly language: string | null
  /** UTC ms. */
  readonly scheduledFor: number | null
}

/** SHA-256, hex. What a person approves is this: another text, picture, time or target has another one. */
export function contentHash(content: PublicContent): string {
  const { media, ...rest } = content
  const shown = media.map(({ part, sha256, alt }) => ({ part, sha256, alt }))
  return createHash('sha256')
    .update(canonicalJson({ ...rest, media: shown }).normalize('NFC'))
    .digest('hex')
}
