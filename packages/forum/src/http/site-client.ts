import type { JsonRecord } from '../json/read-json.js'

/** How long an answer is of use, and who may end the wait. */
export interface Scope {
  /** UTC ms. */
  readonly deadline: number
  /** Aborted by the caller; a passed deadline aborts nothing. */
  readonly signal: AbortSignal
}

/** Name and value, in order; a list of ids is the name with `[]` once for each. */
export type Query = readonly (readonly [name: string, value: string | number | boolean])[]

export interface WriteRequest {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  /** From the forum's base, percent-encoded: `/posts.json`. */
  readonly path: string
  readonly query?: Query
  /** Sent as JSON. */
  readonly json?: JsonRecord
  /** Sent as multipart, in place of `json`. */
  readonly form?: FormData
  /** The user as whom an admin key acts, in place of its own. */
  readonly actAs?: string
}

/**
 * One forum as one credential sees it. What it rejects with is a ForumFailure, or the reason of an aborted signal. It keeps to
 * the forum's limits: how many requests at once, how many a minute, and when it asks to wait.
 */
export interface SiteClient {
  /** Scheme, host, port and path without a slash at its end. */
  readonly base: string
  /** The JSON of an answer; GET, tried again where that is right, from the cache where it is young enough. */
  get(path: string, query: Query, scope: Scope): Promise<unknown>
  /**
   * The JSON of the answer to a write, which leaves once at most. A failure says in `details.outcome` whether the write may have
   * had its effect; after an aborted signal it may have, if `onSending` was called, which happens right before the request leaves.
   * Whatever happened, nothing that was read before comes from the cache any more. undefined: PUT or DELETE without a word.
   */
  send(request: WriteRequest, scope: Scope, onSending?: () => void): Promise<unknown>
}
