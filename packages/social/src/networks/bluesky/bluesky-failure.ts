import type { ErrorCode } from '../../envelope/error-codes.js'
import { failure, SocialFailure } from '../../envelope/failure.js'
import { HttpTrouble } from '../../http/http-client.js'
import { retryAfterMs } from './rate-headers.js'
import type { XrpcAnswer } from './xrpc.js'

const accountProblems: ReadonlySet<string> = new Set([
  'AccountTakedown',
  'AccountSuspended',
  'AccountDeactivated',
  'AccountNotActive',
  'RepoTakendown',
  'RepoSuspended',
  'RepoDeactivated',
])

/** What is wrong with an answer that is not 200. */
export function codeOf({ status, error }: XrpcAnswer): ErrorCode {
  if (status === 429 || error === 'RateLimitExceeded') return 'network_rate_limited'
  if (accountProblems.has(error)) return 'network_account_restricted'
  if (status === 401 || isTokenRefusal({ status, error })) return 'network_auth_expired'
  if (status === 403) return 'network_forbidden'
  if (status >= 502 && status <= 504) return 'network_unavailable'
  return 'network_api_error'
}

/** The reference server says it with 400. */
export function isTokenRefusal({ status, error }: Pick<XrpcAnswer, 'status' | 'error'>): boolean {
  return (status === 400 || status === 401) && (error === 'ExpiredToken' || error === 'InvalidToken')
}

/** In the server's words, as far as they go. */
export function wordsOf({ status, error, words }: XrpcAnswer): string {
  const said = [error, words].filter((each) => each !== '').join(': ')
  return said === '' ? `status ${status}` : said
}

/** `wish` as in "did not let us …". */
export function failureOf(answer: XrpcAnswer, host: string, wish: string, now: number): SocialFailure {
  const code = codeOf(answer)
  const wait = answer.status === 429 || answer.status === 503 ? retryAfterMs(answer.headers, now) : undefined
  return failure(code, `${host} did not let us ${wish} (${wordsOf(answer)}). ${advice[code] ?? ''}`.trim(), {
    retryable: code === 'network_api_error' ? answer.status >= 500 : code !== 'network_auth_expired' && isPassing(code),
    details: { network: 'bluesky', status: answer.status, ...(answer.error !== '' && { error: answer.error }) },
    ...(wait !== undefined && { retryAfterMs: wait, rateLimitReset: now + wait }),
  })
}

const isPassing = (code: ErrorCode) => code === 'network_rate_limited' || code === 'network_unavailable'

const advice: { readonly [code in ErrorCode]?: string } = {
  network_rate_limited: 'Wait until its limit is reset.',
  network_account_restricted: 'The owner of the account has to settle that with the server.',
  network_auth_expired: 'An operator has to check social.bluesky.handle and the app password.',
  network_unavailable: 'Try again later.',
}

/** 200 with something else than the method answers. */
export function strangeAnswer(host: string, wish: string): SocialFailure {
  return failure('network_api_error', `${host} gave an answer that is not Bluesky's when we tried to ${wish}.`, {
    retryable: false,
    details: { network: 'bluesky' },
  })
}

/** Of whatever was thrown on the way there; what is none of ours goes on. */
export function asFailure(error: unknown): SocialFailure {
  if (error instanceof SocialFailure) return error
  if (!(error instanceof HttpTrouble)) throw error
  return failure('network_unavailable', `${error.message}. Try again later.`, {
    details: { network: 'bluesky' },
    cause: error,
  })
}
