import type { BrokerEffect } from '@callboard/hub'
import type { Request } from '@callboard/protocol'
import { Violation } from '../history.js'
import { ownToolName } from '../services.js'
import type { Peer, PeerBooks } from './peer-books.js'
import type { Watch } from './watch.js'

/** What the broker says of it. */
interface EjectionNotice {
  readonly kind: string
  readonly instance?: string
  readonly forMs?: number
}

const firstMs = 10_000
const longestMs = 5 * 60_000

/** Workers that are left out because they mostly fail: how many, for how long, and that nobody misses them for it. */
export class EjectionWatch implements Watch {
  readonly #books: PeerBooks
  readonly #affinityOf: (service: string) => 'none' | 'session' | 'principal'
  /** Hand-overs to ejected workers, to be judged when the step is over: a definition may have changed in it. */
  #suspicions: { readonly text: string; readonly name: string; readonly well: Peer }[] = []
  /** How often each sign-in was ejected. */
  readonly #counts = new WeakMap<Peer, number>()

  constructor(books: PeerBooks, affinityOf: (service: string) => 'none' | 'session' | 'principal') {
    this.#books = books
    this.#affinityOf = affinityOf
  }

  effect(effect: BrokerEffect, now: number): void {
    if (effect.type === 'notice') {
      const { kind, instance = '', forMs = 0 } = effect.notice as EjectionNotice
      if (kind === 'worker_ejected') this.#ejected(instance, forMs)
    }
    if (effect.type !== 'send' || effect.message.type !== 'request') return
    const peer = this.#books.get(effect.peer)
    if (peer?.isEjected) this.#handedOver(peer, effect.message, now)
  }

  stepped(now: number): void {
    const suspicion = this.#suspicions.find(({ name, well }) => this.#books.serves(well, name, now))
    if (suspicion !== undefined) throw new Violation(suspicion.text)
    this.#suspicions = []
    for (const service of new Set(this.#books.all.map(({ ready }) => ready.service))) {
      const ready = this.#books.of(service).filter(({ isDraining }) => !isDraining)
      const ejected = ready.filter(({ isEjected }) => isEjected)
      if (ejected.length > Math.floor(ready.length / 2)) {
        throw new Violation(`${ejected.length} of ${ready.length} workers of ${service} are ejected`)
      }
    }
  }

  #ejected(instance: string, forMs: number): void {
    const peer = this.#books.all.find(({ ready }) => ready.instance === instance)
    if (peer === undefined) throw new Violation(`${instance} is ejected, and not signed in`)
    const count = this.#counts.get(peer) ?? 0
    this.#counts.set(peer, count + 1)
    const expected = Math.min(firstMs * 2 ** count, longestMs)
    if (forMs !== expected) throw new Violation(`ejection ${count + 1} of ${instance} is for ${forMs} ms`)
  }

  /** Only what is bound to it, or what nobody else that is well could take, now or later. */
  #handedOver(peer: Peer, { id, name }: Request, now: number): void {
    const { service } = peer.ready
    if (this.#affinityOf(service) !== 'none' || name === ownToolName(service)) return
    const well = this.#books
      .of(service)
      .find((other) => !other.isEjected && this.#books.isUp(other, now) && this.#books.serves(other, name, now))
    if (well === undefined) return
    const text = `${peer.name} gets call ${id} while ejected, though ${well.name} is well`
    this.#suspicions.push({ text, name, well })
  }
}
