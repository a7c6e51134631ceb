import type { Clock } from '@callboard/worker/clock'
import { SocialFailure } from '../../envelope/failure.js'
import { mediaPollMs, mediaReadyMs, mediaUploadMs, uploadsKeptMax } from '../../limits.js'
import { BoundedMemory } from '../bounded-memory.js'
import type { Medium, Prepared, PublishOutcome } from '../network-adapter.js'
import { idShape } from './answer-shapes.js'
import type { MastodonApi } from './mastodon-api.js'
import type { Refusal } from './refusal.js'

/** Why a file is not up. */
export type NotUploaded = Exclude<PublishOutcome, { kind: 'sent' | 'unknown' }>

/** Files of posts. What is up already is not uploaded again when the post is tried again: servers allow 30 in half an hour. */
export class MediaUploads {
  readonly #api: MastodonApi
  readonly #clock: Clock
  readonly #ids = new BoundedMemory<string>(uploadsKeptMax)

  constructor(api: MastodonApi, clock: Clock) {
    this.#api = api
    this.#clock = clock
  }

  /** Ids of all files, in order, or why the first of them that failed did. Rejects with `signal.reason` alone. */
  async upload({ part, key }: Prepared, signal?: AbortSignal): Promise<readonly string[] | NotUploaded> {
    const ids: string[] = []
    for (const [position, medium] of part.media.entries()) {
      const place = placeOf(key.key, position, medium)
      const id = await this.#uploadOne(place, medium, signal)
      if (typeof id !== 'string') return id
      ids.push(id)
    }
    return ids
  }

  /** The post is out, or the server does not want it: its files are of no use any more. */
  forget({ part, key }: Prepared): void {
    for (const [position, medium] of part.media.entries()) this.#ids.delete(placeOf(key.key, position, medium))
  }

  async #uploadOne(place: string, medium: Medium, signal: AbortSignal | undefined): Promise<string | NotUploaded> {
    const known = this.#ids.get(place)
    if (known !== undefined) return await this.#whenReady(place, known, signal)
    const written = await this.#api.write(
      { method: 'POST', path: '/api/v2/media', endpoint: 'media', body: formOf(medium), timeoutMs: mediaUploadMs },
      idShape,
      signal,
    )
    if (written.kind !== 'done') return notUploaded(written.refusal, this.#clock.now())
    const { id } = written.value
    this.#ids.set(place, id)
    return written.status === 202 ? await this.#whenReady(place, id, signal) : id
  }

  /** 206 while the server still works on it. */
  async #whenReady(place: string, id: string, signal: AbortSignal | undefined): Promise<string | NotUploaded> {
    const deadline = this.#clock.now() + mediaReadyMs
    try {
      for (;;) {
        const path = `/api/v1/media/${encodeURIComponent(id)}`
        const { status } = await this.#api.read(path, {}, idShape, { signal, mayBeMissing: true })
        if (status !== 206 && status !== 202) return id
        if (this.#clock.now() >= deadline) return stillWorking
        await this.#clock.sleepUntil(this.#clock.now() + mediaPollMs, signal)
        signal?.throwIfAborted()
      }
    } catch (error) {
      if (!(error instanceof SocialFailure)) throw error
      const outcome = outcomeOfFailure(error)
      if (outcome.kind === 'rejected') this.#ids.delete(place)
      return outcome
    }
  }
}

const stillWorking: NotUploaded = {
  kind: 'delayed',
  code: 'network_unavailable',
  message: 'the server still works on a file of this post',
  retryAfterMs: mediaReadyMs,
}

function placeOf(key: string, position: number, { sha256, alt }: Medium): string {
  return JSON.stringify([key, position, sha256, alt])
}

function formOf({ bytes, mime, alt }: Medium): FormData {
  const form = new FormData()
  form.set('file', new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mime }), `file.${mime.split('/')[1] ?? 'bin'}`)
  if (alt !== '') form.set('description', alt)
  return form
}

function notUploaded({ code, message, status, comeBackAt }: Refusal, now: number): NotUploaded {
  return outcomeOf(code, message, status, comeBackAt === undefined ? undefined : comeBackAt - now)
}

function outcomeOfFailure({ code, message, options }: SocialFailure): NotUploaded {
  const status = options.details?.['status']
  return outcomeOf(code, message, typeof status === 'number' ? status : 0, options.retryAfterMs)
}

/** Nothing is published yet: whatever may pass is tried again. */
function outcomeOf(
  code: SocialFailure['code'],
  message: string,
  status: number,
  retryAfterMs: number | undefined,
): NotUploaded {
  const said = `a file was not taken: ${message}`
  const mayPass = status === 0 || status === 429 || status >= 500 || code === 'network_unavailable'
  if (mayPass)
    return {
      kind: 'delayed',
      code: code === 'network_rate_limited' ? code : 'network_unavailable',
      message: said,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
    }
  const isAboutUs = ['network_auth_expired', 'network_forbidden', 'network_account_restricted'].includes(code)
  return { kind: 'rejected', code: isAboutUs ? code : 'media_upload_error', message: said }
}
