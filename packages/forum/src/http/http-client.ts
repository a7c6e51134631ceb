import type { Clock } from '@callboard/worker/clock'
import { answerBytesMax } from '../limits.js'

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body?: Uint8Array
  readonly timeoutMs: number
}

export interface HttpAnswer {
  readonly status: number
  readonly headers: Headers
  /** Cut at the limit; then {@link isWhole} is false. */
  readonly text: string
  /** UTF-8 bytes that were read. */
  readonly bytes: number
  readonly isWhole: boolean
}

/**
 * No answer, or none to its end. `refused`: the request can not have arrived; `lost`: it may have; `late`: it may have, and its
 * time was over. The message names host and cause, and neither path, query nor header.
 */
export class HttpTrouble extends Error {
  override readonly name = 'HttpTrouble'
  readonly kind: 'refused' | 'lost' | 'late'
  /** Where the answer had begun. */
  readonly status: number | undefined

  constructor(kind: 'refused' | 'lost' | 'late', message: string, status?: number, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
    this.status = status
  }
}

/** Requests with a time limit and a size limit. Never follows a redirect: what authorises us would go with it. */
export class HttpClient {
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Sends once. Rejects with an HttpTrouble, or with `signal.reason`. */
  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    signal.throwIfAborted()
    const { method, url, headers, body = new Uint8Array(), timeoutMs } = request
    const timeout = new AbortController()
    const ended = new AbortController()
    void this.#clock.sleepUntil(this.#clock.now() + timeoutMs, ended.signal).then(() => timeout.abort())
    let status: number | undefined
    try {
      const response = await fetch(url, {
        method,
        headers: { ...headers, ...(method !== 'GET' && { 'content-length': `${body.byteLength}` }) },
        redirect: 'manual',
        signal: AbortSignal.any([timeout.signal, signal]),
        ...(method !== 'GET' && { body: onlyOnce(body), duplex: 'half' }),
      })
      status = response.status
      return { status, headers: response.headers, ...(await readBody(response)) }
    } catch (error) {
      signal.throwIfAborted()
      throw troubleOf(error, url, status, timeout.signal.aborted ? timeoutMs : undefined)
    } finally {
      ended.abort()
    }
  }
}

/** A body that can be read once: any other one, or none, `fetch` would send a second time by itself after status 421. */
function onlyOnce(body: Uint8Array): NonNullable<RequestInit['body']> {
  return new Blob([body as Uint8Array<ArrayBuffer>]).stream() as unknown as NonNullable<RequestInit['body']>
}

async function readBody(response: Response): Promise<{ text: string; bytes: number; isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  let isWhole = true
  if (response.body !== null) {
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength
      isWhole = bytes <= answerBytesMax
      // Leaving the loop closes the connection.
      if (!isWhole) break
      chunks.push(chunk)
    }
  }
  return { text: Buffer.concat(chunks).toString('utf8'), bytes, isWhole }
}

/** The request never left, or met nobody: whatever it asked for did not happen. */
const nobodyThere = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ERR_INVALID_URL',
  'UND_ERR_CONNECT_TIMEOUT',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

/** `timeoutMs` when that is what ended it. */
function troubleOf(error: unknown, url: string, status: number | undefined, timeoutMs: number | undefined) {
  const host = URL.canParse(url) ? new URL(url).host : 'the server'
  if (timeoutMs !== undefined) {
    return new HttpTrouble('late', `the host ${host} did not answer within ${timeoutMs / 1_000} s`, status, error)
  }
  // Its message would show the header, which may be a key.
  if (isBadRequest(error)) return new HttpTrouble('refused', `a request to ${host} could not be made`)
  if (isBlockedPort(error)) {
    return new HttpTrouble(
      'refused',
      `The port of ${host} belongs to another protocol, and is never asked`,
      undefined,
      error,
    )
  }
  const code = codeOf(error)
  if (status === undefined && code !== undefined && (isAboutConnecting(error) || nobodyThere.has(code))) {
    return new HttpTrouble('refused', `The host ${host} can not be reached (${code})`, undefined, error)
  }
  const when = status === undefined ? 'before an answer came' : 'in the middle of the answer'
  const why = code === undefined ? '' : ` (${code})`
  return new HttpTrouble('lost', `the connection to ${host} ended ${when}${why}`, status, error)
}

/** What `fetch` throws before it sends: a TypeError of its own, not one about what happened to the connection. */
function isBadRequest(error: unknown): boolean {
  return error instanceof TypeError && error.cause === undefined && error.message !== 'terminated'
}

/** Ports of mail, printers and others, which `fetch` refuses before it connects; it gives no code for that. */
function isBlockedPort(error: unknown): boolean {
  return error instanceof TypeError && error.cause instanceof Error && error.cause.message === 'bad port'
}

/** Also where several addresses of a name were tried, which makes one error of many. */
function isAboutConnecting(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isAboutConnecting)
  if (!(error instanceof Error)) return false
  return ('syscall' in error && error.syscall === 'connect') || isAboutConnecting(error.cause)
}

function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  return 'code' in error && typeof error.code === 'string' ? error.code : codeOf(error.cause)
}
