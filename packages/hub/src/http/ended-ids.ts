import { createHash } from 'node:crypto'
import { endedSessionsMax } from './limits.js'

/**
 * Session ids that must open nothing more in this life of the hub, the latest of them. The next life knows none of them, and this one
 * may have forgotten the oldest: then an id that has ended opens a session again, but only for its own holder, with what that holder may
 * do today, and empty. That is no more than `initialize` would give.
 */
export class EndedIds {
  /** Digests, so that each takes little whatever its id. */
  readonly #digests = new Set<string>()

  add(id: string): void {
    this.#digests.add(digestOf(id))
    const [oldest] = this.#digests
    if (oldest !== undefined && this.#digests.size > endedSessionsMax) this.#digests.delete(oldest)
  }

  has(id: string): boolean {
    return this.#digests.has(digestOf(id))
  }
}

function digestOf(id: string): string {
  return createHash('sha256').update(id).digest('base64url')
}
