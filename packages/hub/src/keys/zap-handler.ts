import { encodeCurveKey } from '@callboard/protocol'
import { type Context, Router } from 'zeromq'
import type { HandshakeRefusal } from '../broker/events.js'
import { zapQueueMax } from './limits.js'

/** Where libzmq asks; one handler for each context. */
const endpoint = 'inproc://zeromq.zap.01'
const version = '1.0'

/** The domains of the hub's two sockets. */
export const zapDomains = { local: 'local', keyed: 'keys' } as const

export interface ZapJudge {
  /** Undefined: it may come in. */
  refusalOfKey(key: string): HandshakeRefusal | undefined
  refusalOfUser(uid: number): HandshakeRefusal | undefined
  refused(reason: HandshakeRefusal): void
}

/** Answers libzmq's question whether a connection may come in (ZeroMQ RFC 27): each once, whatever it holds. [CB-106] */
export class ZapHandler implements AsyncDisposable {
  readonly #socket: Router
  readonly #judge: ZapJudge
  #receiving: Promise<void> | undefined

  constructor(context: Context, judge: ZapJudge) {
    this.#socket = new Router({
      context,
      linger: 0,
      sendTimeout: 0,
      sendHighWaterMark: zapQueueMax,
      receiveHighWaterMark: zapQueueMax,
    })
    this.#judge = judge
  }

  /** Before the sockets that it guards. */
  async bind(): Promise<void> {
    await this.#socket.bind(endpoint)
    this.#receiving = this.#receive()
  }

  async close(): Promise<void> {
    this.#socket.close()
    await this.#receiving
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #receive(): Promise<void> {
    for await (const frames of this.#socket) this.#answer(frames)
  }

  #answer([peer, , , request, ...credentials]: readonly Buffer[]): void {
    if (peer === undefined || request === undefined) return
    const reason = this.#refusal(credentials)
    const [code, text] = reason === undefined ? ['200', 'OK'] : ['400', 'No access']
    // What fails here leaves the connection in its handshake, which ends by time.
    this.#socket.send([peer, '', version, request, code, text, '', '']).catch(() => undefined)
    if (reason !== undefined) this.#judge.refused(reason)
  }

  #refusal([domain, address, , mechanism, key]: readonly Buffer[]): HandshakeRefusal | undefined {
    if (String(domain) === zapDomains.local) return this.#localRefusal(String(address))
    if (String(domain) !== zapDomains.keyed || String(mechanism) !== 'CURVE') return 'wrong_mechanism'
    return key?.byteLength === 32 ? this.#judge.refusalOfKey(encodeCurveKey(key)) : 'malformed_key'
  }

  /** On a Unix socket the system says whose process it is; on loopback it says nothing. */
  #localRefusal(address: string): HandshakeRefusal | undefined {
    const uid = /^localhost:(\d+):\d+:\d+$/.exec(address)?.[1]
    return uid === undefined ? undefined : this.#judge.refusalOfUser(Number(uid))
  }
}
