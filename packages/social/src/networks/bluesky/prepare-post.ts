import { utcText } from '@callboard/worker/utc-text'
import { failure } from '../../envelope/failure.js'
import { blueskyAltTextMax, blueskyImageBytesMax, blueskyImagesMax } from '../../limits.js'
import type { LengthRule } from '../../text/length-rule.js'
import { checkLength } from '../check-length.js'
import type { Part, PostRef, Prepared, PublishKey } from '../network-adapter.js'
import { type Span, spansOf } from './facets.js'
import { postCollection } from './identifiers.js'
import { isTid } from './tid.js'

interface StrongRef {
  readonly uri: string
  readonly cid: string
}

/** The record but for what only the network knows: who is mentioned, and what it calls the images. */
export interface BlueskyRequest {
  readonly rkey: string
  readonly record: {
    readonly $type: typeof postCollection
    readonly text: string
    readonly createdAt: string
    readonly langs?: readonly [string]
    readonly reply?: { readonly root: StrongRef; readonly parent: StrongRef }
  }
  readonly spans: readonly Span[]
}

export type PreparedPost = Prepared & { readonly request: BlueskyRequest }

/** Pure. Throws a SocialFailure for what Bluesky can not take. */
export function preparePost(part: Part, key: PublishKey, lengthRule: LengthRule): PreparedPost {
  checkLength('bluesky', part, lengthRule)
  requireImages(part)
  requirePublic(part)
  if (!isTid(key.key)) throw failure('internal_error', 'A publish key of Bluesky has 13 characters of base32.')
  const { text, language } = part
  const reply = replyOf(part)
  const record = {
    $type: postCollection,
    text,
    createdAt: utcText(key.createdAt),
    ...(language !== undefined && { langs: [language] as const }),
    ...(reply !== undefined && { reply }),
  } as const
  return { part, key, request: { rkey: key.key, record, spans: spansOf(text) } }
}

function requireImages({ media }: Part): void {
  const details = { network: 'bluesky' }
  if (media.length > blueskyImagesMax) {
    const message = `Bluesky takes ${blueskyImagesMax} images in a post; there are ${media.length}.`
    throw failure('unsupported_media_type', message, { details })
  }
  for (const { mime, bytes, alt } of media) {
    if (!/^image\/[a-z0-9.+-]+$/.test(mime))
      throw failure('unsupported_media_type', `Bluesky takes images here; ${mime} is none.`, { details })
    if (bytes.byteLength > blueskyImageBytesMax) {
      const message = `An image has ${bytes.byteLength} bytes; Bluesky takes ${blueskyImageBytesMax}. Make it smaller.`
      throw failure('media_upload_error', message, { details })
    }
    if (alt.length > blueskyAltTextMax) {
      const message = `An alt text has ${alt.length} characters; at most ${blueskyAltTextMax} are shown on Bluesky.`
      throw failure('validation_error', message, { details })
    }
  }
}

/** What would be left out in silence is refused. */
function requirePublic({ visibility, contentWarning }: Part): void {
  const details = { network: 'bluesky' }
  if (visibility !== undefined && visibility !== 'public')
    throw failure('capability_missing', 'Every post on Bluesky is public; leave visibility out.', { details })
  if (contentWarning !== undefined && contentWarning !== '')
    throw failure('capability_missing', 'Bluesky has no content warnings; say it in the text.', { details })
}

function replyOf({ parent, root }: Part): BlueskyRequest['record']['reply'] {
  if (parent === undefined) return undefined
  return { root: strongRef(root ?? parent), parent: strongRef(parent) }
}

function strongRef({ id, cid }: PostRef): StrongRef {
  if (cid !== undefined) return { uri: id, cid }
  throw failure('validation_error', `Read ${id} first: a reply on Bluesky names the very version it answers.`, {
    details: { network: 'bluesky' },
  })
}
