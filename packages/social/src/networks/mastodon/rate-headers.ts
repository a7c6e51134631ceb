import type { RateState } from '../network-adapter.js'

/** `X-RateLimit-*`, whose reset is an ISO time; undefined where they are missing or make no sense. */
export function rateStateOf(endpoint: string, headers: Headers): RateState | undefined {
  const limit = wholeNumber(headers.get('x-ratelimit-limit'))
  const remaining = wholeNumber(headers.get('x-ratelimit-remaining'))
  const resetsAt = Date.parse(headers.get('x-ratelimit-reset') ?? '')
  if (limit === undefined || remaining === undefined || Number.isNaN(resetsAt)) return undefined
  return { endpoint, limit, remaining, resetsAt }
}

/** UTC ms at which a server that sends us away lets us in again. */
export function comeBackAt(headers: Headers, now: number): number | undefined {
  const seconds = wholeNumber(headers.get('retry-after'))
  if (seconds !== undefined) return now + seconds * 1_000
  const reset = Date.parse(headers.get('x-ratelimit-reset') ?? '')
  return Number.isNaN(reset) ? undefined : Math.max(now, reset)
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined
}
