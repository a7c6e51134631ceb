import type { ErrorCode } from '../../envelope/error-codes.js'
import { failure, type SocialFailure } from '../../envelope/failure.js'
import type { HttpAnswer, HttpTrouble } from '../../http/http-client.js'
import { serverWordsMax } from '../../limits.js'
import { comeBackAt } from './rate-headers.js'

/** What an answer that is not 2xx, or that nobody understands, means; in words for people, without secrets. */
export interface Refusal {
  readonly code: ErrorCode
  readonly message: string
  /** 0 where there was none. */
  readonly status: number
  /** UTC ms. */
  readonly comeBackAt?: number
}

export interface Asked {
  readonly host: string
  /** Never to be shown. */
  readonly accessToken: string
  readonly now: number
}

export function refusalOf(answer: HttpAnswer, asked: Asked): Refusal {
  const { status, headers } = answer
  const words = serverWords(answer, asked.accessToken)
  const code = codeOf(status, words)
  const later = code === 'network_rate_limited' || status >= 500 ? comeBackAt(headers, asked.now) : undefined
  return {
    code,
    status,
    message: `${asked.host} ${meaning(status, code, headers)}${words === '' ? '' : `: ${words}`}`,
    ...(later !== undefined && { comeBackAt: later }),
  }
}

export function troubleRefusal(trouble: HttpTrouble): Refusal {
  return { code: 'network_unavailable', status: 0, message: trouble.message }
}

/** Of an answer with a good status whose body is not what this API gives. */
export function oddAnswer(answer: HttpAnswer, { host }: Asked): Refusal {
  const why = answer.isWhole ? 'answered what the Mastodon API does not have' : 'sent more than can be read'
  return {
    code: 'network_api_error',
    status: answer.status,
    message: `${host} ${why}; is social.mastodon.base_url right?`,
  }
}

/** Of a read, unless told otherwise: then 5xx is worth another try. */
export function refusalFailure(refusal: Refusal, now: number, isRead = true): SocialFailure {
  const { code, message, status, comeBackAt: later } = refusal
  return failure(code, message, {
    ...(code === 'network_api_error' && { retryable: isRead && status >= 500 }),
    ...(later !== undefined && { retryAfterMs: later - now }),
    ...(later !== undefined && code === 'network_rate_limited' && { rateLimitReset: later }),
    details: { network: 'mastodon', ...(status !== 0 && { status }) },
  })
}

function codeOf(status: number, words: string): ErrorCode {
  if (status === 401) return 'network_auth_expired'
  if (status === 403) return aboutAccount.test(words) ? 'network_account_restricted' : 'network_forbidden'
  if (status === 404 || status === 410) return 'not_found'
  // GoToSocial says 400.
  if ((status === 422 || status === 400) && aboutLength.test(words)) return 'tweet_too_long'
  if (status === 429) return 'network_rate_limited'
  if (status >= 502 && status <= 504) return 'network_unavailable'
  return 'network_api_error'
}

const aboutAccount = /suspend|disabled|frozen|silenced|pending approval|missing a confirmed|has moved/i
const aboutLength = /character (limit|count)|too long|limit of \d+ characters/i

function meaning(status: number, code: ErrorCode, headers: Headers): string {
  if (status >= 300 && status < 400)
    return `sends us to ${hostOf(headers.get('location'))}; set social.mastodon.base_url to the server itself (${status})`
  switch (code) {
    case 'network_auth_expired':
      return 'does not accept the access token; set a new one in social.mastodon.access_token'
    case 'network_account_restricted':
      return 'has restricted the account'
    case 'network_forbidden':
      return 'forbids it; the token needs the scopes read, write:statuses and write:media'
    case 'not_found':
      return 'does not have it'
    case 'tweet_too_long':
      return 'takes only a shorter text'
    case 'network_rate_limited':
      return 'wants fewer requests'
    case 'network_unavailable':
      return `is not available now (${status})`
    default:
      return `answered ${status}`
  }
}

function hostOf(location: string | null): string {
  return location !== null && URL.canParse(location) ? new URL(location).host : 'another address'
}

/** `{"error": "…"}`, and no page of HTML that a proxy may have put in its place. */
function serverWords(answer: HttpAnswer, accessToken: string): string {
  const words = errorText(answer.text)
  return words
    .replaceAll(accessToken, '…')
    .replace(/[\p{Control}\s]+/gu, ' ')
    .trim()
    .slice(0, serverWordsMax)
}

function errorText(text: string): string {
  try {
    const body: unknown = JSON.parse(text)
    if (typeof body !== 'object' || body === null || !('error' in body)) return ''
    return typeof body.error === 'string' ? body.error : ''
  } catch {
    return ''
  }
}
