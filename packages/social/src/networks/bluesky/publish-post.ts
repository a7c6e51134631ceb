import type { Clock } from '@callboard/worker/clock'
import { z } from 'zod'
import type { ErrorCode } from '../../envelope/error-codes.js'
import { SocialFailure } from '../../envelope/failure.js'
import { HttpTrouble } from '../../http/http-client.js'
import type { FindOutcome, Medium, PublishOutcome, Sent } from '../network-adapter.js'
import { codeOf, wordsOf } from './bluesky-failure.js'
import type { Identity } from './bluesky-session.js'
import { facetsOf, handlesIn } from './facets.js'
import { pageOf, postCollection, postUri } from './identifiers.js'
import { recordAt } from './own-records.js'
import type { Pds } from './pds.js'
import { contentId } from './post-view.js'
import type { PreparedPost } from './prepare-post.js'
import { retryAfterMs } from './rate-headers.js'
import { didsOf } from './resolve-handle.js'
import { isSamePost } from './same-post.js'
import type { XrpcAnswer } from './xrpc.js'

const uploaded = z.object({
  blob: z.object({
    $type: z.literal('blob'),
    ref: z.object({ $link: contentId }),
    mimeType: z.string().max(200),
    size: z.int().positive(),
  }),
})
const stored = z.object({ uri: z.string(), cid: contentId })

type Blob = z.output<typeof uploaded>['blob']
type NotSent = Exclude<PublishOutcome, Sent>
interface Work {
  readonly pds: Pds
  readonly clock: Clock
  readonly signal: AbortSignal | undefined
}

/**
 * Looks up who is mentioned, uploads, and puts the record, which is the one step that publishes. All before it can be done
 * again: images are known by their content. Should a lookup turn out differently next time, the server refuses the second
 * record under the same key, and what is stored is read instead.
 */
export async function publishPost(
  pds: Pds,
  clock: Clock,
  prepared: PreparedPost,
  signal: AbortSignal | undefined,
): Promise<PublishOutcome> {
  const work = { pds, clock, signal }
  let ready: { readonly us: Identity; readonly record: object }
  try {
    const us = await pds.identity(signal)
    const dids = await didsOf(pds, handlesIn(prepared.request.spans), clock.now(), signal)
    const images = await upload(prepared.part.media, work)
    if ('kind' in images) return images
    ready = { us, record: recordOf(prepared, dids, images.blobs) }
  } catch (error) {
    return beforeSending(error, signal)
  }
  return put(ready.us, ready.record, prepared, work)
}

/** Whether the record is there. Rejects with a SocialFailure. */
export async function findPost(
  pds: Pds,
  clock: Clock,
  prepared: PreparedPost,
  signal: AbortSignal | undefined,
): Promise<FindOutcome> {
  const { rkey } = prepared.request
  const us = await pds.identity(signal)
  const found = await recordAt(pds, { repo: us.did, rkey }, clock.now(), signal)
  if (found === undefined) return { kind: 'absent' }
  if (isSamePost(found.value, prepared)) return sentAs(us, rkey, found.cid)
  return { kind: 'undecidable', message: `Another post is stored at ${postUri(us.did, rkey)}; a person has to look.` }
}

async function upload(media: readonly Medium[], work: Work): Promise<{ readonly blobs: readonly Blob[] } | NotSent> {
  const blobs: Blob[] = []
  for (const medium of media) {
    const blob = await uploadOne(medium, work)
    if ('kind' in blob) return blob
    blobs.push(blob)
  }
  return { blobs }
}

async function uploadOne({ mime, bytes }: Medium, { pds, clock, signal }: Work): Promise<Blob | NotSent> {
  const answer = await pds.send({ method: 'com.atproto.repo.uploadBlob', file: { mime, bytes } }, signal)
  if (answer.status === 200) {
    const parsed = uploaded.safeParse(answer.body)
    if (parsed.success) return parsed.data.blob
  }
  if (answer.status === 429 || answer.status >= 500) return delayed(answer, pds.host, clock.now())
  const code = codeOf(answer)
  const message = `${pds.host} did not take an image (${wordsOf(answer)}); nothing was published.`
  return { kind: 'rejected', code: code === 'network_api_error' ? 'media_upload_error' : code, message }
}

function recordOf({ part, request }: PreparedPost, dids: ReadonlyMap<string, string>, blobs: readonly Blob[]): object {
  const facets = facetsOf(request.spans, dids)
  const images = blobs.map((image, index) => ({ image, alt: part.media[index]!.alt }))
  return {
    ...request.record,
    ...(facets.length > 0 && { facets }),
    ...(images.length > 0 && { embed: { $type: 'app.bsky.embed.images', images } }),
  }
}

