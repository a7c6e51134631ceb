import { SocialFailure } from '../../envelope/failure.js'
import type { Prepared, PublishOutcome } from '../network-adapter.js'
import { type RemoteStatus, statusShape } from './answer-shapes.js'
import type { MastodonApi, Written } from './mastodon-api.js'
import type { MediaUploads } from './media-uploads.js'
import type { StatusRequest } from './prepare-status.js'
import type { StatusReader } from './status-reader.js'

export interface PublishParts {
  readonly api: MastodonApi
  readonly uploads: MediaUploads
  readonly reader: StatusReader
  /** UTC ms. */
  readonly now: () => number
}

type Outcome = Exclude<PublishOutcome, { kind: 'sent' }>

/** Never rejects. */
export async function publishStatus(
  prepared: Prepared,
  parts: PublishParts,
  signal?: AbortSignal,
): Promise<PublishOutcome> {
  try {
    const parent = await parentOf(prepared, parts, signal)
    if (typeof parent === 'object') return parent
    const media = await parts.uploads.upload(prepared, signal)
    if ('kind' in media) return media
    signal?.throwIfAborted()
    const outcome = await post(prepared, parent, media, parts, signal)
    if (outcome.kind === 'sent' || outcome.kind === 'rejected') parts.uploads.forget(prepared)
    return outcome
  } catch (error) {
    if (error instanceof SocialFailure || signal?.aborted) return notSent(error)
    throw error
  }
}

/** Nothing has left yet. */
function notSent(error: unknown): Outcome {
  if (!(error instanceof SocialFailure))
    return { kind: 'delayed', code: 'network_unavailable', message: 'this worker was stopping: nothing was sent' }
  const { code, message, retryable, options } = error
  if (!retryable) return { kind: 'rejected', code, message }
  const { retryAfterMs } = options
  return { kind: 'delayed', code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** The local id of the post that is answered; undefined where none is. */
async function parentOf(
  { part }: Prepared,
  { reader }: PublishParts,
  signal: AbortSignal | undefined,
): Promise<string | Outcome | undefined> {
  if (part.parent === undefined) return undefined
  const id = await reader.localId(part.parent, signal)
  return (
    id ?? { kind: 'rejected', code: 'not_found', message: 'the server does not find the post that this replies to' }
  )
}

async function post(
  { request, key }: Prepared,
  parent: string | undefined,
  media: readonly string[],
  { api, now }: PublishParts,
  signal: AbortSignal | undefined,
): Promise<PublishOutcome> {
  const body = {
    ...(request as StatusRequest),
    ...(parent !== undefined && { in_reply_to_id: parent }),
    ...(media.length > 0 && { media_ids: media }),
  }
  const headers = { 'content-type': 'application/json', 'idempotency-key': key.key }
  try {
    const written = await api.write(
      { method: 'POST', path: '/api/v1/statuses', endpoint: 'write', headers, body: JSON.stringify(body) },
      statusShape,
      signal,
    )
    return outcomeOf(written, api.baseUrl, now())
  } catch (error) {
    if (signal?.aborted) return { kind: 'unknown', message: 'this worker was stopping while the post was on its way' }
    throw error
  }
}

function outcomeOf(written: Written<RemoteStatus>, baseUrl: string, now: number): PublishOutcome {
  if (written.kind === 'done') {
    const { id, url, uri, account } = written.value
    return { kind: 'sent', ref: { id }, url: url ?? uri ?? `${baseUrl}/@${account.acct}/${id}` }
  }
  const { code, message, status, comeBackAt } = written.refusal
  if (written.kind === 'odd') return { kind: 'unknown', message }
  if (written.kind === 'trouble')
    return written.arrived === 'no' ? { kind: 'delayed', code, message } : { kind: 'unknown', message }
  if (status === 429 || status === 503)
    return { kind: 'delayed', code, message, ...(comeBackAt !== undefined && { retryAfterMs: comeBackAt - now }) }
  // 408: whether all of it arrived is the server's secret. 5xx: it may have failed after it stored the post.
  if (status >= 500 || status === 408) return { kind: 'unknown', message }
  return { kind: 'rejected', code, message }
}
