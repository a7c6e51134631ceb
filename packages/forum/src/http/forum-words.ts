import { cutText } from '../json/cut-text.js'
import { isRecord, listAt, recordAt, textAt } from '../json/read-json.js'
import { forumErrorLengthMax, forumErrorsMax, forumWordsLengthMax } from '../limits.js'

/** What a forum says about a request that it refused; a page in `extras.html` is not among it. */
export interface ForumWords {
  readonly errors: readonly string[]
  readonly errorType: string | undefined
  readonly description: string | undefined
}

/** Of `{errors, error_type, extras}`, `{failed, errors}`, `{failed, message}`, or a bare list; nothing of anything else. */
export function forumWords(body: unknown): ForumWords {
  return {
    errors: sentences(body)
      .slice(0, forumErrorsMax)
      .map((each) => short(each, forumErrorLengthMax)),
    errorType: optional(textAt(body, 'error_type'), forumErrorLengthMax),
    description: optional(textAt(recordAt(body, 'extras'), 'description'), forumErrorLengthMax),
  }
}

/** The words as a part of a sentence; empty where there are none. */
export function inOneSentence({ errors, description }: ForumWords): string {
  const all = description === undefined || errors.includes(description) ? errors : [...errors, description]
  return short(all.join(' '), forumWordsLengthMax)
}

function sentences(body: unknown): string[] {
  if (Array.isArray(body)) return texts(body)
  const errors = isRecord(body) ? body['errors'] : undefined
  if (isRecord(errors)) return byField(errors)
  const found = texts(listAt(body, 'errors'))
  const message = textAt(body, 'message')
  return found.length === 0 && message !== undefined ? [message] : found
}

function byField(errors: { readonly [field: string]: unknown }): string[] {
  return Object.entries(errors).flatMap(([field, words]) =>
    texts(Array.isArray(words) ? words : [words]).map((each) => `${field} ${each}`),
  )
}

function texts(list: readonly unknown[]): string[] {
  return list.slice(0, forumErrorsMax).filter((each) => typeof each === 'string')
}

function optional(text: string | undefined, lengthMax: number): string | undefined {
  return text === undefined || text === '' ? undefined : short(text, lengthMax)
}

function short(text: string, lengthMax: number): string {
  const { text: beginning, isCut } = cutText(text, lengthMax)
  return isCut ? `${beginning}…` : beginning
}
