import { isRecord, recordAt } from '../json/read-json.js'
import { waitMsMax } from '../limits.js'
import { parseJson } from './answer-failure.js'
import type { HttpAnswer } from './http-client.js'

/** How long a forum asks to wait before the next request, ms, in header or body; undefined: it does not say. */
export function waitAskedFor(headers: Headers, body: unknown, now: number): number | undefined {
  const waits = [headerWait(headers.get('retry-after') ?? '', now), bodyWait(body)].filter((wait) => wait !== undefined)
  return waits.length === 0 ? undefined : Math.min(waitMsMax, Math.max(0, ...waits))
}

/** What a forum that asks to slow down holds back, and for how long, ms: the action that was asked for, or all of them. */
export function holdAskedFor(
  { status, headers, text }: HttpAnswer,
  now: number,
): { readonly isForAll: boolean; readonly ms: number } | undefined {
  if (status !== 429) return undefined
  const body = parseJson(text)
  const ms = waitAskedFor(headers, body, now)
  if (ms === undefined) return undefined
  return { isForAll: headers.has('discourse-rate-limit-error-code') || !isRecord(body), ms }
}

/** Seconds, or a date as HTTP writes it. */
function headerWait(header: string, now: number): number | undefined {
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1_000
  const isDate = /^[a-z]{3,9},? /i.test(header)
  const date = isDate ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : date - now
}

function bodyWait(body: unknown): number | undefined {
  const seconds = recordAt(body, 'extras')['wait_seconds']
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1_000 : undefined
}
