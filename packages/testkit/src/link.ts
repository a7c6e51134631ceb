import { decodeMessages, encodeBatch, type Fault, type Message } from '@callboard/protocol'
import type { Random } from './random.js'
import type { VirtualClock } from './virtual-clock.js'

/** How the link behaves while connections last, as probabilities per batch. ZeroMQ itself does none but `full`. */
export interface LinkFaults {
  readonly latencyMs: readonly [least: number, most: number]
  readonly loss: number
  readonly reordering: number
  readonly duplication: number
  /** A send of the hub fails though the connection lives. */
  readonly full: number
}

export const perfectLink: LinkFaults = { latencyMs: [0, 2], loss: 0, reordering: 0, duplication: 0, full: 0 }

/** Who hears of the end of a connection, and how long after it; `never`: not at all. */
export interface Cut {
  readonly hubNotice: number | 'never'
  readonly workerNotice: number | 'never'
  readonly redialMs: number
}

export interface HubEnd {
  peerConnected(peer: string): void
  peerLost(peer: string): void
  received(peer: string, messages: readonly Message[], faults: readonly Fault[]): void
  sendFailed(peer: string): void
}

export interface WorkerEnd {
  linkUp(): void
  linkLost(): void
  received(messages: readonly Message[]): void
}

/** Without the router's notices a dead connection is closed by the transport's own heartbeats. */
const silentDeathMs = 5_000

interface Connection {
  readonly peer: string
  readonly dealer: Dealer
  readonly toHub: Pipe
  readonly toWorker: Pipe
  /** The hub's socket still has it under the routing id. */
  isRouted: boolean
  /** The worker's socket still takes messages for it. */
  isWritable: boolean
}

/** The network between one ROUTER and many DEALERs: every message goes through the real codec. */
export class Link {
  readonly #clock: VirtualClock
  readonly #random: Random
  readonly #routes = new Map<string, Connection>()
  #hub: HubEnd | undefined
  faults: LinkFaults

  constructor(clock: VirtualClock, random: Random, faults: LinkFaults) {
    this.#clock = clock
    this.#random = random
    this.faults = faults
  }

  get isListening(): boolean {
    return this.#hub !== undefined
  }

  listen(hub: HubEnd): void {
    this.#hub = hub
  }

  /** The hub's process is gone; every worker sees its connection end, soon or not. */
  hangUp(workerNotice: () => number | 'never', redialMs: () => number): void {
    const connections = [...this.#routes.values()]
    this.#hub = undefined
    this.#routes.clear()
    for (const connection of connections) {
      this.#breakOff(connection, { hubNotice: 'never', workerNotice: workerNotice(), redialMs: redialMs() })
      connection.toHub.close(this.#clock.now)
    }
  }

  cut(peer: string, cut: Cut): void {
    const connection = this.#routes.get(peer)
    if (connection?.isWritable) this.#breakOff(connection, cut)
  }

  /** The ROUTER's send: fails, a little later, when nobody is known under that id. */
  send(peer: string, frames: readonly Uint8Array[]): void {
    const connection = this.#routes.get(peer)
    if (connection === undefined || this.#random.chance(this.faults.full)) {
      const hub = this.#hub
      this.#clock.after(0, () => hub === this.#hub && hub?.sendFailed(peer))
      return
    }
    connection.toWorker.send(frames)
  }

  /** For {@link Dealer} only. */
  connect(dealer: Dealer): Connection | undefined {
    const hub = this.#hub
    if (hub === undefined) return undefined
    const former = this.#routes.get(dealer.peer)
    // Handover: the ROUTER forgets the old connection under this id, and with it what it still had to say.
    if (former !== undefined) this.#unroute(former)
    const connection: Connection = {
      peer: dealer.peer,
      dealer,
      toHub: new Pipe(this.#clock, this.#random, this, (frames) => this.#atHub(connection, frames)),
      toWorker: new Pipe(this.#clock, this.#random, this, (frames) => dealer.deliver(decodeMessages(frames).messages)),
      isRouted: true,
      isWritable: true,
    }
    this.#routes.set(dealer.peer, connection)
    hub.peerConnected(dealer.peer)
    return connection
  }

  /** For {@link Dealer} only: its process has closed the socket, or is dead. */
  end(connection: Connection, hubNotice: number | 'never', delivers: boolean): void {
    if (!connection.isWritable) return
    connection.isWritable = false
    connection.toWorker.close(this.#clock.now)
    const last = delivers ? connection.toHub.lastAt : this.#clock.now
    connection.toHub.close(last)
    this.#noticeAtHub(connection, last, hubNotice)
  }

  #breakOff(connection: Connection, { hubNotice, workerNotice, redialMs }: Cut): void {
    connection.isWritable = false
    const { now } = this.#clock
    const most = this.faults.latencyMs[1]
    connection.toWorker.close(now + this.#random.integer(0, most))
    const last = now + this.#random.integer(0, most)
    connection.toHub.close(last)
    this.#noticeAtHub(connection, last, hubNotice)
    connection.dealer.lost(connection, workerNotice, redialMs)
  }

  #noticeAtHub(connection: Connection, last: number, notice: number | 'never'): void {
    const delayMs = notice === 'never' ? silentDeathMs : notice
    this.#clock.at(Math.max(last, this.#clock.now + delayMs), () => {
      if (!connection.isRouted || this.#routes.get(connection.peer) !== connection) return
      this.#unroute(connection)
      if (notice !== 'never') this.#hub?.peerLost(connection.peer)
    })
  }

  #unroute(connection: Connection): void {
    connection.isRouted = false
    this.#routes.delete(connection.peer)
  }

  #atHub(connection: Connection, frames: readonly Uint8Array[]): void {
    if (!connection.isRouted) return
    const { messages, faults } = decodeMessages(frames)
    this.#hub?.received(connection.peer, messages, faults)
  }
}

/** A worker's DEALER: connects again by itself, for ever, until it is closed. */
export class Dealer {
  readonly peer: string
  readonly #link: Link
  readonly #clock: VirtualClock
  readonly #end: WorkerEnd
  #connection: Connection | undefined
  #closed = false

