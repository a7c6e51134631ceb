import type { BrokerEffect, BrokerEvent, BrokerSnapshot } from '@callboard/hub'
import { type FromHub, type FromWorker, type Ready, suspectAfterMs } from '@callboard/protocol'
import { contentOf, parse } from './check-history.js'
import { Violation } from './history.js'
import type { CallBody, Canary } from './plan.js'
import { ownToolName } from './services.js'

/** What a watcher of the broker knows of one signed-in worker, from the frames alone. */
interface Peer {
  readonly ready: Ready
  readonly credits: Map<string, number>
  readonly suspended: Set<string>
  /** Handed over and not settled since. */
  readonly live: Set<string>
  isDraining: boolean
  heardAt: number
}

interface OpenTurn {
  readonly connection: number
  readonly root: string
}

/**
 * Keeps books of its own about what goes into a broker and what comes out of it, and holds the one against the other:
 * credits, suspensions, affinity, silence, who may hear what.
 */
export class HubWatch {
  readonly #peers = new Map<string, Peer>()
  readonly #proving = new Map<string, Ready>()
  readonly #turns = new Map<number, OpenTurn>()
  /** Root calls that were settled for good, so that nothing of them may be handed over any more. */
  readonly #over = new Set<string>()
  readonly #bindings = new Map<string, string>()
  readonly #watched = new Map<number, Set<string>>()
  readonly #depths = new Map<string, number>()
  readonly #affinityOf: (service: string) => 'none' | 'session' | 'principal'

  constructor(affinityOf: (service: string) => 'none' | 'session' | 'principal') {
    this.#affinityOf = affinityOf
  }

  /** One step of the broker, with all that came out of it. */
  see(event: BrokerEvent, effects: readonly BrokerEffect[], now: number): void {
    this.#event(event, now)
    if (event.type === 'message' && event.message.type === 'input_required') {
      this.#asked(event.peer, event.message.id, effects)
    }
    for (const effect of effects) this.#effect(effect, now)
  }

