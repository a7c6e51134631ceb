import type { FromHub } from '@callboard/protocol'
import { Context } from 'zeromq'
import type { BrokerEvent, HandshakeRefusal, PeerId } from '../broker/events.js'
import { isKeyedPeer, keyedPeer, routingIdOf } from '../broker/keyed-peer.js'
import { type RouterListener, WorkerRouter } from '../router.js'
import { StartError } from '../start-error.js'
import { backlogConnections, handshakeMs } from './limits.js'
import type { WorkerKeys } from './worker-keys.js'
import { ZapHandler, zapDomains } from './zap-handler.js'

export interface WorkerSocketsOptions {
  /** Told of everything that happens here. */
  readonly step: (event: SocketEvent) => void
  /** Absent: nobody comes in from other machines. */
  readonly keys?: WorkerKeys | undefined
  /** Users beside the hub's own and root whose processes may connect on this machine. */
  readonly localUsers?: readonly number[] | undefined
  /** The list of keys can't be read. */
  readonly keysProblem?: (problem: string) => void
}

export type SocketEvent = Extract<BrokerEvent, { peer: PeerId } | { type: 'keys_changed' | 'handshake_refused' }>

/**
 * Where workers come in: one socket for this machine, one by key for all others, in a context of their own, because the one that
 * judges connections is one for each context. The peers of both are told apart by their ids.
 */
export class WorkerSockets implements AsyncDisposable {
  readonly #local: WorkerRouter
  readonly #keyed: WorkerRouter | undefined
  readonly #zap: ZapHandler

  constructor({ step, keys, localUsers = [], keysProblem = () => undefined }: WorkerSocketsOptions) {
    const refused = (reason: HandshakeRefusal) => step({ type: 'handshake_refused', reason })
    const context = new Context()
    const users = new Set([process.getuid?.() ?? 0, 0, ...localUsers])
    this.#zap = new ZapHandler(context, {
      refusalOfKey: (key) => (keys === undefined ? 'unknown_key' : keys.refusal(key)),
      refusalOfUser: (uid) => (users.has(uid) ? undefined : 'foreign_user'),
      refused,
    })
    this.#local = new WorkerRouter(
      listenerOf(step, (id) => id),
      { socket: { context, zapDomain: zapDomains.local }, refused },
    )
    if (keys === undefined) return
    const keyed = { socket: { context, ...curve(keys) }, isKeyed: true, refused }
    this.#keyed = new WorkerRouter(listenerOf(step, keyedPeer), keyed)
    keys.watch(() => step({ type: 'keys_changed' }), keysProblem)
  }

  /** Whether a lost connection is noticed at once rather than by late heartbeats. */
  get noticesDisconnects(): boolean {
    return this.#local.noticesDisconnects
  }

  /** @throws StartError when the endpoint is not for this machine alone, or an endpoint by key can't be had. */
  async bind(local: string, byKey: readonly string[] = []): Promise<readonly string[]> {
    await this.#zap.bind()
    await this.#local.bind(local)
    const bound: string[] = []
    for (const endpoint of this.#keyed === undefined ? [] : byKey) bound.push(await this.#bindKeyed(endpoint))
    return bound
  }

  send(peer: PeerId, message: FromHub): void {
    if (isKeyedPeer(peer)) this.#keyed?.send(routingIdOf(peer), message)
    else this.#local.send(peer, message)
  }

  async close(): Promise<void> {
    await Promise.all([this.#local.close(), this.#keyed?.close()])
    await this.#zap.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #bindKeyed(endpoint: string): Promise<string> {
    try {
      return await this.#keyed!.bind(endpoint)
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      throw new StartError(
        `Workers can't be served on ${endpoint} (${code ?? message}): set CALLBOARD_LISTEN to another address or port.`,
      )
    }
  }
}

/** Without a domain that is enforced, libzmq lets every key in as long as nobody answers for it. */
const curve = ({ pair }: WorkerKeys) => ({
  curveServer: true,
  curveSecretKey: pair.secretKey,
  zapDomain: zapDomains.keyed,
  zapEnforceDomain: true,
  handshakeInterval: handshakeMs,
  backlog: backlogConnections,
  // What is bound for all addresses is for those of IPv6 too.
  ipv6: true,
})

const listenerOf = (step: (event: SocketEvent) => void, peerOf: (routingId: string) => PeerId): RouterListener => ({
  peerConnected: (id) => step({ type: 'peer_connected', peer: peerOf(id) }),
  peerLost: (id) => step({ type: 'peer_lost', peer: peerOf(id) }),
  message: (id, message) => step({ type: 'message', peer: peerOf(id), message }),
  faults: (id, faults) => step({ type: 'faults', peer: peerOf(id), faults }),
  sendFailed: (id) => step({ type: 'send_failed', peer: peerOf(id) }),
})
