import { randomUUID } from 'node:crypto'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import { Dealer, Subscriber } from 'zeromq'
import {
  exitDrainMs,
  jupyterMessageBytesMax,
  jupyterQuietMs,
  jupyterReconnectMs,
  jupyterRenewMs,
  jupyterSendMs,
  jupyterSendsWaitingMax,
  jupyterTurnBytesMax,
} from '../../limits.js'
import { within } from '../../within.js'
import type { Channel, ConnectionFile } from './connection-file.js'
import { WaitingRoom } from './waiting-room.js'
import { decodeMessage, encodeMessage, type Header, type JsonObject, type WireMessage } from './wire.js'

export interface ConnectionListener {
  received(channel: Channel, message: WireMessage): void
  /** The kernel sent a message that is too large on this channel. What it sent until a new connection stood is lost too. */
  lost(channel: Channel): void
}

/**
 * A client's sockets to one kernel; the only file of this package that knows ZeroMQ. The heartbeat socket is left out: what
 * it could tell, the exit of the process tells sooner.
 */
export class Connection {
  readonly #key: string
  readonly #session = randomUUID()
  readonly #links: { readonly [channel in Channel]: Link }
  #faults = 0
  #heard = 0
  #closed = false
  #brokenOff: () => void = () => {}

  /** Connects at once, also to sockets that the kernel has yet to make. */
  constructor(file: ConnectionFile, listener: ConnectionListener) {
    this.#key = file.key
    // The kernel asks on `stdin` whoever sent the request on `shell`, so all bear the same name.
    const dealer = () => new Dealer({ ...socketOptions, sendTimeout: jupyterSendMs, routingId: this.#session })
    const link = (channel: Channel, make: () => Socket) =>
      new Link(file.endpoint(channel), make, {
        received: (frames) => {
          this.#heard += 1
          const decoded = decodeMessage(frames, this.#key)
          if (decoded.kind === 'message') listener.received(channel, decoded.message)
          else this.#faults += 1
        },
        disconnected: () => channel === 'iopub' && this.#brokenOff(),
        givenUp: () => listener.lost(channel),
      })
    this.#links = {
      shell: link('shell', dealer),
      iopub: link('iopub', newSubscriber),
      stdin: link('stdin', dealer),
      control: link('control', dealer),
    }
  }

  /** All channels stand: a kernel's question on a channel without a client is lost. Waits for a while only. */
  async connected(): Promise<void> {
    await within(jupyterSendMs, Promise.all(Object.values(this.#links).map((link) => link.connected)))
  }

  /** The id that answers bear in their parent header. */
  send(channel: Exclude<Channel, 'iopub'>, type: string, content: JsonObject, parentHeader?: Header): string {
    const header: Header = {
      msg_id: randomUUID(),
      msg_type: type,
      session: this.#session,
      username: 'callboard',
      date: new Date().toISOString(),
      version: '5.3',
    }
    const message = { identities: [], header, parentHeader, metadata: {}, content, buffers: [] }
    if (!this.#closed) this.#links[channel].send(encodeMessage(message, this.#key))
    return header.msg_id
  }

  /** Messages that were dropped because nobody could have meant them: not signed, not of the protocol. */
  get faults(): number {
    return this.#faults
  }

  /** After the exit of the kernel: resolves when all that it had sent was received, or after a while. */
  async drained(): Promise<void> {
    if (this.#closed) return
    const brokenOff = new Promise<void>((resolve) => {
      this.#brokenOff = resolve
    })
    if (this.#links.iopub.isConnected) await within(exitDrainMs, brokenOff)
    // What was received before the connection ended is on its way through this loop.
    for (let heard = -1, quiet = 0; quiet < 2; quiet = heard === this.#heard ? quiet + 1 : 0) {
      heard = this.#heard
      await delay(jupyterQuietMs)
    }
  }

  close(): void {
    this.#closed = true
    for (const link of Object.values(this.#links)) link.close()
  }
}

type Socket = Dealer | Subscriber

interface LinkListener {
  received(frames: readonly Buffer[]): void
  disconnected(): void
  givenUp(): void
}

const socketOptions = {
  linger: 0,
  maxMessageSize: jupyterMessageBytesMax,
  reconnectInterval: jupyterReconnectMs,
}

function newSubscriber(): Subscriber {
  const socket = new Subscriber(socketOptions)
  socket.subscribe()
  return socket
}

/** One channel: its socket, replaced when libzmq has given it up (as it does after a message that is too large). */
class Link {
  readonly #endpoint: string
  readonly #make: () => Socket
  readonly #listener: LinkListener
  /** For the first time. */
  readonly connected: Promise<void>
  #connect: () => void = () => {}
  readonly #waiting: Uint8Array[][] = []
  #socket: Socket
  #isConnected = false
  #sending = false
  #renewal: NodeJS.Timeout | undefined

  constructor(endpoint: string, make: () => Socket, listener: LinkListener) {
    this.#endpoint = endpoint
    this.#make = make
    this.#listener = listener
    this.connected = new Promise((resolve) => {
      this.#connect = resolve
    })
    this.#socket = this.#open()
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /** One sender: concurrent sends throw EBUSY. What a kernel does not take in time is dropped. */
  send(frames: Uint8Array[]): void {
    if (this.#waiting.length >= jupyterSendsWaitingMax) return
    this.#waiting.push(frames)
    if (!this.#sending) void this.#sendAll()
  }

  close(): void {
    clearTimeout(this.#renewal)
    this.#socket.close()
  }

  #open(): Socket {
    const socket = this.#make()
    const alive = () => clearTimeout(this.#renewal)
    socket.events.on('connect:retry', alive)
    socket.events.on('handshake', () => {
      alive()
      this.#isConnected = true
      this.#connect()
    })
    socket.events.on('disconnect', () => {
      if (socket !== this.#socket || socket.closed) return
      this.#isConnected = false
      // libzmq says when it tries again, and nothing when it does not.
      this.#renewal = setTimeout(() => this.#renew(), jupyterRenewMs)
      this.#listener.disconnected()
    })
    void this.#receive(socket)
    socket.connect(this.#endpoint)
    return socket
  }

  #renew(): void {
    this.#socket.close()
    this.#socket = this.#open()
    this.#listener.givenUp()
  }

  async #receive(socket: Socket): Promise<void> {
    const room = new WaitingRoom()
    socket.receiveHighWaterMark = room.places
    let bytesInTurn = 0
    for await (const frames of socket as AsyncIterable<Buffer[]>) {
      if (socket.closed) return
      const bytes = frames.reduce((sum, { length }) => sum + length, 0)
      // libzmq takes it over for connections that stand.
      if (room.received(bytes)) socket.receiveHighWaterMark = room.places
      this.#listener.received(frames)
      bytesInTurn += bytes
      if (bytesInTurn < jupyterTurnBytesMax) continue
      bytesInTurn = 0
      await nextTurn()
    }
  }

  async #sendAll(): Promise<void> {
    this.#sending = true
    for (let frames = this.#waiting.shift(); frames !== undefined; frames = this.#waiting.shift()) {
      // A kernel that takes nothing more is dead or stuck, which its exit or the run's time limit tells.
      if (this.#socket instanceof Dealer) await this.#socket.send(frames).catch(() => {})
    }
    this.#sending = false
  }
}
