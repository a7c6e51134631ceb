import { setTimeout as delay } from 'node:timers/promises'
import {
  decodeMessages,
  encodeBatch,
  frameBytesMax,
  type Message,
  zmtpHeartbeatIntervalMs,
  zmtpHeartbeatTimeoutMs,
  zmtpHeartbeatTtlMs,
} from '@callboard/protocol'
import { Dealer } from 'zeromq'
import { handshakeProblem } from './handshake-problem.js'
import type { HubLink, HubLinkListener } from './hub-link.js'
import { highWaterMark, lingerMs, outboxRetryMs, reconnectMs, socketRenewMs } from './limits.js'
import { Outbox } from './outbox.js'
import { hubKeysOf, type WorkerKeys } from './worker-keys.js'

export interface DealerOptions {
  readonly endpoint: string
  readonly routingId: string
  /** Absent: the endpoint is on this machine, where none are asked for. */
  readonly keys?: WorkerKeys
  /** Told about what a correct hub never sends, and about sends that fail for good. */
  readonly onFault: (message: string) => void
}

/** The worker's DEALER socket; the only file of the SDK that knows ZeroMQ. */
export class DealerLink implements HubLink {
  readonly #options: DealerOptions
  /** The only one that is open; replaced when libzmq has given it up. */
  #socket: Dealer
  readonly #outbox = new Outbox()
  #problem: string | undefined
  /** Whose turn it is among the hub's keys; each new socket takes the next. */
  #hubKeyAt = 0
  /** Handshakes in a row that failed as they do with another hub's key. */
  #refusals = 0
  #isPumpDue = false
  #turnEnd: NodeJS.Immediate | undefined
  #retry: NodeJS.Timeout | undefined
  #renewal: NodeJS.Timeout | undefined
  #isSending = false
  #sending: Promise<void> | undefined
  #receiving: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(options: DealerOptions) {
    this.#options = options
    this.#socket = this.#newSocket(0)
  }

  get problem(): string | undefined {
    return this.#problem
  }

  get endpoint(): string {
    return this.#options.endpoint
  }

  get hubKey(): string | undefined {
    return this.#hubKeys[this.#hubKeyAt]
  }

  open(listener: HubLinkListener): void {
    const socket = this.#socket
    // With another hub's key a handshake may come to nothing in silence: then the next key has its turn.
    if (this.#hubKeys.length > 1) this.#renewLater(listener)
    // The monitor tells of both in order. (HICCUP_MSG, the draft API for the second, never arrives with `immediate`.)
    socket.events.on('handshake', () => {
      if (!this.#isInUse(socket)) return
      this.#cancelRenewal()
      this.#refusals = 0
      this.#problem = undefined
      listener.linkUp()
    })
    for (const kind of ['auth', 'protocol', 'other'] as const) {
      socket.events.on(`handshake:error:${kind}`, ({ error }) => {
        if (this.#isInUse(socket)) this.#refused(kind, (error as NodeJS.ErrnoException).code, listener)
      })
    }
    socket.events.on('disconnect', () => {
      if (!this.#isInUse(socket)) return
      this.#renewLater(listener)
      this.#linkLost(listener)
    })
    socket.connect(this.#options.endpoint)
    this.#receiving = this.#receive(socket, listener)
  }

  send(message: Message): void {
    if (this.#socket.closed) return
    this.#outbox.push(message)
    if (message.type === 'progress' || message.type === 'log') this.#pumpAtTurnEnd()
    else this.#pumpSoon()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#cancelRenewal()
    this.#pump()
    await Promise.race([this.#sending, delay(lingerMs, undefined, { ref: false })])
    clearTimeout(this.#retry)
    clearImmediate(this.#turnEnd)
    this.#socket.close()
    await this.#receiving
  }

  /** The same routing id for each: it is one per process life. [CB-2] */
  #newSocket(hubKeyAt: number): Dealer {
    const { routingId, keys } = this.#options
    const hubKey = this.#hubKeys[hubKeyAt]
    return new Dealer({ ...socketOptions, routingId, ...(keys && hubKey ? curve(keys, hubKey) : {}) })
  }

  get #hubKeys(): readonly string[] {
    return this.#options.keys === undefined ? [] : hubKeysOf(this.#options.keys)
  }

  #isInUse(socket: Dealer): boolean {
    return socket === this.#socket && !socket.closed
  }

  /** libzmq tries some of these again at once and for ever, and others never: here each has its next try by a new socket. */
  #refused(kind: 'auth' | 'protocol' | 'other', code: string | undefined, listener: HubLinkListener): void {
    this.#problem = handshakeProblem(kind, code, this.#hubKeys)
    // Each key has one try in a row; then there is a pause.
    this.#refusals = kind === 'auth' ? 0 : (this.#refusals + 1) % Math.max(1, this.#hubKeys.length)
    if (this.#refusals > 0) this.#renewNow(listener)
    else {
      this.#renewLater(listener)
      listener.refused?.()
    }
    try {
      this.#socket.disconnect(this.#options.endpoint)
    } catch {
      // It has ended by itself.
    }
  }

  /** Counted from the first loss on: tries that fail later must not put it off. */
  #renewLater(listener: HubLinkListener): void {
    if (this.#closing !== undefined) return
    this.#renewal ??= setTimeout(() => this.#renew(listener), socketRenewMs)
  }

  #renewNow(listener: HubLinkListener): void {
    if (this.#closing !== undefined) return
    this.#cancelRenewal()
    this.#renewal = setTimeout(() => this.#renew(listener), 0)
  }

  #cancelRenewal(): void {
    clearTimeout(this.#renewal)
    this.#renewal = undefined
  }

  /** libzmq may have ended the connection for good, which it tells nobody. */
  #renew(listener: HubLinkListener): void {
    this.#renewal = undefined
    this.#renewLater(listener)
    const old = this.#socket
    const hubKeyAt = this.#hubKeys.length === 0 ? 0 : (this.#hubKeyAt + 1) % this.#hubKeys.length
    try {
      this.#socket = this.#newSocket(hubKeyAt)
      this.#hubKeyAt = hubKeyAt
    } catch (error) {
      // Out of file descriptors, say: the next period may have some.
      return this.#options.onFault(`could not make a new socket: ${String(error)}`)
    }
    this.#outbox.clear()
    old.linger = 0
    old.close()
    this.open(listener)
  }

  /**
   * One sender, in order. Each send is awaited (it completes at once while the socket is writable), because a final
   * RESPONSE must not be lost when the socket is full: the batch then goes back to the front.
   */
  #pump(): void {
    if (this.#isSending) return
    this.#isSending = true
    this.#sending = this.#sendAll()
  }

  async #sendAll(): Promise<void> {
    for (let batch = this.#outbox.take(); batch !== undefined; batch = this.#outbox.take()) {
      const socket = this.#socket
      try {
        await socket.send(encodeBatch(batch))
      } catch (error) {
        if (!this.#isSettled(error, socket, batch)) break
      }
    }
    this.#isSending = false
  }

  /** False: the batch went back to the front, and nothing can be sent now. */
  #isSettled(error: unknown, socket: Dealer, batch: readonly Message[]): boolean {
    if (this.#socket.closed) return false
    // Replaced meanwhile: what was meant for its link is lost with it.
    if (!this.#isInUse(socket)) return true
    if (!isFull(error)) {
      this.#options.onFault(`could not send ${batch.map(({ type }) => type).join(', ')}: ${String(error)}`)
      return true
    }
    this.#outbox.restore(batch)
    if (!this.#outbox.isEmpty) this.#retrySoon()
    return false
  }

  /** What the code that runs now still sends, promises included, shares a batch with it. [CB-9] */
  #pumpSoon(): void {
    if (this.#isPumpDue) return
    this.#isPumpDue = true
    process.nextTick(() => {
      this.#isPumpDue = false
      this.#pump()
    })
  }

  /** By the way, nobody waits for it: the newest progress of a turn of the event loop is enough. */
  #pumpAtTurnEnd(): void {
    this.#turnEnd ??= setImmediate(() => {
      this.#turnEnd = undefined
      this.#pump()
    })
  }

  #retrySoon(): void {
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => this.#pump(), outboxRetryMs)
  }

  /** Not by `for await`, which costs two promises more for each message. */
  async #receive(socket: Dealer, listener: HubLinkListener): Promise<void> {
    while (this.#isInUse(socket)) {
      let frames: Buffer[]
      try {
        frames = await socket.receive()
      } catch (error) {
        if (socket.closed) return
        throw error
      }
      if (this.#isInUse(socket)) this.#decode(frames, listener)
    }
  }

  #decode(frames: readonly Buffer[], listener: HubLinkListener): void {
    const { messages, faults } = decodeMessages(frames)
    for (const { code, message } of faults) this.#options.onFault(`${code}: ${message}`)
    if (messages.length > 0) listener.received(messages)
  }

  /** What still waits was for the connection that is gone. */
  #linkLost(listener: HubLinkListener): void {
    this.#outbox.clear()
    listener.linkLost()
  }
}

const socketOptions = {
  // Nothing queues for a hub that is not there: it would be delivered to the next one, in another life.
  immediate: true,
  linger: lingerMs,
  sendTimeout: 0,
  sendHighWaterMark: highWaterMark,
  receiveHighWaterMark: highWaterMark,
  maxMessageSize: frameBytesMax,
  reconnectInterval: reconnectMs,
  reconnectMaxInterval: reconnectMs,
  heartbeatInterval: zmtpHeartbeatIntervalMs,
  heartbeatTimeout: zmtpHeartbeatTimeoutMs,
  heartbeatTimeToLive: zmtpHeartbeatTtlMs,
}

const curve = ({ publicKey, secretKey }: WorkerKeys, hubKey: string) => ({
  curveServerKey: hubKey,
  curvePublicKey: publicKey,
  curveSecretKey: secretKey,
  ipv6: true,
})

function isFull(error: unknown): boolean {
  const code = (error as { code?: unknown }).code
  return code === 'EAGAIN' || code === 'EHOSTUNREACH'
}
