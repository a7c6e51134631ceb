import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Dealer, Subscriber } from 'zeromq'
import {
  exitDrainMs,
  jupyterMessageBytesMax,
  jupyterReceiveHighWaterMark,
  jupyterReconnectMs,
  jupyterSendMs,
  jupyterSendsWaitingMax,
  jupyterTurnBytesMax,
} from '../../limits.js'
import type { Channel, ConnectionFile } from './connection-file.js'
import { decodeMessage, encodeMessage, type Header, type JsonObject, type WireMessage } from './wire.js'

export interface ConnectionListener {
  received(channel: Channel, message: WireMessage): void
  /** The kernel broke its output channel, most likely by a message that is too large; it is connected anew. */
  outputLost(): void
}

/**
 * A client's sockets to one kernel; the only file of this package that knows ZeroMQ. The heartbeat socket is left out: what
 * it could tell, the exit of the process tells sooner.
 */
export class Connection {
  readonly #key: string
  readonly #listener: ConnectionListener
  readonly #session = randomUUID()
  readonly #iopub: Subscriber
  readonly #dealers: { readonly [channel in DealerChannel]: Outlet }
  #faults = 0
  #heard = 0
  #closed = false
  #brokenOff: () => void = () => {}

  /** Connects at once, also to sockets that the kernel has yet to make. */
  constructor(file: ConnectionFile, listener: ConnectionListener) {
    this.#key = file.key
    this.#listener = listener
    this.#iopub = new Subscriber(socketOptions)
    this.#iopub.subscribe()
    this.#iopub.events.on('disconnect', () => this.#disconnected())
    // The kernel asks on `stdin` whoever sent the request on `shell`, so both bear the same name.
    const dealer = () => new Dealer({ ...socketOptions, sendTimeout: jupyterSendMs, routingId: this.#session })
    this.#dealers = { shell: new Outlet(dealer()), stdin: new Outlet(dealer()), control: new Outlet(dealer()) }
    const sockets = { ...mapValues(this.#dealers, ({ socket }) => socket), iopub: this.#iopub }
    for (const [name, socket] of Object.entries(sockets)) {
      const channel = name as Channel
      socket.connect(file.endpoint(channel))
      void this.#receive(channel, socket)
    }
  }

  /** The id that answers bear in their parent header. */
  send(channel: DealerChannel, type: string, content: JsonObject, parentHeader?: Header): string {
    const header: Header = {
      msg_id: randomUUID(),
      msg_type: type,
      session: this.#session,
      username: 'callboard',
      date: new Date().toISOString(),
      version: '5.3',
    }
    const message = { identities: [], header, parentHeader, metadata: {}, content, buffers: [] }
    if (!this.#closed) this.#dealers[channel].push(encodeMessage(message, this.#key))
    return header.msg_id
  }

  /** Messages that were dropped because nobody could have meant them: not signed, not of the protocol. */
  get faults(): number {
    return this.#faults
  }

  /** After the exit of the kernel: resolves when all that it had sent was received, or after a while. */
  async drained(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, exitDrainMs)
    })
    await Promise.race([new Promise<void>((resolve) => (this.#brokenOff = resolve)), patience])
    clearTimeout(timer)
    // What was received before the connection ended lies ready; each turn of the loop takes some of it.
    for (let heard = -1; heard !== this.#heard; ) {
      heard = this.#heard
      for (let turn = 0; turn < 4; turn += 1) await nextTurn()
    }
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#iopub.close()
    for (const { socket } of Object.values(this.#dealers)) socket.close()
  }

  async #receive(channel: Channel, socket: Dealer | Subscriber): Promise<void> {
    let bytesInTurn = 0
    for await (const frames of socket as AsyncIterable<Buffer[]>) {
      if (this.#closed) return
      this.#heard += 1
      const decoded = decodeMessage(frames, this.#key)
      if (decoded.kind === 'message') this.#listener.received(channel, decoded.message)
      else this.#faults += 1
      bytesInTurn += frames.reduce((sum, { length }) => sum + length, 0)
      if (bytesInTurn < jupyterTurnBytesMax) continue
      bytesInTurn = 0
      await nextTurn()
    }
  }

  #disconnected(): void {
    if (this.#closed) return
    this.#brokenOff()
    this.#listener.outputLost()
  }
}

type DealerChannel = Exclude<Channel, 'iopub'>

const socketOptions = {
  linger: 0,
  maxMessageSize: jupyterMessageBytesMax,
  receiveHighWaterMark: jupyterReceiveHighWaterMark,
  reconnectInterval: jupyterReconnectMs,
}

/** The one sender of a socket: concurrent sends throw EBUSY. What a kernel does not take in time is dropped. */
class Outlet {
  readonly socket: Dealer
  readonly #waiting: Uint8Array[][] = []
  #sending = false

  constructor(socket: Dealer) {
    this.socket = socket
  }

  push(frames: Uint8Array[]): void {
    if (this.#waiting.length >= jupyterSendsWaitingMax) return
    this.#waiting.push(frames)
    if (!this.#sending) void this.#sendAll()
  }

  async #sendAll(): Promise<void> {
    this.#sending = true
    for (let frames = this.#waiting.shift(); frames !== undefined; frames = this.#waiting.shift()) {
      // A kernel that takes nothing more is dead or stuck, which its exit or the run's time limit tells.
      await this.socket.send(frames).catch(() => {})
    }
    this.#sending = false
  }
}

function mapValues<Key extends string, From, To>(
  record: { readonly [key in Key]: From },
  map: (value: From) => To,
): { readonly [key in Key]: To } {
  return Object.fromEntries(Object.entries<From>(record).map(([key, value]) => [key, map(value)])) as {
    [key in Key]: To
  }
}
