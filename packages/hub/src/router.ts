import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  decodeMessages,
  encodeBatches,
  type Fault,
  type FromHub,
  type FromWorker,
  frameBytesMax,
  isFromWorker,
  zmtpHeartbeatIntervalMs,
  zmtpHeartbeatTimeoutMs,
  zmtpHeartbeatTtlMs,
} from '@callboard/protocol'
import { capability, Router, type SocketOptions } from 'zeromq'
import { type HandshakeListener, watchHandshakes } from './keys/handshake-events.js'
import { StartError } from './start-error.js'

/** A worker's connection as the rest of the hub knows it: its routing id, byte for byte. */
type PeerId = string

export interface RouterListener {
  peerConnected(peer: PeerId): void
  peerLost(peer: PeerId): void
  message(peer: PeerId, message: FromWorker): void
  faults(peer: PeerId, faults: readonly Fault[]): void
  sendFailed(peer: PeerId): void
}

/** Messages queued per worker before sending fails. Credits are the flow control; this is the backstop. */
const sendHighWaterMark = 4_096
const receiveHighWaterMark = 4_096
/**
 * The binding hands over up to 512 messages in a row, which may be seconds of work: after so long agents, timers and what is to be
 * sent have their turn. Longer than any number of usual messages takes.
 */
const receiveTurnMs = 20
const routerNotifyOption = 97
const disconnectMessageOption = 111
const notifyConnect = 1
/** A frame that no codec makes: what libzmq says to us in the name of a connection that ended. */
const disconnectNotice = Buffer.from('\xc1callboard: disconnected', 'latin1')

export interface RouterOptions {
  /** What this socket has of its own: its context, its domain, its keys. */
  readonly socket?: SocketOptions<Router>
  /** Only who has a key comes in, so that it may be bound anywhere; absent: on this machine only. */
  readonly isKeyed?: boolean
  /** Told of what becomes of connections before anybody says anything. */
  readonly handshakes?: HandshakeListener
}

/** libzmq tells of connects and disconnects by draft options, whose setters are protected. */
class NotifyingRouter extends Router {
  constructor(options: SocketOptions<Router>) {
    super({
      mandatory: true,
      handover: true,
      sendTimeout: 0,
      linger: 0,
      sendHighWaterMark,
      receiveHighWaterMark,
      maxMessageSize: frameBytesMax,
      heartbeatInterval: zmtpHeartbeatIntervalMs,
      heartbeatTimeout: zmtpHeartbeatTimeoutMs,
      heartbeatTimeToLive: zmtpHeartbeatTtlMs,
      ...options,
    })
    if (capability.draft !== true) return
    this.setInt32Option(routerNotifyOption, notifyConnect)
    this.setStringOption(disconnectMessageOption, disconnectNotice)
  }
}

/**
 * One socket for workers: bytes in, messages out. Messages of one turn of the event loop to
 * one worker leave as one batch, whichever agents they are of: `setImmediate` runs behind all that the system had to read,
 * and before the loop sleeps, so that it keeps nothing waiting.
 */
export class WorkerRouter implements AsyncDisposable {
  readonly #socket: NotifyingRouter
  readonly #listener: RouterListener
  readonly #isKeyed: boolean
  readonly #outbox = new Map<PeerId, FromHub[]>()
  #flush: NodeJS.Immediate | undefined
  #receiving: Promise<void> | undefined
  #closed = false

  constructor(listener: RouterListener, { socket = {}, isKeyed = false, handshakes }: RouterOptions = {}) {
    this.#socket = new NotifyingRouter(socket)
    this.#listener = listener
    this.#isKeyed = isKeyed
    if (handshakes !== undefined) void watchHandshakes(this.#socket, handshakes)
  }

  /** Whether a lost connection is noticed at once rather than by late heartbeats. */
  get noticesDisconnects(): boolean {
    return capability.draft === true
  }

  /**
   * The caller holds the lock of the directory: bind() takes over whatever lies at the path.
   * @returns the endpoint with the port that it has got.
   * @throws StartError off this machine without keys, where anybody could sign in. [CB-1]
   */
  async bind(endpoint: string): Promise<string> {
    if (!this.#isKeyed && !isLocal(endpoint)) {
      throw new StartError(
        `Workers are served on ipc:// or loopback only, without keys: ${endpoint} is neither. For workers on other machines set CALLBOARD_LISTEN=${endpoint} and let them in with "callboard keys authorize".`,
      )
    }
    await this.#socket.bind(endpoint)
    this.#receiving ??= this.#receive()
    // A socket that also speaks IPv6 tells of IPv4 as nobody writes it.
    return (this.#socket.lastEndpoint ?? endpoint).replace(/\[::ffff:([\d.]+)\]/, '$1')
  }

  /** Never blocks, never throws: a worker that can't take it is reported by `sendFailed`. */
  send(peer: PeerId, message: FromHub): void {
    if (this.#closed) return
    const queue = this.#outbox.get(peer)
    if (queue === undefined) this.#outbox.set(peer, [message])
    else queue.push(message)
    this.#flush ??= setImmediate(() => this.#sendAll())
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#sendAll()
    this.#closed = true
    this.#socket.close()
    await this.#receiving
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  /** Not by the socket's iterator, which makes several promises more of each message. */
  async #receive(): Promise<void> {
    let turnBegan = performance.now()
    try {
      while (!this.#closed) {
        const [id, ...frames] = await this.#socket.receive()
        if (this.#closed) return
        if (id !== undefined) this.#received(id.toString('latin1'), frames)
        if (performance.now() - turnBegan < receiveTurnMs) continue
        await nextTurn()
        turnBegan = performance.now()
      }
    } catch (error) {
      // What waits for a message while the socket is closed gets an error.
      if (!this.#closed) throw error
    }
  }

  #received(peer: PeerId, frames: readonly Buffer[]): void {
    const [first] = frames
    if (frames.length === 1 && first !== undefined) {
      if (first.byteLength === 0) return this.#listener.peerConnected(peer)
      if (first.equals(disconnectNotice)) return this.#listener.peerLost(peer)
    }
    const { messages, faults } = decodeMessages(frames)
    for (const message of messages) {
      if (isFromWorker(message)) this.#listener.message(peer, message)
      else this.#listener.faults(peer, [{ code: 'type_unknown', message: `${message.type} is the hub's to send` }])
    }
    if (faults.length > 0) this.#listener.faults(peer, faults)
  }

  #sendAll(): void {
    clearImmediate(this.#flush)
    this.#flush = undefined
    for (const [peer, messages] of this.#outbox) {
      for (const frames of encodeBatches(messages)) this.#sendFrames(peer, frames)
    }
    this.#outbox.clear()
  }

  #sendFrames(peer: PeerId, frames: readonly Uint8Array[]): void {
    // ZeroMQ would end the worker's connection for good; so this is the hub's fault, and the worker signs in again.
    if (frames.some((frame) => frame.byteLength > frameBytesMax)) return this.#listener.sendFailed(peer)
    const id = Buffer.from(peer, 'latin1')
    this.#socket.send([id, ...frames] as Parameters<Router['send']>[0]).catch(() => {
      if (!this.#closed) this.#listener.sendFailed(peer)
    })
  }
}

function isLocal(endpoint: string): boolean {
  return /^ipc:\/\/.|^tcp:\/\/(127(\.\d{1,3}){3}|\[::1\]):(\d{1,5}|\*)$/.test(endpoint)
}
