import type { BrokerEffect, BrokerEvent, BrokerSnapshot } from '@callboard/hub'
import { Violation } from './history.js'
import { AttemptWatch } from './watch/attempt-watch.js'
import { AudienceWatch } from './watch/audience-watch.js'
import { EditionWatch } from './watch/edition-watch.js'
import { EjectionWatch } from './watch/ejection-watch.js'
import { HandOverWatch } from './watch/hand-over-watch.js'
import { HealthWatch } from './watch/health-watch.js'
import { NestingWatch } from './watch/nesting-watch.js'
import { type DefinitionsInForce, type Peer, PeerBooks } from './watch/peer-books.js'
import type { HubRules } from './watch/rules.js'
import { ShareWatch } from './watch/share-watch.js'
import { SuspicionWatch } from './watch/suspicion-watch.js'
import { TurnWatch } from './watch/turn-watch.js'
import type { Watch } from './watch/watch.js'

export interface HubWatchOptions {
  readonly rules: HubRules
  readonly affinityOf: (service: string) => 'none' | 'session' | 'principal'
  /** Asked of the broker itself, which agents ask the same. */
  readonly inForce: () => DefinitionsInForce
}

/**
 * Keeps books of its own about what goes into a broker and what comes out of it, and holds the one against the other:
 * credits, suspensions, affinity, silence, attempts, turns, editions, nested calls, who may hear what.
 */
export class HubWatch {
  readonly #books: PeerBooks
  readonly #watches: readonly Watch[]
  readonly #rules: HubRules
  readonly #inForce: () => DefinitionsInForce

  constructor(options: HubWatchOptions) {
    const { rules, affinityOf, inForce } = options
    const books = new PeerBooks(rules.suspectAfterBeats)
    const handOver = new HandOverWatch(books, affinityOf)
    const turns = new TurnWatch(books, affinityOf, rules.turnsOf)
    const editions = new EditionWatch(books, affinityOf)
    this.#books = books
    this.#rules = rules
    this.#inForce = inForce
    this.#watches = [
      new AudienceWatch(),
      new SuspicionWatch(books),
      handOver,
      new AttemptWatch(affinityOf),
      // It looks at the lanes as they were before an effect.
      new ShareWatch(turns),
      turns,
      new NestingWatch(books),
      ...(rules.editions ? [editions] : []),
      ...(rules.ejection ? [new EjectionWatch(books, affinityOf), new HealthWatch(books)] : []),
    ]
    books.onLeft = (peer, why) => {
      handOver.left(peer)
      turns.left(peer)
      editions.left(peer, why)
    }
  }

  /** One step of the broker, with all that came out of it. */
  see(event: BrokerEvent, effects: readonly BrokerEffect[], now: number): void {
    this.#books.event(event, effects, now)
    for (const watch of this.#watches) watch.event?.(event, now)
    for (const effect of effects) {
      for (const watch of this.#watches) watch.effect?.(effect, now)
      this.#books.effect(effect, now)
    }
    if (this.#rules.editions) this.#books.inForce = this.#inForce()
    for (const watch of this.#watches) watch.stepped?.(now)
  }

  /** The broker's own books must say the same. */
  compare({ workers }: BrokerSnapshot): void {
    const { all } = this.#books
    if (workers.length !== all.length) {
      throw new Violation(`the broker has ${workers.length} workers, by the frames there are ${all.length}`)
    }
    const byInstance = new Map(all.map((peer) => [peer.ready.instance, peer]))
    for (const worker of workers) compareOne(worker, byInstance.get(worker.instance))
  }
}

function compareOne(worker: BrokerSnapshot['workers'][number], peer: Peer | undefined): void {
  const { instance, inFlight, suspended } = worker
  if (peer === undefined) throw new Violation(`the broker has ${instance}, which is not signed in by the frames`)
  if (inFlight !== peer.credits.size) {
    throw new Violation(`${instance} uses ${inFlight} credits, by the frames ${peer.credits.size}`)
  }
  if (suspended !== peer.suspended.size) {
    throw new Violation(`${instance} has ${suspended} suspended calls, by the frames ${peer.suspended.size}`)
  }
}
