import { blueskyRetryAfterMsMax } from '../../limits.js'
import type { RateState } from '../network-adapter.js'

/** `RateLimit-Limit`, `-Remaining` and `-Reset` (Unix seconds); undefined where they are missing or none. */
export function rateIn(headers: Headers, endpoint: string): RateState | undefined {
  const limit = numberIn(headers, 'ratelimit-limit')
  const remaining = numberIn(headers, 'ratelimit-remaining')
  const reset = numberIn(headers, 'ratelimit-reset')
  if (limit === undefined || remaining === undefined || reset === undefined) return undefined
  return { endpoint, limit, remaining, resetsAt: reset * 1_000 }
}

/** How long the server wants to be left alone; undefined when it does not say. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const time = resetOf(headers, now)
  return time === undefined ? undefined : Math.min(Math.max(0, time - now), blueskyRetryAfterMsMax)
}

function resetOf(headers: Headers, now: number): number | undefined {
  const seconds = numberIn(headers, 'retry-after')
  if (seconds !== undefined) return now + seconds * 1_000
  const date = Date.parse(headers.get('retry-after') ?? '')
  if (!Number.isNaN(date)) return date
  const reset = numberIn(headers, 'ratelimit-reset')
  return reset === undefined ? undefined : reset * 1_000
}

function numberIn(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)?.trim() ?? ''
  return /^\d{1,11}$/.test(text) ? Number(text) : undefined
}