  constructor(link: Link, clock: VirtualClock, peer: string, end: WorkerEnd) {
    this.#link = link
    this.#clock = clock
    this.peer = peer
    this.#end = end
    this.#clock.after(0, () => this.#dial())
  }

  /** False: nothing takes messages now. */
  send(messages: readonly Message[]): boolean {
    return this.sendFrames(encodeBatch(messages))
  }

  sendFrames(frames: readonly Uint8Array[]): boolean {
    if (this.#closed || this.#connection?.isWritable !== true) return false
    this.#connection.toHub.send(frames)
    return true
  }

  /** `delivers`: what was sent still arrives, as with a clean exit. */
  close(hubNotice: number | 'never', delivers: boolean): void {
    if (this.#closed) return
    this.#closed = true
    if (this.#connection !== undefined) this.#link.end(this.#connection, hubNotice, delivers)
  }

  deliver(messages: readonly Message[]): void {
    if (!this.#closed && messages.length > 0) this.#end.received(messages)
  }

  /** For {@link Link} only. */
  lost(connection: Connection, notice: number | 'never', redialMs: number): void {
    if (this.#connection !== connection) return
    this.#clock.after(redialMs, () => this.#dial())
    if (notice !== 'never') this.#clock.after(notice, () => this.#closed || this.#end.linkLost())
  }

  #dial(): void {
    if (this.#closed) return
    this.#connection = this.#link.connect(this)
    if (this.#connection === undefined) this.#clock.after(100, () => this.#dial())
    else this.#clock.after(0, () => this.#closed || this.#end.linkUp())
  }
}

/** One direction of a connection: in order, unless the link's faults say otherwise. */
class Pipe {
  readonly #clock: VirtualClock
  readonly #random: Random
  readonly #link: Link
  readonly #deliver: (frames: readonly Uint8Array[]) => void
  #closesAt = Number.POSITIVE_INFINITY
  #lastAt = 0

  constructor(clock: VirtualClock, random: Random, link: Link, deliver: (frames: readonly Uint8Array[]) => void) {
    this.#clock = clock
    this.#random = random
    this.#link = link
    this.#deliver = deliver
  }

  /** When the last of what is under way arrives. */
  get lastAt(): number {
    return Math.max(this.#lastAt, this.#clock.now)
  }

  send(frames: readonly Uint8Array[]): void {
    const { loss, duplication } = this.#link.faults
    if (this.#random.chance(loss)) return
    this.#arriveLater(frames)
    if (this.#random.chance(duplication)) this.#arriveLater(frames)
  }

  /** What arrives after that time does not arrive. */
  close(time: number): void {
    this.#closesAt = time
  }

  #arriveLater(frames: readonly Uint8Array[]): void {
    const { latencyMs, reordering } = this.#link.faults
    const at = this.#clock.now + this.#random.integer(...latencyMs)
    const inOrder = Math.max(at, this.#lastAt)
    this.#lastAt = inOrder
    this.#clock.at(this.#random.chance(reordering) ? at : inOrder, () => {
      if (this.#clock.now <= this.#closesAt) this.#deliver(frames)
    })
  }
}
