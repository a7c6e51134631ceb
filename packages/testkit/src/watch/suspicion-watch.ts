import type { BrokerEffect } from '@callboard/hub'
import { Violation } from '../history.js'
import type { Peer, PeerBooks } from './peer-books.js'
import type { Watch } from './watch.js'

/** Operators hear of each worker that falls silent, once, and of its return. */
export class SuspicionWatch implements Watch {
  readonly #books: PeerBooks
  readonly #suspects = new Set<Peer>()

  constructor(books: PeerBooks) {
    this.#books = books
  }

  effect(effect: BrokerEffect): void {
    if (effect.type !== 'notice') return
    const { notice } = effect
    if (notice.kind !== 'worker_suspect' && notice.kind !== 'worker_back') return
    const peer = this.#books.all.find(({ ready }) => ready.instance === notice.instance)
    // What it was heard with may have been its goodbye.
    if (peer === undefined) return
    const isNews = notice.kind === 'worker_suspect' ? !this.#suspects.has(peer) : this.#suspects.has(peer)
    if (!isNews) throw new Violation(`${peer.name} is said to be ${notice.kind}, and was before`)
    if (notice.kind === 'worker_back') this.#suspects.delete(peer)
    else this.#suspects.add(peer)
  }

  stepped(now: number): void {
    for (const peer of this.#suspects) {
      if (this.#books.get(peer.name) !== peer) this.#suspects.delete(peer)
      else if (this.#books.silentMs(peer, now) < this.#books.suspectAfterMs(peer)) {
        throw new Violation(`${peer.name} was suspect and is heard, and nobody says that it is back`)
      }
    }
  }
}
