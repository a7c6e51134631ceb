import { z } from 'zod'
import { failure, type SocialFailure } from '../../envelope/failure.js'
import type { HttpAnswer, HttpTrouble } from '../../http/http-client.js'
import { modelOverloadedRetryMs, modelRetryMs, modelRetryMsMax, modelWordsMax } from '../../limits.js'
import { parseJson } from './parse-json.js'

/** Who was asked, for messages; the key is known so that it can be kept out of them. */
export interface Endpoint {
  readonly provider: string
  readonly host: string
  readonly key: string | undefined
}

/** An answer that is no success. `now`: UTC ms. */
export function failureOfStatus({ status, headers, text }: HttpAnswer, endpoint: Endpoint, now: number): SocialFailure {
  const { provider, host } = endpoint
  const details = { provider, status }
  if (status === 429 || status >= 500) {
    const retryAfterMs = retryAfter(headers.get('retry-after'), now) ?? usualWait(status)
    const what = status === 429 ? 'asks for patience (429)' : `failed (${status})`
    const message = `${host} ${what}${said(text, endpoint)} Try again later.`
    return failure('llm_error', message, { retryable: true, retryAfterMs, details })
  }
  // 408: it gave up waiting, which is a timeout by another name.
  if (status === 408) return failure('llm_error', `${host} did not answer in time (408).`, { retryable: true, details })
  return failure('llm_error', `${host} ${refusal(status, text, endpoint)}`, { retryable: false, details })
}

export function failureOfTrouble({ message }: HttpTrouble, { provider }: Endpoint): SocialFailure {
  return failure('llm_error', `${message}.`, { retryable: true, details: { provider } })
}

/** It said 200, and no text is in it. */
export function failureOfAnswer(why: string, { provider, host }: Endpoint): SocialFailure {
  return failure('llm_error', `${host} ${why}`, { retryable: false, details: { provider } })
}

function refusal(status: number, text: string, endpoint: Endpoint): string {
  // What it says here may cite a part of the key.
  if (status === 401 || status === 403)
    return `refused the key (${status}): an operator has to check social.llm.api_key.`
  if (status < 400) return `redirects (${status}): an operator has to correct social.llm.base_url.`
  const remedy = status === 404 ? ' An operator has to check social.llm.base_url and social.llm.model.' : ''
  return `refused the request (${status})${said(text, endpoint)}${remedy}`
}

function usualWait(status: number): number {
  return status === 529 ? modelOverloadedRetryMs : modelRetryMs
}

/** Seconds or a date; in ms from now. */
function retryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1_000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), modelRetryMsMax) : undefined
}

/** `: model not found.`, or only the full stop. */
function said(text: string, { key }: Endpoint): string {
  const message = errorMessageOf(text)
  if (message === undefined) return '.'
  const clean = key === undefined ? message : message.replaceAll(key, '[redacted]')
  const line = clean.replaceAll(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim()
  if (line === '') return '.'
  return `: ${line.slice(0, modelWordsMax).trimEnd()}${/[.!?]$/.test(line) ? '' : '.'}`
}

const errorSchema = z.looseObject({
  error: z.union([z.string(), z.looseObject({ message: z.string(), param: z.string().nullish().catch(undefined) })]),
})

/** `{"error": {"message"}}`, `{"error": "…"}`, or nothing that is known. */
export function errorMessageOf(text: string): string | undefined {
  const error = errorSchema.safeParse(parseJson(text)).data?.error
  return typeof error === 'string' ? error : error?.message
}
