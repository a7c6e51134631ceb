import type { ModelAnswer, ModelRequest } from './language-model.js'

export interface Tokens {
  readonly input: number
  readonly output: number
}

/** What an endpoint answered to a question, as far as it could be read. */
export interface ReadAnswer {
  /** Undefined when there is none in it. */
  readonly answer: ModelAnswer | undefined
  readonly tokens: Tokens
  /** The model would not answer. */
  readonly isRefusal: boolean
}

/** How one family of endpoints is talked to. Paths are below the base URL. */
export interface Dialect {
  readonly questionPath: string
  readonly modelsPath: string
  headers(key: string | undefined): { readonly [name: string]: string }
  /** JSON. */
  body(model: string, request: ModelRequest): { readonly [key: string]: unknown }
  read(body: string): ReadAnswer
}

const noTokens: Tokens = { input: 0, output: 0 }
export const noAnswer: ReadAnswer = { answer: undefined, tokens: noTokens, isRefusal: false }
