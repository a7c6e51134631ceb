import {
  imageBytesMax,
  mediaDescriptionMax,
  mediaPerPartMax,
  statusLengthMax,
  statusUrlLength,
  videoBytesMax,
} from '../../limits.js'
import type { LengthRule } from '../../text/length-rule.js'
import type { RemoteInstance } from './answer-shapes.js'

/** What a server takes. */
export interface ServerLimits {
  readonly length: LengthRule
  readonly mediaMax: number
  readonly imageBytesMax: number
  /** Of sound, too. */
  readonly videoBytesMax: number
  readonly altTextMax: number
  /** Absent where it does not say. */
  readonly mimeTypes?: readonly string[]
}

/** Of a server that says nothing. */
export const usualLimits: ServerLimits = limitsOf({ configuration: { statuses: {}, media_attachments: {} } })

export function limitsOf({ configuration, max_toot_chars }: RemoteInstance): ServerLimits {
  const { statuses, media_attachments: media } = configuration
  return {
    length: {
      kind: 'short-urls',
      max: statuses.max_characters ?? max_toot_chars ?? statusLengthMax,
      urlLength: statuses.characters_reserved_per_url ?? statusUrlLength,
    },
    mediaMax: Math.min(mediaPerPartMax, statuses.max_media_attachments ?? mediaPerPartMax),
    imageBytesMax: media.image_size_limit ?? imageBytesMax,
    videoBytesMax: media.video_size_limit ?? videoBytesMax,
    altTextMax: Math.min(mediaDescriptionMax, media.description_limit ?? mediaDescriptionMax),
    ...(media.supported_mime_types !== undefined && { mimeTypes: media.supported_mime_types }),
  }
}
