import type { Clock } from '@callboard/worker/clock'
import type { z } from 'zod'
import { type HttpAnswer, type HttpClient, type HttpRequest, HttpTrouble } from '../../http/http-client.js'
import type { RateState } from '../network-adapter.js'
import { rateStateOf } from './rate-headers.js'
import { type Asked, oddAnswer, type Refusal, refusalFailure, refusalOf, troubleRefusal } from './refusal.js'

export interface MastodonApiOptions {
  readonly baseUrl: string
  readonly accessToken: string
  readonly clock: Clock
  readonly http: HttpClient
}

export type Endpoint = 'search' | 'write' | 'read' | 'media' | 'delete'

/** A list: a name may come several times. */
export type Parameters = { readonly [name: string]: string | readonly string[] | undefined }

export interface ReadOptions {
  readonly endpoint?: Endpoint
  readonly signal?: AbortSignal | undefined
  /** Whether 404 is about one thing, `not_found`; else the server has no such API. */
  readonly mayBeMissing?: boolean
}

/** What became of a write. */
export type Written<Value> =
  | { readonly kind: 'done'; readonly value: Value; readonly status: number }
  /** The server took it, and answered what cannot be read. */
  | { readonly kind: 'odd'; readonly refusal: Refusal }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** No answer. */
  | { readonly kind: 'trouble'; readonly arrived: 'no' | 'perhaps'; readonly refusal: Refusal }

/** One server, as one account: builds requests, reads answers, and remembers the limits that headers tell of. */
export class MastodonApi {
  readonly host: string
  readonly baseUrl: string
  readonly #options: MastodonApiOptions
  readonly #rates = new Map<Endpoint, RateState>()

  constructor(options: MastodonApiOptions) {
    this.#options = options
    this.baseUrl = options.baseUrl.replace(/\/+$/, '')
    this.host = new URL(this.baseUrl).host
  }

  get rates(): readonly RateState[] {
    return [...this.#rates.values()]
  }

  /** Rejects with a SocialFailure. */
  async read<Shape extends z.ZodType>(
    path: string,
    parameters: Parameters,
    shape: Shape,
    { endpoint = 'read', signal, mayBeMissing = false }: ReadOptions = {},
  ): Promise<{ readonly value: z.output<Shape>; readonly status: number; readonly headers: Headers }> {
    const answer = await this.#answerOf(path, parameters, endpoint, signal)
    if (answer.status < 200 || answer.status > 299) throw this.#failure(this.#refused(answer, mayBeMissing))
    const value = parsed(answer, shape)
    if (value === undefined) throw this.#failure(oddAnswer(answer, this.#asked))
    return { value, status: answer.status, headers: answer.headers }
  }

  /** Sends once. Rejects with `signal.reason` alone. */
  async write<Shape extends z.ZodType>(
    request: Omit<HttpRequest, 'url'> & { readonly path: string; readonly endpoint: Endpoint },
    shape: Shape,
    signal?: AbortSignal,
  ): Promise<Written<z.output<Shape>>> {
    const { path, endpoint, headers, ...rest } = request
    try {
      const answer = await this.#options.http.send(
        { ...rest, url: this.#url(path, {}), headers: { ...this.#authorization, ...headers } },
        signal,
      )
      this.#noteRate(endpoint, answer)
      if (answer.status < 200 || answer.status > 299)
        return { kind: 'refused', refusal: refusalOf(answer, this.#asked) }
      const value = parsed(answer, shape)
      if (value === undefined) return { kind: 'odd', refusal: oddAnswer(answer, this.#asked) }
      return { kind: 'done', value, status: answer.status }
    } catch (error) {
      if (!(error instanceof HttpTrouble)) throw error
      const arrived = error.kind === 'refused' ? 'no' : 'perhaps'
      return { kind: 'trouble', arrived, refusal: troubleRefusal(error) }
    }
  }

  async #answerOf(path: string, parameters: Parameters, endpoint: Endpoint, signal: AbortSignal | undefined) {
    try {
      const url = this.#url(path, parameters)
      const answer = await this.#options.http.read({ url, headers: this.#authorization }, signal)
      this.#noteRate(endpoint, answer)
      return answer
    } catch (error) {
      if (error instanceof HttpTrouble) throw this.#failure(troubleRefusal(error))
      throw error
    }
  }

  #refused(answer: HttpAnswer, mayBeMissing: boolean): Refusal {
    const refusal = refusalOf(answer, this.#asked)
    return refusal.code === 'not_found' && !mayBeMissing ? oddAnswer(answer, this.#asked) : refusal
  }

  #url(path: string, parameters: Parameters): string {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(parameters)) {
      for (const each of typeof value === 'string' ? [value] : (value ?? [])) query.append(name, each)
    }
    return `${this.baseUrl}${path}${query.size === 0 ? '' : `?${query}`}`
  }

  get #authorization() {
    return { authorization: `Bearer ${this.#options.accessToken}`, accept: 'application/json' }
  }

  get #asked(): Asked {
    return { host: this.host, accessToken: this.#options.accessToken, now: this.#options.clock.now() }
  }

  #failure(refusal: Refusal) {
    return refusalFailure(refusal, this.#options.clock.now())
  }

  #noteRate(endpoint: Endpoint, { headers }: HttpAnswer): void {
    const state = rateStateOf(endpoint, headers)
    if (state !== undefined) this.#rates.set(endpoint, state)
  }
}

/** Undefined for whatever is not the shape. */
function parsed<Shape extends z.ZodType>({ text, isWhole }: HttpAnswer, shape: Shape): z.output<Shape> | undefined {
  if (!isWhole) return undefined
  try {
    const result = shape.safeParse(JSON.parse(text))
    return result.success ? result.data : undefined
  } catch {
    return undefined
  }
}
