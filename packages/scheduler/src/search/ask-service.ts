import type { Clock } from '@callboard/worker/clock'
import { searchBytesMax } from '../limits.js'
import type { ServiceAnswer, ServiceRequest } from './search-provider.js'

/** How services are reached. */
export interface Network {
  readonly fetch: typeof globalThis.fetch
  readonly clock: Clock
}

export type Outcome =
  | { readonly kind: 'answered'; readonly answer: ServiceAnswer; readonly retryAfterMs?: number }
  | { readonly kind: 'redirected' }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'too_large' }
  /** `reason`: a code like ECONNREFUSED, never a text that could hold what was sent. */
  | { readonly kind: 'unreachable'; readonly reason: string }

/** One request. Never follows a redirect: the key would go along. Rejects only with the reason of the caller's signal. */
export async function askService(
  request: ServiceRequest,
  network: Network,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Outcome> {
  const timeUp = new AbortController()
  const done = new AbortController()
  const { clock } = network
  const stop = AbortSignal.any([signal, timeUp.signal])
  void clock.sleepUntil(clock.now() + timeoutMs, done.signal).then(() => timeUp.abort())
  try {
    return await exchange(request, network, stop)
  } catch (error) {
    signal.throwIfAborted()
    if (stop.aborted) return { kind: 'timed_out' }
    return { kind: 'unreachable', reason: codeOf(error) }
  } finally {
    done.abort()
  }
}

async function exchange(
  { url, method, headers, body }: ServiceRequest,
  { fetch, clock }: Network,
  signal: AbortSignal,
): Promise<Outcome> {
  const sent = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) } as const
  const response = await fetch(url, sent)
  if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
    await response.body?.cancel()
    return { kind: 'redirected' }
  }
  const text = await boundedText(response)
  if (text === undefined) return { kind: 'too_large' }
  const answer = { status: response.status, contentType: response.headers.get('content-type') ?? '', text }
  const retryAfterMs = retryAfter(response.headers.get('retry-after'), clock.now())
  return { kind: 'answered', answer, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

async function boundedText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop early cancels the rest.
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > searchBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Seconds, or a date. */
function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now
  return ms >= 0 ? Math.round(ms) : undefined
}

function codeOf(error: unknown): string {
  const { cause, code } = error as { readonly cause?: { readonly code?: unknown }; readonly code?: unknown }
  const found = cause?.code ?? code
  return typeof found === 'string' && /^[A-Z_]{2,64}$/.test(found) ? found : 'the connection failed'
}
