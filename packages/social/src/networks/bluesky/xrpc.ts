import type { HttpAnswer, HttpClient, HttpRequest } from '../../http/http-client.js'
import { blueskyWordsMax } from '../../limits.js'

type QueryValue = string | number | readonly string[] | undefined

export interface XrpcCall {
  /** `com.atproto.repo.putRecord`. */
  readonly method: string
  readonly query?: { readonly [name: string]: QueryValue }
  /** POST, as JSON. */
  readonly input?: object
  /** POST, as it is. */
  readonly file?: { readonly mime: string; readonly bytes: Uint8Array }
  /** POST without a body. */
  readonly isProcedure?: boolean
}

export interface XrpcAnswer {
  readonly status: number
  readonly headers: Headers
  /** Undefined when it was no JSON, or cut. */
  readonly body: unknown
  /** The name of what is wrong, as the server gives it: `InvalidSwap`. */
  readonly error: string
  /** The server's own words in one line, without tokens; a stranger's. */
  readonly words: string
}

/** Calls of one server, with whichever token. Rejects with an HttpTrouble. */
export class Xrpc {
  readonly host: string
  readonly #http: Pick<HttpClient, 'send' | 'read'>
  readonly #baseUrl: string

  constructor(http: Pick<HttpClient, 'send' | 'read'>, baseUrl: string) {
    this.#http = http
    this.#baseUrl = `${baseUrl.replace(/\/+$/, '')}/xrpc/`
    this.host = new URL(baseUrl).host
  }

  /** Once. */
  async send(call: XrpcCall, token?: string, signal?: AbortSignal): Promise<XrpcAnswer> {
    return answerOf(await this.#http.send(this.#request(call, token), signal))
  }

  /** Again after no answer: for what changes nothing. */
  async read(call: XrpcCall, token?: string, signal?: AbortSignal): Promise<XrpcAnswer> {
    return answerOf(await this.#http.read(this.#request(call, token), signal))
  }

  #request({ method, query = {}, input, file, isProcedure = false }: XrpcCall, token: string | undefined): HttpRequest {
    const url = `${this.#baseUrl}${method}${searchOf(query)}`
    const headers = { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
    if (file !== undefined)
      return { method: 'POST', url, headers: { ...headers, 'content-type': file.mime }, body: file.bytes }
    if (input === undefined) return { method: isProcedure ? 'POST' : 'GET', url, headers }
    return {
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    }
  }
}

function searchOf(query: NonNullable<XrpcCall['query']>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const each of typeof value === 'object' ? value : [value]) search.append(name, String(each))
  }
  return search.size === 0 ? '' : `?${search}`
}

function answerOf({ status, headers, text, isWhole }: HttpAnswer): XrpcAnswer {
  const body = isWhole ? parsed(text) : undefined
  const { error, message } = (typeof body === 'object' && body !== null ? body : {}) as { [key: string]: unknown }
  return { status, headers, body, error: wordsIn(error), words: wordsIn(message) }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A server that repeats what it was sent must not put a token into our messages. */
function wordsIn(value: unknown): string {
  if (typeof value !== 'string') return ''
  return value
    .slice(0, blueskyWordsMax * 4)
    .replace(/[\w-]{8,}\.[\w-]{8,}\.[\w-]+/g, '(token)')
    .replace(/\b[a-z2-7]{4}(-[a-z2-7]{4}){3}\b/g, '(password)')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .slice(0, blueskyWordsMax)
    .trim()
}
