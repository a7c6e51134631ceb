import { type FailureCode, type FailureDetails, ForumFailure } from '../failure/forum-failure.js'
import { isDeeperThan } from '../json/is-deeper-than.js'
import { answerBytesMax, answerDepthMax } from '../limits.js'
import { type ForumWords, forumWords, inOneSentence } from './forum-words.js'
import type { HttpAnswer, HttpTrouble } from './http-client.js'
import { pageHint } from './page-hint.js'

export const addAuthPair = 'The operator of this worker can add an entry to auth_pairs for exactly this address.'
const addBasicAuth =
  'A proxy before the forum wants a user and a password: http_basic_user and http_basic_pass of its auth_pairs entry.'

/** What an answer without success means. `retryMs`: how long the forum asks to wait. */
export function failureOfStatus(
  status: number,
  body: unknown,
  text: string,
  retryMs: number | undefined,
): ForumFailure {
  const words = forumWords(body)
  const hint = body === undefined ? pageHint(text) : undefined
  const code = codeOf(status, words, text)
  const details: FailureDetails = {
    status,
    ...(words.errors.length > 0 && { errors: words.errors }),
    ...(words.errorType !== undefined && { error_type: words.errorType }),
    ...(retryMs !== undefined && retryMs > 0 && { retry_after_s: Math.ceil(retryMs / 1_000) }),
    ...(hint !== undefined && { hint }),
    ...(code === 'not_authenticated' && { hint: status === 401 ? addBasicAuth : addAuthPair }),
  }
  return new ForumFailure(code, sentence(code, status, inOneSentence(words), details), details)
}

function codeOf(status: number, words: ForumWords, text: string): FailureCode {
  if (status === 401) return 'not_authenticated'
  if (status === 403) return codeOfForbidden(words, text)
  if (status === 404 || status === 410) return 'not_found'
  if (status === 409) return 'conflict'
  if (status === 429) return 'rate_limited'
  if (status >= 400 && status < 500) return 'rejected'
  if (status === 503 && words.errorType === 'read_only') return 'site_read_only'
  return status >= 500 ? 'upstream_error' : 'unexpected_response'
}

function codeOfForbidden(words: ForumWords, text: string): FailureCode {
  if (words.errorType === 'not_logged_in') return 'not_authenticated'
  const said = words.errors.length > 0 ? words.errors.join(' ') : text.slice(0, 1_000)
  if (/\bAPI (user ?name or )?key is invalid\b/i.test(said)) return 'invalid_credentials'
  // What core says to a write without a key.
  return /\bBAD CSRF\b/.test(said) ? 'not_authenticated' : 'forbidden'
}

const meanings: { readonly [Code in FailureCode]?: readonly [what: string, advice: string] } = {
  not_authenticated: ['The forum wants a login for this', 'Use a forum for which the operator has added a key.'],
  invalid_credentials: [
    'The forum does not accept the key of this worker',
    'The operator must correct the auth_pairs entry of this forum.',
  ],
  forbidden: ['The forum does not allow this', 'Another account would be needed.'],
  not_found: ['The forum has nothing there, or does not show it to this account', 'Check the id or name.'],
  conflict: ['Somebody has changed this meanwhile', 'Read it again, then decide.'],
  rejected: ['The forum refused the request', 'Change it as the forum says.'],
  rate_limited: ['The forum asks to slow down', 'Try again later.'],
  site_read_only: ['The forum takes no changes at the moment', 'Try again later.'],
  upstream_error: ['The forum has failed', 'Try again later.'],
  unexpected_response: [
    'The forum answered with a status that means nothing here',
    'Check that it is a Discourse forum.',
  ],
}

function sentence(code: FailureCode, status: number, words: string, { retry_after_s, hint }: FailureDetails): string {
  const [what, advice] = meanings[code] ?? ['The forum refused the request', '']
  const said = words === '' ? '' : ` It says: ${words}${/[.!?…]$/.test(words) ? '' : '.'}`
  const block = hint === 'cloudflare_challenge' ? ' Cloudflare stands before it and lets no programs through.' : ''
  const then = retry_after_s === undefined ? advice : `Try again in ${retry_after_s} s.`
  return `${what} (HTTP ${status}).${said}${block} ${then}`
}

/** No answer. */
export function failureOfTrouble({ kind, message, status }: HttpTrouble): ForumFailure {
  const details = status === undefined ? {} : { status }
  if (kind === 'late') return new ForumFailure('timeout', `${begun(message)}. Try again later.`, details)
  const advice = kind === 'refused' ? 'Check the address, or try again later.' : 'Try again later.'
  return new ForumFailure('network_error', `${begun(message)}. ${advice}`, details)
}

function begun(message: string): string {
  return message.charAt(0).toUpperCase() + message.slice(1)
}

/** The JSON of an answer with success. Throws a ForumFailure (`unexpected_response`) where there is none. */
export function readSuccess({ status, text, isWhole }: HttpAnswer): unknown {
  if (!isWhole) {
    const mebibytes = answerBytesMax / 1024 / 1024
    throw unexpected(`The forum's answer is larger than ${mebibytes} MiB. Ask for less at once.`, status)
  }
  if (isDeeperThan(text, answerDepthMax)) throw unexpected(`The forum's answer is nested too deeply. ${remedy}`, status)
  const body = parseJson(text)
  if (body !== undefined) return body
  const hint = pageHint(text)
  throw unexpected(
    `The forum answered without JSON${hint === undefined ? '' : `, ${seen[hint]}`}. ${remedy}`,
    status,
    hint,
  )
}

const remedy = 'Check in a browser what is at its address.'

const seen: { readonly [hint: string]: string } = {
  truncated: 'or with JSON that ends too early',
  cloudflare_challenge: 'but with a page of Cloudflare that lets no programs through',
  login_page: 'but with a page to log in',
  html: 'but with a web page',
}

function unexpected(message: string, status: number, hint?: string): ForumFailure {
  return new ForumFailure('unexpected_response', message, { status, ...(hint !== undefined && { hint }) })
}

/** undefined: it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return undefined
  }
}
