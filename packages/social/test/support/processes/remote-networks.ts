import { VirtualClock } from '@callboard/worker/testing'
import type { NetworkName } from '../../../src/config.js'
import { startBlueskyServer } from '../bluesky-server.js'
import { startMastodonServer } from '../mastodon-server.js'
import { XServer } from '../x-server.js'
import { Crossing } from './crossing.js'

export interface RemotePost {
  readonly id: string
  readonly text: string
  readonly replyTo: string | undefined
}

/** A network over real HTTP, and what is stored there of our account. */
export interface RemoteNetwork extends AsyncDisposable {
  readonly network: NetworkName
  /** Its part of the section `social`. */
  readonly config: object
  readonly crossing: Crossing
  /** The request that publishes. */
  readonly publishes: RegExp
  /** In the order in which they were stored. */
  posts(): readonly RemotePost[]
  /** Its clock goes with the worker's. */
  goAhead(ms: number): void
}

export interface RemoteKind {
  readonly name: string
  open(): Promise<RemoteNetwork>
}

export const bluesky: RemoteKind = {
  name: 'Bluesky',
  async open() {
    let ahead = 0
    const server = await startBlueskyServer({ now: () => Date.now() + ahead })
    const crossing = await Crossing.to(server.url)
    const { handle, appPassword } = server.us
    return {
      network: 'bluesky',
      config: { bluesky: { enabled: true, pds_url: crossing.url, handle, app_password: appPassword } },
      crossing,
      publishes: /putRecord/,
      posts: () =>
        server.posts.map(({ uri, record }) => ({ id: uri, text: record.text, replyTo: record.reply?.parent.uri })),
      goAhead: (ms) => {
        ahead += ms
      },
      [Symbol.asyncDispose]: () => closeAll(crossing, server),
    }
  },
}

const mastodonOf = (name: string, keepsKeys: boolean): RemoteKind => ({
  name,
  async open() {
    let ahead = 0
    const server = await startMastodonServer({ keepsKeys, clock: { now: () => Date.now() + ahead } })
    const crossing = await Crossing.to(server.url)
    return {
      network: 'mastodon',
      config: { mastodon: { enabled: true, base_url: crossing.url, access_token: server.token } },
      crossing,
      publishes: /^POST \/api\/v1\/statuses$/,
      posts: () => server.own.map(({ id, text, inReplyTo }) => ({ id, text, replyTo: inReplyTo?.id })),
      goAhead: (ms) => {
        ahead += ms
      },
      [Symbol.asyncDispose]: () => closeAll(crossing, server),
    }
  },
})

export const mastodon = mastodonOf('Mastodon', true)
export const mastodonWithoutKeys = mastodonOf('a server that knows no idempotency keys', false)

export const x: RemoteKind = {
  name: 'X',
  async open() {
    const clock = new VirtualClock(Date.now())
    const server = await XServer.start(clock)
    const crossing = await Crossing.to(server.baseUrl)
    const account = { client_id: 'client', access_token: 'access-0', refresh_token: 'refresh-0' }
    return {
      network: 'x',
      config: {
        x: { enabled: true, base_url: `${crossing.url}/2`, tier: 'PayPerUse', daily_budget_usd: 10, ...account },
      },
      crossing,
      publishes: /^POST \/2\/tweets$/,
      posts: () => server.by(server.me).map(({ id, text, replyTo }) => ({ id, text, replyTo })),
      goAhead: (ms) => clock.advance(ms),
      [Symbol.asyncDispose]: () => closeAll(crossing, server),
    }
  },
}

async function closeAll(...resources: readonly AsyncDisposable[]): Promise<void> {
  for (const resource of resources) await resource[Symbol.asyncDispose]()
}
