import type { BrokerEffect } from '@callboard/hub'
import { Violation } from '../history.js'
import { ownToolName } from '../services.js'
import type { DefinitionsInForce, Leaving, Peer, PeerBooks } from './peer-books.js'
import type { Watch } from './watch.js'

interface HandedOver {
  readonly id: string
  readonly peer: Peer
  readonly name: string
  readonly texts: readonly string[]
}

/** How long a lost connection may take to come back before others take over. */
const graceMs = 5_000
/** How long a newer version must have been ready. */
const trialMs = 30_000

/** Which definitions a service has, and that a call goes only to a worker that means the same by them. */
export class EditionWatch implements Watch {
  readonly #books: PeerBooks
  readonly #affinityOf: (service: string) => 'none' | 'session' | 'principal'
  #before: DefinitionsInForce = new Map()
  #handedOver: HandedOver[] = []
  /** When the last worker of the edition in force was lost; absent: it left by its own will, or there was none. */
  readonly #orphanedAt = new Map<string, number>()
  /** Who offered them, perhaps, the last ones where nobody does now. */
  readonly #keepers = new Map<string, ReadonlySet<string>>()
  readonly #lostNow = new Set<string>()

  constructor(books: PeerBooks, affinityOf: (service: string) => 'none' | 'session' | 'principal') {
    this.#books = books
    this.#affinityOf = affinityOf
  }

  left({ ready: { service }, offered }: Peer, why: Leaving): void {
    const inForce = this.#before.get(service)
    // Its last UPDATE may not have been judged.
    const isOfIt = inForce !== undefined && offered.slice(-2).every(({ tools }) => isSame(tools, inForce))
    if (why === 'lost' && isOfIt) this.#lostNow.add(service)
  }

  effect(effect: BrokerEffect, now: number): void {
    if (effect.type !== 'send' || effect.message.type !== 'request') return
    const peer = this.#books.get(effect.peer)
    const { id, method, name } = effect.message
    if (peer === undefined || method !== 'tools/call' || name === ownToolName(peer.ready.service)) return
    // To whoever is bound to a worker its own edition will do: the state is there.
    if (this.#affinityOf(peer.ready.service) !== 'none') return
    this.#handedOver.push({ id, peer, name, texts: this.#books.textsOf(peer, name, now) })
  }

  stepped(now: number): void {
    const before = this.#before
    const after = this.#books.inForce ?? new Map<string, ReadonlyMap<string, string>>()
    this.#before = after
    for (const request of this.#handedOver) this.#checkOffer(request, before, after)
    this.#handedOver = []
    for (const [service, tools] of after) this.#checkChange(service, before.get(service), tools, now)
    this.#lostNow.clear()
  }

  #checkOffer({ id, peer, name, texts }: HandedOver, ...inForce: DefinitionsInForce[]): void {
    const { service } = peer.ready
    if (inForce.some((editions) => texts.includes(editions.get(service)?.get(name) ?? ''))) return
    throw new Violation(`${peer.name} gets call ${id} of ${name}, which it defines otherwise than ${service} has it`)
  }

  #checkChange(
    service: string,
    before: ReadonlyMap<string, string> | undefined,
    after: ReadonlyMap<string, string>,
    now: number,
  ): void {
    const isChanged = before !== undefined && before.size > 0 && !isSame(before, after)
    if (isChanged) this.#checkTakeover(service, before, after, now)
    const offerers = this.#offerers(service, after, now)
    const keepers = this.#offerers(service, after, now, 'perhaps')
    if (keepers.length > 0) this.#keepers.set(service, new Set(keepers.map(({ name }) => name)))
    const isOrphaned = offerers.length === 0
    // With nobody left to wait beside them, whoever comes first is as good as they were.
    const isEmpty = this.#books.of(service).length === 0
    if (!isOrphaned || isChanged || isEmpty) this.#orphanedAt.delete(service)
    else if (this.#lostNow.has(service) && !this.#orphanedAt.has(service)) this.#orphanedAt.set(service, now)
  }

  #checkTakeover(
    service: string,
    before: ReadonlyMap<string, string>,
    after: ReadonlyMap<string, string>,
    now: number,
  ): void {
    // Whoever leads the edition in force takes it along with an UPDATE, or with the next READY.
    const former = this.#keepers.get(service)
    const isOwn = ({ name, offered }: Peer) => former?.has(name) === true && isSame(offered.at(-1)!.tools, after)
    if (this.#books.of(service).some(isOwn)) return
    const keepers = this.#offerers(service, before, now)
    const orphanedAt = this.#orphanedAt.get(service) ?? (this.#lostNow.has(service) ? now : undefined)
    if (keepers.length === 0) {
      if (orphanedAt === undefined || now - orphanedAt >= graceMs) return
      throw new Violation(`${service} changes its definitions ${now - orphanedAt} ms after its last worker was lost`)
    }
    const isTried = this.#offerers(service, after, now).some(
      ({ joinedAt, ready }) =>
        now - joinedAt >= trialMs && keepers.some((keeper) => keeper.ready.version < ready.version),
    )
    if (!isTried)
      throw new Violation(`${service} changes its definitions, though ${keepers[0]?.name} still offers them`)
  }

  /** Who offers just these, by all or by some of what the hub may know of it now. */
  #offerers(
    service: string,
    tools: ReadonlyMap<string, string>,
    now: number,
    how: 'surely' | 'perhaps' = 'surely',
  ): Peer[] {
    const isIt = (offered: ReadonlyMap<string, string>) => isSame(offered, tools)
    return this.#books.of(service).filter((peer) => {
      const offered = this.#books.offeredAt(peer, now)
      return this.#books.isUp(peer, now) && (how === 'surely' ? offered.every(isIt) : offered.some(isIt))
    })
  }
}

function isSame(one: ReadonlyMap<string, string>, other: ReadonlyMap<string, string>): boolean {
  return one.size === other.size && [...one].every(([name, text]) => other.get(name) === text)
}
