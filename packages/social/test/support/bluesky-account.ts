import { VirtualClock } from '@callboard/worker/testing'
import { HttpClient } from '../../src/http/http-client.js'
import { openBluesky } from '../../src/networks/bluesky/open-bluesky.js'
import type { NetworkAdapter, Part, Prepared } from '../../src/networks/network-adapter.js'
import { type BlueskyServer, startBlueskyServer } from './bluesky-server.js'
import { seeded } from './test-foundation.js'

export interface BlueskyAccount extends AsyncDisposable {
  readonly server: BlueskyServer
  readonly clock: VirtualClock
  readonly adapter: NetworkAdapter
  /** Another one of the same account: another process. */
  another(options?: { readonly appPassword?: string; readonly appviewUrl?: string }): NetworkAdapter
  /** With a key of its own. */
  prepare(text: string, more?: Partial<Part>): Prepared
  /** Lets pauses between tries pass, and nothing longer. */
  settled<Value>(promise: Promise<Value>): Promise<Value>
}

/** The adapter, logged in nowhere yet, and a server with its account. Both live by one virtual clock. */
export async function openBlueskyAccount(): Promise<BlueskyAccount> {
  const clock = new VirtualClock()
  const random = seeded(1)
  const server = await startBlueskyServer({ now: clock.now })
  const { handle, appPassword } = server.us
  const another: BlueskyAccount['another'] = (options = {}) =>
    openBluesky({ pdsUrl: server.url, handle, appPassword, clock, http: new HttpClient(clock), ...options })
  const adapter = another()
  return {
    server,
    clock,
    adapter,
    another,
    prepare: (text, more = {}) =>
      adapter.prepare({ text, media: [], ...more }, adapter.newPublishKey(clock.now(), random)),
    settled: (promise) => throughPauses(clock, promise),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** A time limit is longer than any pause, and stays for the test to bring about. */
export async function throughPauses<Value>(clock: VirtualClock, promise: Promise<Value>): Promise<Value> {
  let isOver = false
  const over = promise.finally(() => {
    isOver = true
  })
  over.catch(() => {})
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve))
    const pause = (clock.nextWake ?? Number.POSITIVE_INFINITY) - clock.now()
    if (pause <= 5_000) clock.advance(pause)
  }
  return over
}
