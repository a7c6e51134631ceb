import { citedTextMax, retryAfterMsMax } from '../limits.js'
import { errorMessageOf } from './chat-answer.js'
import { AnswerTooLarge, type HttpAnswer } from './http-post.js'
import { redacted } from './redaction.js'
import type { RunError } from './runner.js'

/** What went wrong at a chat endpoint; `host` is shown, never the whole address, as it may hold a password. */
export interface Endpoint {
  readonly host: string
  readonly key: string | undefined
  /** Name of the variable with the key. */
  readonly keyEnv: string | undefined
}

/** An answer that is no success. `now`: UTC ms. */
export function failureOfStatus({ status, headers, body }: HttpAnswer, endpoint: Endpoint, now: number): RunError {
  const { host, keyEnv } = endpoint
  const retryAfterMs = parseRetryAfter(headers['retry-after'], now)
  const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
  const said = cited(errorMessageOf(body), endpoint)
  if (status === 429)
    return { class: 'rate_limited', text: `${host} asks for patience (429)${said}`, transient: true, ...wait }
  if (status === 401 || status === 403) {
    // What it says may cite a part of the key.
    const remedy = keyEnv === undefined ? 'name its key in key_env' : `check the key in ${keyEnv}`
    return { class: 'refused', text: `${host} refused the request (${status}): ${remedy}.`, transient: false }
  }
  if (status >= 300 && status < 400) {
    return { class: 'bad_config', text: `${host} redirects (${status}): correct base_url.`, transient: false }
  }
  if (status >= 500 || status === 408 || status === 425) {
    return { class: 'upstream', text: `${host} failed (${status})${said}`, transient: true, ...wait }
  }
  const remedy = status === 404 ? ' Check base_url and model.' : ''
  return { class: 'refused', text: `${host} refused the request (${status})${said}${remedy}`, transient: false }
}

/** An answer that says 200 and holds none. */
export function failureOfBody(body: string, endpoint: Endpoint): RunError {
  const message = errorMessageOf(body)
  const text =
    message === undefined
      ? `${endpoint.host} answered with something that is no chat completion.`
      : `${endpoint.host} failed${cited(message, endpoint)}`
  return { class: 'upstream', text, transient: true }
}

/** A request that had no answer. */
export function failureOfRequest(error: unknown, endpoint: Endpoint): RunError {
  if (error instanceof AnswerTooLarge) {
    return { class: 'upstream', text: `${endpoint.host}: ${error.message}`, transient: true }
  }
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_INVALID_CHAR') {
    const text = `The key in ${endpoint.keyEnv} has characters that no key has: correct it.`
    return { class: 'bad_config', text, transient: false }
  }
  return {
    class: 'network',
    text: `${endpoint.host} can't be reached${cited(code ?? message, endpoint)}`,
    transient: true,
  }
}

/** Seconds or a date; in ms from now. */
function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  const ms = /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), retryAfterMsMax) : undefined
}

function cited(message: string | undefined, { key }: Endpoint): string {
  if (message === undefined || message.trim() === '') return '.'
  const line = redacted(message, key ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return `: ${line.slice(0, citedTextMax)}`
}
