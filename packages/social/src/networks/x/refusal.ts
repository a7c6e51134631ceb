import type { ErrorCode } from '../../envelope/error-codes.js'
import type { HttpAnswer } from '../../http/http-client.js'
import { xRateWindowMs, xRefusalTextMax } from '../../limits.js'
import { problemAnswer } from './answers.js'

/** What X says no with. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable?: boolean
  /** UTC ms at which X lets us in again. */
  readonly resetsAt?: number
}

/** Of an answer that is none of 2xx. `clean` takes secrets out of X's own words, which are shown. Pure. */
export function refusalOf(answer: HttpAnswer, now: number, clean: (text: string) => string): Refusal {
  const { status, headers } = answer
  const words = wordsOf(answer)
  const said = words === '' ? '' : ` X says: ${clean(words).slice(0, xRefusalTextMax)}`
  if (status === 401) {
    return {
      code: 'network_auth_expired',
      message: 'X no longer lets us in: an operator authorises the account again.',
    }
  }
  if (status === 402) {
    return {
      code: 'network_forbidden',
      message: 'The credits for the API of X are used up: an operator buys new ones.',
    }
  }
  if (status === 403) return forbidden(words, said)
  if (status === 429) {
    const resetsAt = resetOf(headers, now)
    return { code: 'network_rate_limited', message: 'X takes no more requests of this kind for now.', resetsAt }
  }
  if (status === 404 || isGone.test(words)) return { code: 'not_found', message: 'X has no such post or account.' }
  if (status >= 502 && status <= 504) {
    return { code: 'network_unavailable', message: `X does not answer at the moment (HTTP ${status}).` }
  }
  if (status >= 500) {
    return { code: 'network_api_error', message: `X failed (HTTP ${status}).`, retryable: true }
  }
  return { code: 'network_api_error', message: `X refused the request (HTTP ${status}).${said}` }
}

const isGone = /deleted or not visible/i

function forbidden(words: string, said: string): Refusal {
  if (/duplicate content/i.test(words)) {
    return { code: 'duplicate_content', message: 'X has this text of the account already: write another one.' }
  }
  if (/not been mentioned|reply to this conversation is not allowed|who can reply/i.test(words)) {
    return {
      code: 'reply_not_allowed',
      message: 'X takes a reply only where the author mentions or quotes the account: post it on its own instead.',
    }
  }
  if (isGone.test(words)) return { code: 'not_found', message: 'X has no such post or account.' }
  if (/suspended|locked|temporarily restricted/i.test(words)) {
    return {
      code: 'network_account_restricted',
      message: 'X has suspended or locked the account: an operator logs in there and sees why.',
    }
  }
  return { code: 'network_forbidden', message: `X does not permit this to the account or its app.${said}` }
}

/** All that X tells in words, whichever of its three ways it chose. */
function wordsOf({ text }: HttpAnswer): string {
  const problem = problemAnswer.safeParse(parsedJson(text))
  if (!problem.success) return ''
  const { title, detail, error_description, errors = [] } = problem.data
  const messages = errors.slice(0, 5).map(({ message }) => message)
  return [...new Set([detail ?? title, error_description, ...messages])].filter(Boolean).join(' ')
}

/** Undefined for what is no JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The window's end; where the day's posts are used up, the end of that. */
function resetOf(headers: Headers, now: number): number {
  const daily = ['x-user-limit-24hour', 'x-app-limit-24hour'].filter((name) => headers.get(`${name}-remaining`) === '0')
  const resets = ['x-rate-limit', ...daily].map((name) => secondsOf(headers.get(`${name}-reset`)))
  const latest = Math.max(...resets.filter((time) => time !== undefined))
  return latest > now && latest < now + 2 * 86_400_000 ? latest : now + xRateWindowMs
}

/** UTC ms of Unix seconds. */
export function secondsOf(text: string | null): number | undefined {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : undefined
}
