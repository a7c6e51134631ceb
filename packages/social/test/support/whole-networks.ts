import type { VirtualClock } from '@callboard/worker/testing'
import { startBlueskyServer } from './bluesky-server.js'
import { startMastodonServer } from './mastodon-server.js'

/** A post of ours, as another reader of the network finds it. */
export interface StoredPost {
  readonly id: string
  readonly text: string
  readonly parent: string | undefined
  readonly alts: readonly string[]
}

/** How a request to publish goes wrong, once. */
export type PublishFault = 'too many' | 'unavailable' | 'cut before' | 'cut after' | 'refused' | 'held'

/** A fake service with its account, and what both services have in common. */
export interface ServedNetwork extends AsyncDisposable {
  readonly name: 'bluesky' | 'mastodon'
  /** Its part of section `social`. */
  readonly section: object
  readonly handle: string
  /** Oldest first. */
  posts(): readonly StoredPost[]
  /** A stranger's post that addresses us; its id or address. */
  mention(text: string): string
  fail(fault: PublishFault): void
  failUpload(): void
  /** Somebody likes the newest of our posts. */
  like(times: number): void
  /** From now on nothing that we show is let in. */
  lockOut(): void
  letIn(): void
  /** How often it was asked to publish. */
  publishRequests(): number
}

export const servedNetworks = [
  { name: 'mastodon', start: mastodon },
  { name: 'bluesky', start: bluesky },
] as const

export async function mastodon(clock: VirtualClock): Promise<ServedNetwork> {
  const server = await startMastodonServer({ clock, mediaPolls: 2 })
  const on = /^POST \/api\/v1\/statuses$/
  return {
    name: 'mastodon',
    section: { enabled: true, base_url: server.url, access_token: server.token },
    handle: 'callboard',
    posts: () =>
      server.own.map(({ id, text, inReplyTo, media }) => {
        return { id, text, parent: inReplyTo?.id, alts: media.map(({ description }) => description ?? '') }
      }),
    mention: (text) => server.addStatus({ text: `@callboard ${text}` }).url,
    fail(fault) {
      if (fault === 'too many') server.fault({ on, kind: 'too-many', resetInMs: 5 * 60_000 })
      else if (fault === 'unavailable') server.fault({ on, kind: 'status', status: 503 })
      else if (fault === 'refused') server.fault({ on, kind: 'status', status: 422 })
      else if (fault === 'held') server.fault({ on, kind: 'hold' })
      else server.fault({ on, kind: fault === 'cut before' ? 'drop' : 'cut' })
    },
    failUpload: () => server.fault({ on: /^POST \/api\/v2\/media$/, kind: 'status', status: 422 }),
    like(times) {
      server.own.at(-1)!.likes += times
    },
    lockOut: () => server.fault({ on: /^(?!GET \/api\/v2\/instance)/, kind: 'status', status: 401, times: 1_000_000 }),
    letIn: () => server.clearFaults(),
    publishRequests: () => server.calls(on).length,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

export async function bluesky(clock: VirtualClock): Promise<ServedNetwork> {
  const server = await startBlueskyServer({ now: clock.now })
  const on = 'putRecord'
  return {
    name: 'bluesky',
    section: { enabled: true, pds_url: server.url, handle: 'ada.test', app_password: 'abcd-efgh-ijkl-mnop' },
    handle: 'ada.test',
    posts: () =>
      server.posts.map(({ uri, record }) => ({
        id: uri,
        text: record.text,
        parent: record.reply?.parent.uri,
        alts: (record.embed?.images ?? []).map(({ alt }: { alt: string }) => alt),
      })),
    mention: (text) => server.addPost({ text: `@ada.test ${text}`, mention: ['ada.test'] }).uri,
    fail(fault) {
      if (fault === 'too many') {
        const headers = { 'ratelimit-reset': String(Math.floor(clock.now() / 1_000) + 300), 'ratelimit-remaining': '0' }
        server.fault({ on, does: { kind: 'status', status: 429, error: 'RateLimitExceeded', headers } })
      } else if (fault === 'unavailable') server.fault({ on, does: { kind: 'status', status: 503 } })
      else if (fault === 'refused') server.fault({ on, does: { kind: 'status', status: 400, error: 'InvalidRequest' } })
      else if (fault === 'held') server.fault({ on, does: { kind: 'hold', after: true } })
      else server.fault({ on, does: { kind: 'cut', after: fault === 'cut after' } })
    },
    failUpload: () =>
      server.fault({ on: 'uploadBlob', does: { kind: 'status', status: 400, error: 'InvalidMimeType' } }),
    like(times) {
      for (let time = 0; time < times; time += 1) server.addLike(`admirer${time}.test`, server.posts.at(-1)!)
    },
    lockOut() {
      server.expireAccess()
      server.expireRefresh()
      const does = { kind: 'status', status: 401, error: 'AuthenticationRequired' } as const
      server.fault({ on: 'Session', times: 1_000_000, does })
    },
    letIn: () => server.clearFaults(),
    publishRequests: () => server.count(on),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
