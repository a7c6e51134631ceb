import type { Clock } from '@callboard/worker/clock'
import type { z } from 'zod'
import type { RateState } from '../network-adapter.js'
import { asFailure, failureOf, strangeAnswer } from './bluesky-failure.js'
import type { BlueskySession, Identity } from './bluesky-session.js'
import { rateIn } from './rate-headers.js'
import type { Xrpc, XrpcAnswer, XrpcCall } from './xrpc.js'

export interface PdsParts {
  readonly xrpc: Xrpc
  readonly session: BlueskySession
  readonly clock: Clock
}

/** The server of our account, called as that account. */
export class Pds {
  readonly host: string
  readonly #xrpc: Xrpc
  readonly #session: BlueskySession
  readonly #clock: Clock
  readonly #rates = new Map<string, RateState>()

  constructor({ xrpc, session, clock }: PdsParts) {
    this.host = xrpc.host
    this.#xrpc = xrpc
    this.#session = session
    this.#clock = clock
  }

  get rates(): readonly RateState[] {
    return [...this.#rates.values()]
  }

  identity(signal?: AbortSignal): Promise<Identity> {
    return this.#session.identity(signal)
  }

  /** Once, whatever the answer is. Rejects with an HttpTrouble (about this call) or a SocialFailure (about the login before). */
  async send(call: XrpcCall, signal?: AbortSignal): Promise<XrpcAnswer> {
    return this.#noted(call, await this.#session.authorized((token) => this.#xrpc.send(call, token, signal), signal))
  }

  /** A read, three times if need be, whatever the answer is. Rejects with a SocialFailure. */
  async read(call: XrpcCall, signal?: AbortSignal): Promise<XrpcAnswer> {
    try {
      return this.#noted(call, await this.#session.authorized((token) => this.#xrpc.read(call, token, signal), signal))
    } catch (error) {
      signal?.throwIfAborted()
      throw asFailure(error)
    }
  }

  /** What a read answers, checked. `wish` as in "did not let us …". */
  async query<Shape extends z.ZodType>(
    call: XrpcCall,
    shape: Shape,
    wish: string,
    signal?: AbortSignal,
  ): Promise<z.output<Shape>> {
    return this.parse(await this.read(call, signal), shape, wish)
  }

  parse<Shape extends z.ZodType>(answer: XrpcAnswer, shape: Shape, wish: string): z.output<Shape> {
    if (answer.status !== 200) throw failureOf(answer, this.host, wish, this.#clock.now())
    const parsed = shape.safeParse(answer.body)
    if (!parsed.success) throw strangeAnswer(this.host, wish)
    return parsed.data
  }

  #noted(call: XrpcCall, answer: XrpcAnswer): XrpcAnswer {
    const rate = rateIn(answer.headers, endpointOf(call))
    if (rate !== undefined) this.#rates.set(rate.endpoint, rate)
    return answer
  }
}

function endpointOf({ method, input, file }: XrpcCall): string {
  if (method === 'app.bsky.feed.searchPosts') return 'search'
  return input === undefined && file === undefined ? 'read' : 'write'
}
