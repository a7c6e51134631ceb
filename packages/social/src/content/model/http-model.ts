import type { Clock } from '@callboard/worker/clock'
import type { SocialFailure } from '../../envelope/failure.js'
import { type HttpAnswer, type HttpClient, HttpTrouble } from '../../http/http-client.js'
import { modelCheckMs, modelTextMax, modelTimeoutMs } from '../../limits.js'
import type { Dialect, Tokens } from './dialect.js'
import type { LanguageModel, ModelAnswer, ModelCheck, ModelRequest } from './language-model.js'
import { type Endpoint, errorMessageOf, failureOfAnswer, failureOfStatus, failureOfTrouble } from './model-failures.js'
import { listsModel } from './models-list.js'

export interface HttpModelOptions extends Endpoint {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly model: string
  readonly dialect: Dialect
  readonly clock: Clock
  readonly http: HttpClient
  /** Told of every question that was answered, whether the answer was of use or not. Never rejects. */
  readonly spent: (request: ModelRequest, tokens: Tokens) => Promise<void>
}

/** A model behind an address. */
export class HttpModel implements LanguageModel {
  readonly #options: HttpModelOptions
  /** Parameters that this model has refused to take: a newer one than our way of asking. */
  readonly #refused = new Set<Negotiable>()
  #known: { readonly at: number; readonly check: Promise<ModelCheck> } | undefined

  constructor(options: HttpModelOptions) {
    this.#options = options
  }

  async ask(request: ModelRequest, signal?: AbortSignal): Promise<ModelAnswer> {
    const { dialect, spent } = this.#options
    const response = await this.#question(request, signal)
    const { answer, tokens, isRefusal } = dialect.read(response.text)
    await spent(request, tokens)
    if (isRefusal) throw failureOfAnswer('would not write this: its model refused.', this.#options)
    if (answer !== undefined) return bounded(answer)
    const problem = response.isWhole ? 'is no answer of a model' : 'is too large'
    throw failureOfAnswer(`answered with something that ${problem}: check social.llm.base_url.`, this.#options)
  }

  check(): Promise<ModelCheck> {
    const now = this.#options.clock.monotonic()
    if (this.#known === undefined || now - this.#known.at >= modelCheckMs) {
      this.#known = { at: now, check: this.#list() }
    }
    return this.#known.check
  }

  /** Asked anew when a parameter is refused: nothing has been generated then, and nothing spent. */
  async #question(request: ModelRequest, signal: AbortSignal | undefined): Promise<HttpAnswer> {
    const { dialect, clock } = this.#options
    for (;;) {
      const body = JSON.stringify(this.#body(request))
      const answer = await this.#send('POST', dialect.questionPath, body, signal)
      if (answer.status >= 200 && answer.status < 300) return answer
      const refused = answer.status === 400 ? refusedParameter(answer.text) : undefined
      if (refused === undefined || this.#refused.has(refused)) throw failureOfStatus(answer, this.#options, clock.now())
      this.#refused.add(refused)
    }
  }

  #body(request: ModelRequest): object {
    const { dialect, model } = this.#options
    const { temperature, max_tokens, ...rest } = dialect.body(model, request)
    return {
      ...rest,
      ...(!this.#refused.has('temperature') && { temperature }),
      ...(this.#refused.has('max_tokens') ? { max_completion_tokens: max_tokens } : { max_tokens }),
    }
  }

  async #send(method: 'GET' | 'POST', path: string, body?: string, signal?: AbortSignal): Promise<HttpAnswer> {
    const { baseUrl, dialect, http, key } = this.#options
    try {
      return await http.send(
        {
          method,
          url: `${baseUrl}${path}`,
          headers: {
            accept: 'application/json',
            ...(body !== undefined && { 'content-type': 'application/json' }),
            ...dialect.headers(key),
          },
          ...(body !== undefined && { body }),
          timeoutMs: modelTimeoutMs,
        },
        signal,
      )
    } catch (error) {
      throw error instanceof HttpTrouble ? failureOfTrouble(error, this.#options) : error
    }
  }

  async #list(): Promise<ModelCheck> {
    const { dialect, clock, host, model } = this.#options
    try {
      const answer = await this.#send('GET', dialect.modelsPath)
      if (answer.status < 200 || answer.status > 299) throw failureOfStatus(answer, this.#options, clock.now())
      const isListed = listsModel(answer.text, model)
      if (isListed === undefined) throw failureOfAnswer('answered with no list of models.', this.#options)
      // Many accept names that they do not list.
      const message = isListed
        ? `${host} has ${model}.`
        : `${host} answers; ${model} is not among the models that it lists.`
      return { status: 'ok', message }
    } catch (error) {
      return { status: 'error', message: (error as SocialFailure).message }
    }
  }
}

function bounded({ text, isCut }: ModelAnswer): ModelAnswer {
  return { text: text.slice(0, modelTextMax), isCut: isCut || text.length > modelTextMax }
}

const negotiable = ['max_tokens', 'temperature'] as const
type Negotiable = (typeof negotiable)[number]

/** Newer models want another name for the first, and the second left out; they say so by its name. */
function refusedParameter(text: string): Negotiable | undefined {
  const message = errorMessageOf(text) ?? ''
  if (!/unsupported|not support|deprecated|not permitted|unrecognized|unknown/i.test(message)) return undefined
  return negotiable.find((name) => new RegExp(`\\b${name}\\b`).test(message))
}
