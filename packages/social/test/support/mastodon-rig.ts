import type { Clock } from '@callboard/worker/clock'
import { VirtualClock } from '@callboard/worker/testing'
import { HttpClient } from '../../src/http/http-client.js'
import { type MastodonOptions, openMastodon } from '../../src/networks/mastodon/mastodon-adapter.js'
import type { NetworkAdapter, Part, Prepared } from '../../src/networks/network-adapter.js'
import { type MastodonServer, type MastodonServerOptions, startMastodonServer } from './mastodon-server.js'
import { seeded } from './test-foundation.js'

export interface MastodonRig extends AsyncDisposable {
  readonly clock: VirtualClock
  readonly server: MastodonServer
  readonly network: NetworkAdapter
  /** Ready to publish, with a new key. */
  prepared(part: Partial<Part>): Prepared
}

/** Shorter pauses, between two tries, are over at once; longer ones are time limits, which a test lets pass itself. */
const pauseMsMax = 5_000

/** An adapter and a server of its own, in one virtual time. */
export async function openMastodonRig(
  options: MastodonServerOptions = {},
  adapterOptions: Partial<MastodonOptions> = {},
): Promise<MastodonRig> {
  const clock = new VirtualClock()
  const hasty = hastyClock(clock)
  const random = seeded(7)
  const server = await startMastodonServer({ clock, ...options })
  const network = openMastodon({
    baseUrl: server.url,
    accessToken: server.token,
    visibility: 'public',
    clock: hasty,
    http: new HttpClient(hasty),
    ...adapterOptions,
  })
  return {
    clock,
    server,
    network,
    prepared: (part) => network.prepare({ text: '', media: [], ...part }, network.newPublishKey(clock.now(), random)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function hastyClock(clock: VirtualClock): Clock {
  return {
    now: clock.now,
    monotonic: clock.monotonic,
    sleepUntil(time, signal) {
      const left = time - clock.now()
      if (left > 0 && left <= pauseMsMax && !signal?.aborted) clock.advance(left)
      return clock.sleepUntil(time, signal)
    },
  }
}

/** A file as posts carry it. */
export function picture(alt = 'A picture', mime = 'image/png') {
  return { sha256: 'a'.repeat(64), mime, bytes: new Uint8Array([137, 80, 78, 71]), alt }
}
