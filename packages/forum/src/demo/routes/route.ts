import type { Visitor } from '../auth.js'
import type { ForumModel } from '../forum-model.js'
import type { Answer } from '../http/answer.js'
import type { Input } from '../http/input.js'
import type { Setting } from '../setting.js'

export interface ForumRequest {
  readonly method: string
  readonly input: Input
  /** A file of a multipart body. */
  readonly file: { readonly name: string; readonly content: Buffer } | undefined
  /** What the pattern of the route names. */
  readonly params: Readonly<Record<string, string>>
  readonly visitor: Visitor
}

export interface Site {
  readonly forum: ForumModel
  readonly setting: Setting
}

export interface Route {
  readonly method: string
  /** `/t/:id.json`; a name takes everything up to the next slash. */
  readonly pattern: string
  readonly answer: (request: ForumRequest, site: Site) => Answer
}

export const get = (pattern: string, answer: Route['answer']): Route => ({ method: 'GET', pattern, answer })
export const post = (pattern: string, answer: Route['answer']): Route => ({ method: 'POST', pattern, answer })
export const put = (pattern: string, answer: Route['answer']): Route => ({ method: 'PUT', pattern, answer })
export const remove = (pattern: string, answer: Route['answer']): Route => ({ method: 'DELETE', pattern, answer })
