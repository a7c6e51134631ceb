import type { BrokerEffect, BrokerEvent } from '@callboard/hub'
import type { Definitions, FromHub, FromWorker, Ready } from '@callboard/protocol'
import { parse } from '../check-history.js'
import { Violation } from '../history.js'

/** What a watcher of the broker knows of one signed-in worker, from the frames alone. */
export interface Peer {
  readonly name: string
  readonly ready: Ready
  readonly joinedAt: number
  /** Its definitions as it sent them, the newest last. */
  readonly offered: Offered[]
  /** Calls that use a credit, with their depth. */
  readonly credits: Map<string, number>
  readonly suspended: Set<string>
  /** Handed over and not settled since. */
  readonly live: Set<string>
  isDraining: boolean
  /** By the broker's own word: no frame says it. */
  isEjected: boolean
  heardAt: number
}

export interface Offered {
  readonly at: number
  /** JSON text of each tool by its name. */
  readonly tools: ReadonlyMap<string, string>
}

/** The tools in force of each service: the JSON text that its worker sent, by name. */
export type DefinitionsInForce = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Why somebody is no longer signed in. */
export type Leaving = 'bye' | 'lost'

/** The hub may judge an UPDATE this much later. */
const updateIntervalMs = 250

/** Books of our own about who is signed in and what each one holds. */
export class PeerBooks {
  readonly #peers = new Map<string, Peer>()
  readonly #proving = new Map<string, Ready>()
  /** Of the peers, until one comes or goes. */
  #all: readonly Peer[] | undefined
  readonly #depths = new Map<string, number>()
  readonly #suspectAfterBeats: number
  /** The definitions in force at the end of the last step; undefined: every worker serves what it has. */
  inForce: DefinitionsInForce | undefined
  onLeft: (peer: Peer, why: Leaving) => void = () => {}

  constructor(suspectAfterBeats: number) {
    this.#suspectAfterBeats = suspectAfterBeats
  }

  get(name: string): Peer | undefined {
    return this.#peers.get(name)
  }

  get all(): readonly Peer[] {
    this.#all ??= [...this.#peers.values()]
    return this.#all
  }

  of(service: string): readonly Peer[] {
    return this.all.filter(({ ready }) => ready.service === service)
  }

  silentMs(peer: Peer, now: number): number {
    return now - peer.heardAt
  }

  /** How long a worker may say nothing before it gets nothing. */
  suspectAfterMs({ ready }: Peer): number {
    return this.#suspectAfterBeats * ready.heartbeatMs
  }

  /** Signed in to stay, and heard of late. */
  isUp(peer: Peer, now: number): boolean {
    return !peer.isDraining && this.silentMs(peer, now) < this.suspectAfterMs(peer)
  }

  /** What it offers by the hub's knowledge: more than one where an UPDATE may not be judged yet. [CB-25] */
  offeredAt({ offered }: Peer, now: number): ReadonlyMap<string, string>[] {
    const last = offered.findLastIndex(({ at }) => now - at > updateIntervalMs)
    return offered.slice(Math.max(0, last)).map(({ tools }) => tools)
  }

  /** Whether it has a tool of that name, of whatever build. */
  has(peer: Peer, name: string, now: number): boolean {
    return !isTool(name) || this.offeredAt(peer, now).every((tools) => tools.has(name))
  }

  /** Whether it surely, or perhaps, has the tool just as it is in force. */
  serves(peer: Peer, name: string, now: number, how: 'surely' | 'perhaps' = 'surely'): boolean {
    if (!isTool(name)) return true
    const offered = this.offeredAt(peer, now)
    const text = this.inForce?.get(peer.ready.service)?.get(name)
    const isIt = (tools: ReadonlyMap<string, string>) =>
      this.inForce === undefined ? tools.has(name) : text !== undefined && tools.get(name) === text
    return how === 'surely' ? offered.every(isIt) : offered.some(isIt)
  }

  /** How it defines a tool, by what the hub may know. */
  textsOf(peer: Peer, name: string, now: number): string[] {
    return this.offeredAt(peer, now).flatMap((tools) => tools.get(name) ?? [])
  }

  event(event: BrokerEvent, effects: readonly BrokerEffect[], now: number): void {
    switch (event.type) {
      case 'peer_connected':
      case 'peer_lost':
      case 'send_failed':
        return this.#left(event.peer, 'lost')
      case 'message':
        this.#fromWorker(event.peer, event.message, now)
        if (event.message.type === 'input_required') this.#asked(event.peer, event.message.id, effects)
        return
      default:
        return
    }
  }

  effect(effect: BrokerEffect, now: number): void {
    if (effect.type === 'send') return this.#toWorker(effect.peer, effect.message, now)
    if (effect.type === 'notice') this.#noticed(effect.notice)
  }

  #noticed(notice: { readonly kind: string; readonly instance?: string }): void {
    const { kind, instance } = notice
    if (kind !== 'worker_left' && kind !== 'worker_ejected' && kind !== 'worker_restored') return
    const peer = this.all.find(({ ready }) => ready.instance === instance)
    if (peer === undefined) return
    if (kind === 'worker_left') this.#left(peer.name, 'lost')
    else peer.isEjected = kind === 'worker_ejected'
  }

  #fromWorker(name: string, message: FromWorker, now: number): void {
    const peer = this.#peers.get(name)
    if (message.type === 'hello') return this.#left(name, 'lost')
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
        return this.#left(name, 'bye')
      case 'drain':
        if (!message.acknowledged) peer.isDraining = true
        return
      case 'update':
        if (message.session === undefined) peer.offered.push({ at: now, tools: toolsOf(message.body) })
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
        peer.credits.set(message.id, message.caller.depth)
        peer.live.add(message.id)
        this.#depths.set(message.id, message.caller.depth)
        return
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
      default:
        return
    }
  }

  #joined(name: string, now: number): void {
    const ready = this.#proving.get(name)
    if (ready === undefined) throw new Violation(`${name} is welcomed without READY`)
    this.#proving.delete(name)
    for (const other of this.all) if (other.ready.instance === ready.instance) this.#left(other.name, 'lost')
    if (this.#peers.has(name)) throw new Violation(`${name} is welcomed twice`)
    const books = { credits: new Map(), suspended: new Set<string>(), live: new Set<string>() }
    const offered = [{ at: Number.NEGATIVE_INFINITY, tools: toolsOf(ready.body) }]
    this.#all = undefined
    this.#peers.set(name, {
      name,
      ready,
      joinedAt: now,
      offered,
      ...books,
      isDraining: false,
      isEjected: false,
      heardAt: now,
    })
  }

  #left(name: string, why: Leaving): void {
    const peer = this.#peers.get(name)
    this.#all = undefined
    this.#peers.delete(name)
    this.#proving.delete(name)
    if (peer !== undefined) this.onLeft(peer, peer.isDraining ? 'bye' : why)
  }
}

function toolsOf(body: Uint8Array): ReadonlyMap<string, string> {
  const { tools = [] } = (parse(body) ?? {}) as Definitions
  return new Map(tools.map((tool) => [String(tool.name), JSON.stringify(tool)]))
}

/** A tool that not every build has, or has the same. */
const isTool = (name: string): boolean => /_tool\d$/.test(name)
