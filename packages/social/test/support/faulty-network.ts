import type { NetworkName } from '../../src/config.js'
import type { FindOutcome, NetworkAdapter, Prepared, PublishOutcome } from '../../src/networks/network-adapter.js'

/** What becomes of one request to publish. */
export type Fault =
  /** It is stored, and the answer is lost. */
  | 'cut'
  /** It is not stored, and no answer comes. */
  | 'lost'
  | Extract<PublishOutcome, { kind: 'rejected' | 'delayed' }>
  /** Whatever the test does meanwhile, before it is stored. */
  | (() => Promise<void>)

/** A real adapter behind a line on which things go wrong, one after the other, as a test says. */
export class FaultyNetwork {
  /** Taken from the front, one for each request. */
  readonly faults: Fault[] = []
  /** Requests to publish that were made. */
  readonly requests: Prepared[] = []
  /** What `find` says, in place of the truth. */
  found: FindOutcome | Error | undefined
  /** What `posts` rejects with. */
  unreadable: Error | undefined
  readonly adapter: NetworkAdapter

  constructor(real: NetworkAdapter, name: NetworkName = real.name) {
    const faulty = {
      name,
      publish: (prepared: Prepared, signal?: AbortSignal) => this.#publish(real, prepared, signal),
      find: async (prepared: Prepared) => {
        if (this.found instanceof Error) throw this.found
        return this.found ?? real.find(prepared)
      },
      posts: async (...args: Parameters<NetworkAdapter['posts']>) => {
        if (this.unreadable !== undefined) throw this.unreadable
        return real.posts(...args)
      },
    }
    this.adapter = new Proxy(real, {
      get: (target, key) => {
        if (key in faulty) return faulty[key as keyof typeof faulty]
        const value: unknown = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  async #publish(real: NetworkAdapter, prepared: Prepared, signal?: AbortSignal): Promise<PublishOutcome> {
    this.requests.push(prepared)
    const fault = this.faults.shift()
    if (fault === 'lost') return { kind: 'unknown', message: 'the connection ended' }
    if (typeof fault === 'object') return fault
    if (typeof fault === 'function') await fault()
    const outcome = await real.publish(prepared, signal)
    return fault === 'cut' ? { kind: 'unknown', message: 'the connection ended' } : outcome
  }
}