  #event(event: BrokerEvent, now: number): void {
    switch (event.type) {
      case 'peer_connected':
      case 'peer_lost':
      case 'send_failed':
        this.#left(event.peer)
        return
      case 'message':
        return this.#fromWorker(event.peer, event.message, now)
      case 'call': {
        const { canary } = parse(event.call.body) as CallBody
        this.#turns.set(event.ref, { connection: event.connection, root: canary.root })
        return
      }
      case 'resume': {
        const answer = parse(event.body) as { inputResponses: { q: { echo: Canary } } }
        this.#turns.set(event.ref, { connection: event.connection, root: answer.inputResponses.q.echo.root })
        return
      }
      case 'subscribe':
        this.#watched.set(event.connection, (this.#watched.get(event.connection) ?? new Set()).add(event.uri))
        return
      case 'unsubscribe':
        this.#watched.get(event.connection)?.delete(event.uri)
        return
      case 'connection_closed':
        this.#watched.delete(event.connection)
        return
      default:
        return
    }
  }

  #effect(effect: BrokerEffect, now: number): void {
    switch (effect.type) {
      case 'send':
        return this.#toWorker(effect.peer, effect.message, now)
      case 'settle': {
        const turn = this.#turns.get(effect.ref)
        this.#turns.delete(effect.ref)
        if (turn !== undefined && effect.outcome.kind !== 'input_required') this.#over.add(turn.root)
        return
      }
      case 'progress':
      case 'log': {
        const turn = this.#turns.get(effect.ref)
        const root = contentOf(effect.body)?.canary.root
        if (turn === undefined) throw new Violation(`${effect.type} for ref ${effect.ref}, which is not open`)
        if (root !== turn.root) throw new Violation(`${effect.type} of ${root} went to ${turn.root}`)
        return
      }
      case 'resource_updated':
        for (const connection of effect.connections) {
          if (this.#watched.get(connection)?.has(effect.uri) !== true) {
            throw new Violation(`connection ${connection} hears of ${effect.uri}, which it does not watch`)
          }
        }
        return
      case 'notice':
        if (effect.notice.kind === 'worker_left') this.#leftInstance(effect.notice.instance)
        return
      default:
        return
    }
  }

  /** The broker's own books must say the same. */
  compare(snapshot: BrokerSnapshot): void {
    if (snapshot.workers.length !== this.#peers.size) {
      throw new Violation(
        `the broker has ${snapshot.workers.length} workers, by the frames there are ${this.#peers.size}`,
      )
    }
    const byInstance = new Map([...this.#peers.values()].map((peer) => [peer.ready.instance, peer]))
    for (const { instance, inFlight, suspended } of snapshot.workers) {
      const peer = byInstance.get(instance)
      if (peer === undefined) throw new Violation(`the broker has ${instance}, which is not signed in by the frames`)
      if (inFlight !== peer.credits.size) {
        throw new Violation(`${instance} uses ${inFlight} credits, by the frames ${peer.credits.size}`)
      }
      if (suspended !== peer.suspended.size) {
        throw new Violation(`${instance} has ${suspended} suspended calls, by the frames ${peer.suspended.size}`)
      }
    }
  }

  #fromWorker(name: string, message: FromWorker, now: number): void {
    const peer = this.#peers.get(name)
    if (message.type === 'hello') return this.#left(name)
    if (message.type === 'ready') {
      this.#proving.set(name, message)
      return
    }
    if (peer === undefined || ('epoch' in message && message.epoch !== peer.ready.epoch)) return
    peer.heardAt = now
    switch (message.type) {
      case 'response':
        peer.credits.delete(message.id)
        peer.suspended.delete(message.id)
        if (peer.live.delete(message.id) && message.outcome === 'not_started' && message.reason === 'draining') {
          peer.isDraining = true
        }
        return
      case 'bye':
        return this.#left(name)
      case 'drain':
        if (!message.acknowledged) peer.isDraining = true
        return
      default:
        return
    }
  }

  /** A question frees the credit, unless the broker refuses it at once. */
  #asked(name: string, id: string, effects: readonly BrokerEffect[]): void {
    const peer = this.#peers.get(name)
    const isRefused = effects.some(
      (effect) =>
        effect.type === 'send' && effect.peer === name && effect.message.type === 'cancel' && effect.message.id === id,
    )
    if (peer?.live.has(id) && !isRefused && peer.credits.delete(id)) peer.suspended.add(id)
  }

  #toWorker(name: string, message: FromHub, now: number): void {
    if (message.type === 'welcome') return this.#joined(name, now)
    const peer = this.#peers.get(name)
    if (peer === undefined) return
    switch (message.type) {
      case 'request':
        return this.#handedOver(name, peer, message, now)
      case 'resume':
        if (!peer.suspended.delete(message.id)) throw new Violation(`RESUME of ${message.id}, which is not suspended`)
        peer.credits.set(message.id, this.#depths.get(message.id) ?? 0)
        return
      case 'cancel':
        // Whatever the reason: the worker owes a final RESPONSE again.
        if (message.reason === 'unknown_call') peer.credits.set(message.id, 0)
        else if (peer.suspended.delete(message.id)) peer.credits.set(message.id, this.#depths.get(message.id) ?? 0)
        if (message.reason !== 'input_abandoned') peer.live.delete(message.id)
        return
      case 'drain':
        peer.isDraining = true
        return
      case 'session_closed':
        for (const key of this.#bindings.keys()) if (key.endsWith(` ${message.session}`)) this.#bindings.delete(key)
        return
      default:
        return
    }
  }

  #handedOver(name: string, peer: Peer, message: Extract<FromHub, { type: 'request' }>, now: number): void {
    const { id, caller, deadline } = message
    const { service, concurrency, heartbeatMs } = peer.ready
    const { canary } = parse(message.body) as CallBody
    const used = [...peer.credits.values()].filter((depth) => depth === caller.depth).length
    if (peer.credits.has(id)) throw new Violation(`${canary.call} goes to ${name}, which still runs an earlier attempt`)
    if (used >= concurrency) throw new Violation(`${name} gets call ${id} at depth ${caller.depth} without a credit`)
    if (peer.isDraining) throw new Violation(`${name} gets call ${id} while it drains`)
    if (now - peer.heardAt > suspectAfterMs(heartbeatMs)) throw new Violation(`${name} gets call ${id} while suspect`)
    if (deadline <= now) throw new Violation(`call ${id} is handed over after its deadline`)
    if (this.#over.has(canary.root) && canary.session !== undefined) {
      throw new Violation(`${canary.call} is handed over after ${canary.root} was settled`)
    }
    // It may be the session's own, and then belongs to whoever gave it. [CB-28]
    if (message.name !== ownToolName(service)) {
      this.#checkBinding(name, service, caller.session, caller.onBehalfOf ?? caller.principal, id)
    }
    peer.credits.set(id, caller.depth)
    peer.live.add(id)
    this.#depths.set(id, caller.depth)
  }

  #checkBinding(name: string, service: string, session: string, principal: string, id: string): void {
    const affinity = this.#affinityOf(service)
    if (affinity === 'none') return
    const key = affinity === 'session' ? `${service} ${session}` : `${service} ${principal}`
    const bound = this.#bindings.get(key)
    if (
      affinity === 'session' &&
      bound !== undefined &&
      bound !== name &&
      this.#peers.get(bound)?.isDraining === false
    ) {
      throw new Violation(`call ${id} of ${session} goes to ${name}, but belongs to ${bound}`)
    }
    this.#bindings.set(key, name)
  }

  #joined(name: string, now: number): void {
    const ready = this.#proving.get(name)
    if (ready === undefined) throw new Violation(`${name} is welcomed without READY`)
    this.#proving.delete(name)
    for (const [other, peer] of this.#peers) if (peer.ready.instance === ready.instance) this.#left(other)
    if (this.#peers.has(name)) throw new Violation(`${name} is welcomed twice`)
    const books = { credits: new Map(), suspended: new Set<string>(), live: new Set<string>() }
    this.#peers.set(name, { ready, ...books, isDraining: false, heardAt: now })
  }

  #leftInstance(instance: string): void {
    for (const [name, { ready }] of this.#peers) if (ready.instance === instance) this.#left(name)
  }

  #left(name: string): void {
    this.#peers.delete(name)
    this.#proving.delete(name)
    for (const [key, bound] of this.#bindings) if (bound === name) this.#bindings.delete(key)
  }
}
