import type { Clock } from '@callboard/worker/clock'
import { z } from 'zod'
import { failure, type SocialFailure } from '../../envelope/failure.js'
import { blueskyTokenMax } from '../../limits.js'
import { asFailure, failureOf, isTokenRefusal, strangeAnswer } from './bluesky-failure.js'
import { isDid } from './identifiers.js'
import { LoginGate } from './login-gate.js'
import { expiryOf } from './token-expiry.js'
import type { Xrpc, XrpcAnswer } from './xrpc.js'

const token = z
  .string()
  .max(blueskyTokenMax)
  .regex(/^[\x21-\x7e]+$/)
const answered = z.object({
  accessJwt: token,
  refreshJwt: token,
  did: z.string().refine(isDid),
  handle: z.string().max(253),
  active: z.boolean().optional(),
})

export interface Identity {
  readonly did: string
  readonly handle: string
}

interface Tokens extends Identity {
  readonly accessJwt: string
  readonly refreshJwt: string
}

export interface SessionOptions {
  readonly xrpc: Xrpc
  readonly clock: Clock
  readonly handle: string
  readonly appPassword: string
}

/** One login, kept fresh. What is thrown is a SocialFailure, or the reason of an aborted signal. */
export class BlueskySession {
  readonly #xrpc: Xrpc
  readonly #clock: Clock
  readonly #identifier: string
  readonly #appPassword: string
  readonly #gate: LoginGate
  #tokens: Tokens | undefined
  /** Callers that come at a time share it. */
  #coming: Promise<Tokens> | undefined

  constructor({ xrpc, clock, handle, appPassword }: SessionOptions) {
    this.#xrpc = xrpc
    this.#clock = clock
    this.#identifier = handle.trim().replace(/^@/, '')
    this.#appPassword = appPassword
    this.#gate = new LoginGate(clock)
  }

  /** Who we are; logs in where nobody has. */
  async identity(signal?: AbortSignal): Promise<Identity> {
    return this.#current(signal)
  }

  /**
   * Has a call made with the access token, and once more with a fresh one when it was refused: nothing has happened then, so
   * that a write may be repeated. Rejects with what `call` does.
   */
  async authorized(call: (accessJwt: string) => Promise<XrpcAnswer>, signal?: AbortSignal): Promise<XrpcAnswer> {
    const tokens = await this.#current(signal)
    const answer = await call(tokens.accessJwt)
    if (!isTokenRefusal(answer)) return answer
    const fresh = await this.#instead(tokens, signal)
    return call(fresh.accessJwt)
  }

  /** A fresh access token if the one at hand ends before that time (UTC ms). Nothing before the first login. */
  async renewBefore(time: number, signal?: AbortSignal): Promise<void> {
    const tokens = this.#tokens
    if (tokens === undefined || (expiryOf(tokens.accessJwt) ?? Number.POSITIVE_INFINITY) >= time) return
    await this.#instead(tokens, signal)
  }

  #current(signal: AbortSignal | undefined): Promise<Tokens> {
    return this.#tokens === undefined ? this.#get(() => this.#login(), signal) : Promise.resolve(this.#tokens)
  }

  #instead(old: Tokens, signal: AbortSignal | undefined): Promise<Tokens> {
    if (this.#tokens !== undefined && this.#tokens !== old) return Promise.resolve(this.#tokens)
    return this.#get(() => this.#refresh(old), signal)
  }

  /** A caller who gives up leaves it to the others; it ends by its own time limit. */
  async #get(how: () => Promise<Tokens>, signal: AbortSignal | undefined): Promise<Tokens> {
    signal?.throwIfAborted()
    this.#coming ??= how().finally(() => {
      this.#coming = undefined
    })
    return unlessAborted(this.#coming, signal)
  }

  async #refresh(old: Tokens): Promise<Tokens> {
    const answer = await this.#send({ method: 'com.atproto.server.refreshSession', isProcedure: true }, old.refreshJwt)
    if (answer.status === 200) return this.#keep(answer)
    if (answer.status >= 500 || answer.status === 429) throw this.#failureOf(answer)
    this.#tokens = undefined
    return this.#login()
  }

  async #login(): Promise<Tokens> {
    this.#gate.enter()
    const input = { identifier: this.#identifier, password: this.#appPassword }
    const answer = await this.#send({ method: 'com.atproto.server.createSession', input })
    if (answer.status === 200) {
      const tokens = this.#keep(answer)
      this.#gate.succeed()
      return tokens
    }
    const why = this.#refusalOf(answer)
    if (answer.status < 500) this.#gate.refuse(why)
    throw why
  }

  #send(call: Parameters<Xrpc['send']>[0], jwt?: string): Promise<XrpcAnswer> {
    return this.#xrpc.send(call, jwt).catch((error) => {
      throw asFailure(error)
    })
  }

  #keep(answer: XrpcAnswer): Tokens {
    const parsed = answered.safeParse(answer.body)
    if (!parsed.success) throw strangeAnswer(this.#xrpc.host, 'log in')
    this.#tokens = parsed.data
    return parsed.data
  }

  #refusalOf(answer: XrpcAnswer): SocialFailure {
    const why = this.#failureOf(answer)
    const isPassword = answer.error === 'AuthenticationRequired' || answer.error === 'AuthFactorTokenRequired'
    if (!isPassword && why.code !== 'network_auth_expired') return why
    return failure(
      'network_auth_expired',
      `${this.#xrpc.host} does not take the app password of ${this.#identifier}. An operator has to make a new one (Settings, App passwords) and set it as social.bluesky.app_password.`,
      { details: { network: 'bluesky', status: answer.status } },
    )
  }

  #failureOf(answer: XrpcAnswer): SocialFailure {
    return failureOf(answer, this.#xrpc.host, 'log in', this.#clock.now())
  }
}

function unlessAborted<Value>(coming: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return coming
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    coming.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
