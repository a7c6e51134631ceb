import { failure } from '../../envelope/failure.js'
import { checkLength } from '../check-length.js'
import type { Medium, Part, Prepared, PublishKey } from '../network-adapter.js'
import type { ServerLimits } from './server-limits.js'

/** All of a POST but what the server says on the way: ids of files, and of a parent that is known by its URL. */
export interface StatusRequest {
  readonly status: string
  readonly visibility: string
  readonly spoiler_text?: string
  readonly language?: string
}

const visibilities: readonly string[] = ['public', 'unlisted', 'private', 'direct']

export function prepareStatus(part: Part, key: PublishKey, usualVisibility: string, limits: ServerLimits): Prepared {
  const { text, contentWarning, language, visibility = usualVisibility } = part
  if (!visibilities.includes(visibility))
    throw refused(`visibility must be one of ${visibilities.join(', ')} on Mastodon`)
  checkLength('mastodon', part, limits.length)
  checkMedia(part.media, limits)
  const request: StatusRequest = {
    status: text,
    visibility,
    ...(contentWarning !== undefined && contentWarning !== '' && { spoiler_text: contentWarning }),
    ...(language !== undefined && { language }),
  }
  return { part, key, request }
}

function checkMedia(media: readonly Medium[], limits: ServerLimits): void {
  if (media.length > limits.mediaMax)
    throw refused(`a post there takes at most ${limits.mediaMax} files, not ${media.length}`)
  for (const { mime, bytes, alt } of media) {
    const isImage = mime.startsWith('image/')
    if (limits.mimeTypes?.includes(mime) === false || !/^(image|video|audio)\//.test(mime))
      throw failure('unsupported_media_type', `the server does not take files of type ${mime}`, inMastodon)
    const bytesMax = isImage ? limits.imageBytesMax : limits.videoBytesMax
    if (bytes.byteLength > bytesMax)
      throw refused(`a file of type ${mime} may have ${bytesMax} bytes there, not ${bytes.byteLength}`)
    if (alt.length > limits.altTextMax)
      throw refused(`a description may have ${limits.altTextMax} characters there, not ${alt.length}`)
    if (!isImage && media.length > 1) throw refused('a post there takes several images, or one video or sound')
  }
}

const inMastodon = { details: { network: 'mastodon' } }

function refused(message: string) {
  return failure('validation_error', message, inMastodon)
}
