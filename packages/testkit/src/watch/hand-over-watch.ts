import type { BrokerEffect, BrokerEvent } from '@callboard/hub'
import type { Request } from '@callboard/protocol'
import { parse } from '../check-history.js'
import { Violation } from '../history.js'
import type { CallBody, Canary } from '../plan.js'
import { ownToolName } from '../services.js'
import type { Peer, PeerBooks } from './peer-books.js'
import type { Watch } from './watch.js'

/** To whom a call may go now: credits, draining, silence, affinity; and that it still may go at all. */
export class HandOverWatch implements Watch {
  readonly #books: PeerBooks
  readonly #affinityOf: (service: string) => 'none' | 'session' | 'principal'
  readonly #roots = new Map<number, string>()
  /** Root calls that were settled for good, so that nothing of them may be handed over any more. */
  readonly #over = new Set<string>()
  /** By service and session: the peers that it may be bound to by what is known; undefined among them: to nobody. */
  readonly #bindings = new Map<string, ReadonlySet<string | undefined>>()

  constructor(books: PeerBooks, affinityOf: (service: string) => 'none' | 'session' | 'principal') {
    this.#books = books
    this.#affinityOf = affinityOf
  }

  left({ name }: Peer): void {
    for (const [key, bound] of this.#bindings) {
      if (bound.has(name))
        this.#bindings.set(key, new Set([...bound].map((each) => (each === name ? undefined : each))))
    }
  }

  event(event: BrokerEvent): void {
    if (event.type === 'call') this.#roots.set(event.ref, (parse(event.call.body) as CallBody).canary.root)
    if (event.type !== 'resume') return
    const answer = parse(event.body) as { inputResponses: { q: { echo: Canary } } }
    this.#roots.set(event.ref, answer.inputResponses.q.echo.root)
  }

  effect(effect: BrokerEffect, now: number): void {
    if (effect.type === 'settle') {
      const root = this.#roots.get(effect.ref)
      this.#roots.delete(effect.ref)
      if (root !== undefined && effect.outcome.kind !== 'input_required') this.#over.add(root)
    }
    if (effect.type !== 'send') return
    const { peer: name, message } = effect
    const peer = this.#books.get(name)
    if (peer === undefined) return
    if (message.type === 'request') this.#handedOver(peer, message, now)
    if (message.type !== 'session_closed') return
    for (const key of this.#bindings.keys()) if (key.endsWith(` ${message.session}`)) this.#bindings.delete(key)
  }

  #handedOver(peer: Peer, message: Request, now: number): void {
    const { id, caller, deadline } = message
    const { name } = peer
    const { canary } = parse(message.body) as CallBody
    const used = [...peer.credits.values()].filter((depth) => depth === caller.depth).length
    if (peer.credits.has(id)) throw new Violation(`${canary.call} goes to ${name}, which still runs an earlier attempt`)
    if (used >= peer.ready.concurrency) {
      throw new Violation(`${name} gets call ${id} at depth ${caller.depth} without a credit`)
    }
    if (peer.isDraining) throw new Violation(`${name} gets call ${id} while it drains`)
    if (this.#books.silentMs(peer, now) > this.#books.suspectAfterMs(peer)) {
      throw new Violation(`${name} gets call ${id} while suspect`)
    }
    if (deadline <= now) throw new Violation(`call ${id} is handed over after its deadline`)
    if (this.#over.has(canary.root) && canary.session !== undefined) {
      throw new Violation(`${canary.call} is handed over after ${canary.root} was settled`)
    }
    this.#checkBinding(peer, message, now)
  }

  #checkBinding({ name, ready: { service } }: Peer, { id, caller, name: tool }: Request, now: number): void {
    if (this.#affinityOf(service) !== 'session') return
    const key = `${service} ${caller.session}`
    const before = [...(this.#bindings.get(key) ?? [undefined])]
    // It may be the session's own, and then belongs to whoever gave it. [CB-28]
    const isOwn = tool === ownToolName(service)
    const after = before.flatMap((each) => {
      const bound = this.#books.get(each ?? '')
      if (bound === undefined || bound.isDraining) return isOwn ? [each, name] : [name]
      // What its own worker does not have, another one answers, and stays a stranger.
      return bound.name === name || isOwn || !this.#books.has(bound, tool, now) ? [each] : []
    })
    if (after.length === 0) {
      throw new Violation(`call ${id} of ${caller.session} goes to ${name}, but belongs to ${before.join(' or ')}`)
    }
    this.#bindings.set(key, new Set(after))
  }
}
