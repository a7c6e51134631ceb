import type { Clock } from '@callboard/worker/clock'
import { httpBodyBytesMax, httpTimeoutMs, readRetries, readRetryMs } from '../limits.js'

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | Uint8Array | FormData
  readonly timeoutMs?: number
}

export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Headers
  /** Cut at a limit; then {@link isWhole} is false. */
  readonly text: string
  readonly isWhole: boolean
}

/**
 * No answer. `refused`: the request can not have arrived; `lost`: it may have. The message names host and cause, and neither
 * path, query nor token.
 */
export class HttpTrouble extends Error {
  override readonly name = 'HttpTrouble'
  readonly kind: 'refused' | 'lost'

  constructor(kind: 'refused' | 'lost', message: string, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}

/** Requests with a time limit and a size limit. Never follows a redirect: what authorises us would go with it. */
export class HttpClient {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Sends once. Rejects with an HttpTrouble, or with `signal.reason`. */
  async send(request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    const { method = 'GET', url, headers = {}, body, timeoutMs = httpTimeoutMs } = request
    const timeout = new AbortController()
    const ended = new AbortController()
    void this.#clock.sleepUntil(this.#clock.now() + timeoutMs, ended.signal).then(() => timeout.abort())
    const both = signal === undefined ? timeout.signal : AbortSignal.any([timeout.signal, signal])
    try {
      const response = await fetch(url, {
        method,
        redirect: 'manual',
        signal: both,
        ...(await sentOnce(method, body, { 'user-agent': 'callboard-social', ...headers })),
      })
      const { text, isWhole } = await readBody(response)
      return { status: response.status, headers: response.headers, text, isWhole }
    } catch (error) {
      signal?.throwIfAborted()
      throw troubleOf(error, url, timeout.signal.aborted ? timeoutMs : undefined)
    } finally {
      ended.abort()
    }
  }

  /** For reads alone: again, twice, after no answer or 502, 503, 504 without a word of when to come back. */
  async read(request: HttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    for (let attempt = 0; ; attempt++) {
      const isLast = attempt === readRetries
      try {
        const answer = await this.send(request, signal)
        if (isLast || !mayPass(answer)) return answer
      } catch (error) {
        if (isLast || !(error instanceof HttpTrouble)) throw error
      }
      await this.#clock.sleepUntil(this.#clock.now() + readRetryMs * 2 ** attempt, signal)
      signal?.throwIfAborted()
    }
  }
}

function mayPass({ status, headers }: HttpAnswer): boolean {
  return status >= 502 && status <= 504 && !headers.has('retry-after')
}

/**
 * A body that can be read once: any other one, or none, `fetch` would send a second time by itself after status 421. Nothing is
 * asked for twice by a GET.
 */
async function sentOnce(
  method: string,
  body: HttpRequest['body'],
  headers: { readonly [name: string]: string },
): Promise<RequestInit> {
  if (method === 'GET') return { headers }
  const encoded = new Response(body as ConstructorParameters<typeof Response>[0])
  const type = encoded.headers.get('content-type')
  const bytes = await encoded.arrayBuffer()
  return {
    headers: { ...(type !== null && { 'content-type': type }), ...headers, 'content-length': `${bytes.byteLength}` },
    body: new Blob([bytes]).stream(),
    duplex: 'half',
  } as RequestInit
}

async function readBody(response: Response): Promise<{ text: string; isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  if (response.body === null) return { text: '', isWhole: true }
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    if (size > httpBodyBytesMax) return { text: Buffer.concat(chunks).toString('utf8'), isWhole: false }
    chunks.push(chunk)
  }
  return { text: Buffer.concat(chunks).toString('utf8'), isWhole: true }
}

/** The request never left, or met nobody: whatever it asked for did not happen. */
const nobodyThere = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_INVALID_URL',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** `timeoutMs` when that is what ended it. */
function troubleOf(error: unknown, url: string, timeoutMs: number | undefined): HttpTrouble {
  const host = URL.canParse(url) ? new URL(url).host : 'the server'
  if (timeoutMs !== undefined)
    return new HttpTrouble('lost', `${host} did not answer within ${timeoutMs / 1000} s`, error)
  // Its message would show the header, which may be a token.
  if (isBadRequest(error)) return new HttpTrouble('refused', `a request to ${host} could not be made`)
  const code = wordIn(error, 'code')
  const isConnecting = wordIn(error, 'syscall') === 'connect'
  if (code !== undefined && (isConnecting || nobodyThere.has(code)))
    return new HttpTrouble('refused', `${host} can not be reached (${code})`, error)
  return new HttpTrouble(
    'lost',
    `the connection to ${host} ended before an answer came${code === undefined ? '' : ` (${code})`}`,
    error,
  )
}

/** What `fetch` throws before it sends: a TypeError of its own, not one about what happened to the connection. */
function isBadRequest(error: unknown): boolean {
  return error instanceof TypeError && error.cause === undefined && error.message !== 'terminated'
}

function wordIn(error: unknown, name: 'code' | 'syscall'): string | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const word = name in each ? Reflect.get(each, name) : undefined
    if (typeof word === 'string') return word
  }
  return undefined
}
