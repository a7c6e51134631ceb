import { publishLeaseMs, publishPollMs } from '../limits.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { Networks } from '../networks/networks.js'
import { claimNext, LeaseLost, nextWork, renewLease } from './outbox-claims.js'
import { never, type OutboxEntry } from './outbox-row.js'
import { type PublishingParts, publishEntry } from './publish-entry.js'
import { readBackNext } from './read-back.js'

export interface PublisherParts extends PublishingParts {
  readonly networks: Networks
  /** Names this process in leases. */
  readonly owner: string
}

/** Publishes what is due, one item after the other on each network, and looks for what is in doubt. Calls wake it; they never wait for it. */
export class Publisher {
  readonly #parts: PublisherParts
  readonly #closing = new AbortController()
  #waiting = new AbortController()
  #loop: Promise<void> | undefined
  #nextWork: number | undefined

  constructor(parts: PublisherParts) {
    this.#parts = parts
  }

  start(): void {
    this.#loop ??= this.#repeat()
  }

  /** There may be something to do now. */
  wake(): void {
    this.#waiting.abort()
  }

  /** UTC ms until which there is something to do or to wait for. */
  get holdUntil(): number | undefined {
    return this.#nextWork
  }

  /** A request that is under way is given up, and looked for at the next start. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#waiting.abort()
    await this.#loop
  }

  /** All that is due now. */
  async round(): Promise<void> {
    const { networks } = this.#parts
    await Promise.all(networks.all.map((network) => this.#serve(network)))
    await this.#learnNextWork()
  }

  async #repeat(): Promise<void> {
    const { clock, log } = this.#parts
    while (!this.#closing.signal.aborted) {
      this.#waiting = new AbortController()
      const woken = this.#waiting.signal
      try {
        await this.round()
      } catch (err) {
        log.error({ err }, 'the publisher failed')
      }
      if (this.#closing.signal.aborted) return
      const now = clock.now()
      const until = Math.max(Math.min(this.#nextWork ?? never, now + publishPollMs), now + 1)
      await clock.sleepUntil(until, woken)
    }
  }

  /** One network that fails leaves the others alone. */
  async #serve(network: NetworkAdapter): Promise<void> {
    const { owner, log } = this.#parts
    const { signal } = this.#closing
    try {
      while (!signal.aborted) {
        const entry = await claimNext(this.#parts, network.name, owner)
        if (entry === undefined) break
        await this.#publish(entry, network)
      }
      while (!signal.aborted && (await readBackNext(this.#parts, network, signal))) {}
    } catch (err) {
      if (err instanceof LeaseLost) log.warn({ network: network.name }, err.message)
      else log.error({ err, network: network.name }, 'publishing failed')
    }
  }

  async #publish(entry: OutboxEntry, network: NetworkAdapter): Promise<void> {
    const ended = new AbortController()
    const lost = new AbortController()
    const renewing = this.#renew(entry, ended.signal, lost)
    try {
      await publishEntry(entry, network, this.#parts, AbortSignal.any([this.#closing.signal, lost.signal]))
    } finally {
      ended.abort()
      await renewing
    }
  }

  /** Uploads may take longer than a lease. Once it is lost nothing more is sent: another process sends by now. */
  async #renew({ row }: OutboxEntry, ended: AbortSignal, lost: AbortController): Promise<void> {
    const { store, clock, log } = this.#parts
    for (;;) {
      await clock.sleepUntil(clock.now() + publishLeaseMs / 3, ended)
      if (ended.aborted) return
      try {
        await store.transaction((db) => renewLease(db, row, clock.now()))
      } catch (err) {
        log.warn({ err, outbox: row.id }, 'a lease could not be renewed')
        if (err instanceof LeaseLost && !ended.aborted) return lost.abort(err)
      }
    }
  }

  async #learnNextWork(): Promise<void> {
    const { store, networks, clock } = this.#parts
    const times = await Promise.all(networks.all.map(({ name }) => nextWork(store.db, name, clock.now())))
    const known = times.filter((time) => time !== undefined && time < never) as number[]
    this.#nextWork = known.length === 0 ? undefined : Math.min(...known)
  }
}
