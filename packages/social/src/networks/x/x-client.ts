import type { z } from 'zod'
import { failure, type SocialFailure } from '../../envelope/failure.js'
import type { Foundation } from '../../foundation.js'
import { type HttpAnswer, type HttpClient, type HttpRequest, HttpTrouble } from '../../http/http-client.js'
import type { RateState } from '../network-adapter.js'
import { parsedJson, type Refusal, refusalOf, secondsOf } from './refusal.js'
import type { Reservation, Spending, Spent } from './spending.js'
import type { XSession } from './x-session.js'

export interface XClientOptions extends Pick<Foundation, 'clock'> {
  readonly http: HttpClient
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly session: XSession
  /** Absent where requests are free. */
  readonly spending?: Spending
}

export interface XRead<Schema extends z.ZodType> {
  /** `search`, `mentions`, `posts`, `account`: names it in the books and in `rates`. */
  readonly endpoint: string
  /** Begins with a slash. */
  readonly path: string
  readonly query?: { readonly [name: string]: string | number | undefined }
  readonly schema: Schema
  /** At most. */
  readonly estimate: Spent
  /** What the answer did cost. */
  readonly costOf: (answer: z.output<Schema>) => Spent
}

export interface XWrite {
  readonly method: 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly endpoint: string
  readonly cost: number
}

/** How a request that changes something ended. */
export type XWritten =
  | {
      readonly kind: 'answered'
      readonly answer: HttpAnswer
      /** X refused the token, and there is another one now. */
      readonly isRenewed: boolean
    }
  /** It can not have arrived. */
  | { readonly kind: 'refused'; readonly message: string }
  /** It may have arrived. */
  | { readonly kind: 'lost'; readonly message: string }

const free: Spent = { units: 0, cost: 0 }

/** Requests with a login, within the budget. No message holds a token. */
export class XClient {
  readonly #options: XClientOptions
  readonly #rates = new Map<string, RateState>()

  constructor(options: XClientOptions) {
    this.#options = options
  }

  get rates(): readonly RateState[] {
    return [...this.#rates.values()]
  }

  /** Throws a failure `network_*`, or `policy_denied_rate_limited` when the day's budget is used up. */
  async read<Schema extends z.ZodType>(read: XRead<Schema>, signal?: AbortSignal): Promise<z.output<Schema>> {
    const reservation = await this.#reserve(read.endpoint, read.estimate)
    let spent = free
    try {
      const answer = await this.#readAnswer(read, signal)
      if (answer.status !== 200) throw this.failureOf(answer)
      // What can not be read was delivered all the same.
      spent = read.estimate
      const parsed = read.schema.safeParse(answer.isWhole ? parsedJson(answer.text) : undefined)
      if (!parsed.success) throw networkFailure('network_api_error', 'X answered in a shape that is none of its own.')
      spent = read.costOf(parsed.data)
      return parsed.data
    } finally {
      await reservation?.settle(spent)
    }
  }

  /**
   * Sends once, whatever comes. Throws only before it has sent anything: without a login, without budget, or when the signal
   * has aborted.
   */
  async write({ method, path, body, endpoint, cost }: XWrite, signal?: AbortSignal): Promise<XWritten> {
    const { session, baseUrl } = this.#options
    const token = await session.token(signal)
    const reservation = await this.#reserve(endpoint, { units: 1, cost })
    if (signal?.aborted) {
      await reservation?.settle(free)
      signal.throwIfAborted()
    }
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const request = { method, url: `${baseUrl}${path}`, headers, ...(body && { body: JSON.stringify(body) }) }
    const written = await this.#sendOnce(request, token, signal)
    await this.#settleWrite(reservation, written)
    return written
  }

  refusalOf(answer: HttpAnswer): Refusal {
    const { clock, session } = this.#options
    return refusalOf(answer, clock.now(), (text) => session.clean(text))
  }

  failureOf(answer: HttpAnswer): SocialFailure {
    const { code, message, retryable, resetsAt } = this.refusalOf(answer)
    return failure(code, message, {
      ...(retryable !== undefined && { retryable }),
      ...(resetsAt !== undefined && {
        rateLimitReset: resetsAt,
        retryAfterMs: resetsAt - this.#options.clock.now(),
      }),
      details: { network: 'x', status: answer.status },
    })
  }

  async #sendOnce(request: HttpRequest, token: string, signal: AbortSignal | undefined): Promise<XWritten> {
    const { http, session } = this.#options
    try {
      const answer = await http.send(request, signal)
      this.#noteRates('write', answer)
      const isRenewed = answer.status === 401 && (await session.instead(token, signal).then(isTrue, isFalse))
      return { kind: 'answered', answer, isRenewed }
    } catch (error) {
      if (error instanceof HttpTrouble) return { kind: error.kind, message: `X: ${error.message}.` }
      return { kind: 'lost', message: 'X: stopped before its answer came.' }
    }
  }

  async #readAnswer(read: XRead<z.ZodType>, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const { session } = this.#options
    const token = await session.token(signal)
    const answer = await this.#readOnce(read, token, signal)
    if (answer.status !== 401) return answer
    return await this.#readOnce(read, await session.instead(token, signal), signal)
  }

  async #readOnce(
    { endpoint, path, query = {} }: XRead<z.ZodType>,
    token: string,
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    const { http, baseUrl } = this.#options
    const url = new URL(`${baseUrl}${path}`)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    try {
      const answer = await http.read({ url: url.href, headers: { authorization: `Bearer ${token}` } }, signal)
      this.#noteRates(endpoint, answer)
      return answer
    } catch (error) {
      if (error instanceof HttpTrouble) throw networkFailure('network_unavailable', `X: ${error.message}.`)
      throw error
    }
  }

  async #reserve(endpoint: string, estimate: Spent): Promise<Reservation | undefined> {
    return await this.#options.spending?.reserve(endpoint, estimate)
  }

  /** Money counts as spent unless X said no: the books err on the dear side, and their trouble changes nothing any more. */
  async #settleWrite(reservation: Reservation | undefined, written: XWritten): Promise<void> {
    const status = written.kind === 'answered' ? written.answer.status : undefined
    const isRefused = written.kind === 'refused' || (status !== undefined && status >= 300 && status < 500)
    if (isRefused) await reservation?.settle(free).catch(() => {})
  }

  #noteRates(endpoint: string, { headers }: HttpAnswer): void {
    const [limit, remaining] = ['limit', 'remaining'].map((name) => numberOf(headers.get(`x-rate-limit-${name}`)))
    const resetsAt = secondsOf(headers.get('x-rate-limit-reset'))
    if (limit === undefined || remaining === undefined || resetsAt === undefined) return
    this.#rates.set(endpoint, { endpoint, limit, remaining, resetsAt })
  }
}

const isTrue = () => true
const isFalse = () => false

function numberOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function networkFailure(code: 'network_api_error' | 'network_unavailable', message: string): SocialFailure {
  return failure(code, message, { details: { network: 'x' } })
}
