import type { Clock } from '@callboard/worker/clock'
import { z } from 'zod'
import { SocialFailure } from '../../envelope/failure.js'
import { blueskyAppViewPauseMs, blueskyAppViewTokenMs, blueskyTokenMax } from '../../limits.js'
import { asFailure, failureOf, strangeAnswer } from './bluesky-failure.js'
import type { Pds } from './pds.js'
import type { Xrpc, XrpcAnswer, XrpcCall } from './xrpc.js'

const granted = z.object({
  token: z
    .string()
    .max(blueskyTokenMax)
    .regex(/^[\x21-\x7e]+$/),
})

/** What indexes the whole network: behind the account's server, or at an address of its own. */
export class AppView {
  readonly #pds: Pds
  readonly #own: Xrpc | undefined
  readonly #clock: Clock
  readonly #grants = new Map<string, { readonly token: string; readonly until: number }>()
  #awayUntil = Number.NEGATIVE_INFINITY

  constructor(pds: Pds, own: Xrpc | undefined, clock: Clock) {
    this.#pds = pds
    this.#own = own
    this.#clock = clock
  }

  /** Rejects with a SocialFailure. */
  async query<Shape extends z.ZodType>(
    call: XrpcCall,
    shape: Shape,
    wish: string,
    signal?: AbortSignal,
  ): Promise<z.output<Shape>> {
    const host = this.#own?.host ?? this.#pds.host
    try {
      const answer = await (this.#own === undefined ? this.#pds.read(call, signal) : this.#ask(this.#own, call, signal))
      if (answer.status !== 200) throw failureOf(answer, host, wish, this.#clock.now())
      const parsed = shape.safeParse(answer.body)
      if (!parsed.success) throw strangeAnswer(host, wish)
      this.#awayUntil = Number.NEGATIVE_INFINITY
      return parsed.data
    } catch (error) {
      if (isAway(error)) this.#awayUntil = this.#clock.monotonic() + blueskyAppViewPauseMs
      throw error
    }
  }

  /** Undefined while it is away: for what can be had without it, or be done without. */
  async queryIfThere<Shape extends z.ZodType>(
    call: XrpcCall,
    shape: Shape,
    wish: string,
    signal?: AbortSignal,
  ): Promise<z.output<Shape> | undefined> {
    if (this.#clock.monotonic() < this.#awayUntil) return undefined
    try {
      return await this.query(call, shape, wish, signal)
    } catch (error) {
      if (isAway(error)) return undefined
      throw error
    }
  }

  /** The access token is the account's server's alone: it opens everything. Others get one for this very method. */
  async #ask(own: Xrpc, call: XrpcCall, signal: AbortSignal | undefined): Promise<XrpcAnswer> {
    const token = await this.#grantFor(own.host, call.method, signal)
    try {
      return await own.read(call, token, signal)
    } catch (error) {
      signal?.throwIfAborted()
      throw asFailure(error)
    }
  }

  async #grantFor(host: string, method: string, signal: AbortSignal | undefined): Promise<string> {
    const now = this.#clock.now()
    const known = this.#grants.get(method)
    if (known !== undefined && known.until > now + 60_000) return known.token
    const until = now + blueskyAppViewTokenMs
    const query = { aud: `did:web:${encodeURIComponent(host)}`, lxm: method, exp: Math.floor(until / 1_000) }
    const call = { method: 'com.atproto.server.getServiceAuth', query }
    const { token } = await this.#pds.query(call, granted, `ask ${host}`, signal)
    this.#grants.set(method, { token, until })
    return token
  }
}

function isAway(error: unknown): boolean {
  return error instanceof SocialFailure && error.code === 'network_unavailable'
}