async function put(us: Identity, record: object, prepared: PreparedPost, work: Work): Promise<PublishOutcome> {
  const { pds, signal } = work
  const { rkey } = prepared.request
  const input = { repo: us.did, collection: postCollection, rkey, swapRecord: null, record }
  let answer: XrpcAnswer
  try {
    answer = await pds.send({ method: 'com.atproto.repo.putRecord', input }, signal)
  } catch (error) {
    return whileSending(error, signal)
  }
  if (answer.status === 200) return storedAs(us, rkey, answer, pds.host)
  if (answer.error === 'InvalidSwap') return whatIsThere(prepared, work)
  return refused(answer, work)
}

function storedAs(us: Identity, rkey: string, { body }: XrpcAnswer, host: string): PublishOutcome {
  const { data } = stored.safeParse(body)
  if (data?.uri === postUri(us.did, rkey)) return sentAs(us, rkey, data.cid)
  return { kind: 'unknown', message: `${host} took the post and did not name it.` }
}

/** There is a record under the key: this post from an earlier try, or another one. */
async function whatIsThere(prepared: PreparedPost, { pds, clock, signal }: Work): Promise<PublishOutcome> {
  try {
    const found = await findPost(pds, clock, prepared, signal)
    if (found.kind === 'sent') return found
    if (found.kind === 'undecidable') return { kind: 'rejected', code: 'network_api_error', message: found.message }
    return { kind: 'delayed', code: 'network_api_error', message: 'What was stored under this key has just gone.' }
  } catch {
    return { kind: 'unknown', message: `${pds.host} has a post under this key and did not show it.` }
  }
}

function refused(answer: XrpcAnswer, { pds, clock }: Work): PublishOutcome {
  const { status, words } = answer
  if (status === 429 || status === 503 || status === 425) return delayed(answer, pds.host, clock.now())
  if (status >= 500 || status === 408)
    return { kind: 'unknown', message: `${pds.host} failed with ${wordsOf(answer)}; the post may be stored.` }
  const isTooLong = status === 400 && /grapheme too big|string too big|must not be longer/.test(words)
  const code: ErrorCode = isTooLong ? 'tweet_too_long' : codeOf(answer)
  return { kind: 'rejected', code, message: `${pds.host} did not take the post (${wordsOf(answer)}).` }
}

function delayed(answer: XrpcAnswer, host: string, now: number): NotSent {
  const wait = retryAfterMs(answer.headers, now)
  return {
    kind: 'delayed',
    code: answer.status === 429 ? 'network_rate_limited' : 'network_unavailable',
    message: `${host} asked to come back later (${wordsOf(answer)}).`,
    ...(wait !== undefined && { retryAfterMs: wait }),
  }
}

/** The login before it may have failed, or nobody was met: those alone say that nothing was stored. */
function whileSending(error: unknown, signal: AbortSignal | undefined): NotSent {
  const isCertain = error instanceof SocialFailure || (error instanceof HttpTrouble && error.kind === 'refused')
  if (isCertain) return beforeSending(error, signal)
  if (error instanceof HttpTrouble) return { kind: 'unknown', message: `${error.message}.` }
  return { kind: 'unknown', message: 'The worker stopped while the post was on its way.' }
}

/** Nothing was published: it may be tried again, unless that would be in vain. */
function beforeSending(error: unknown, signal: AbortSignal | undefined): NotSent {
  if (error instanceof HttpTrouble)
    return { kind: 'delayed', code: 'network_unavailable', message: `${error.message}.` }
  if (error instanceof SocialFailure) return failedBefore(error)
  if (signal?.aborted)
    return { kind: 'delayed', code: 'network_unavailable', message: 'The worker stopped before the post was sent.' }
  return { kind: 'rejected', code: 'internal_error', message: `The post could not be made: ${error}` }
}

function failedBefore({ code, message, retryable, options: { retryAfterMs: wait } }: SocialFailure): NotSent {
  if (!retryable) return { kind: 'rejected', code, message }
  return { kind: 'delayed', code, message, ...(wait !== undefined && { retryAfterMs: wait }) }
}

function sentAs({ did, handle }: Identity, rkey: string, cid: string): Sent {
  return { kind: 'sent', ref: { id: postUri(did, rkey), cid }, url: pageOf(did, handle, rkey) }
}
