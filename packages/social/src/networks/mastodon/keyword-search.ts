import { SocialFailure } from '../../envelope/failure.js'
import { emptySearchesMax } from '../../limits.js'
import type { Query } from '../network-adapter.js'
import { type RemoteStatus, searchShape, statusesShape } from './answer-shapes.js'
import { hashtagOf } from './hashtag.js'
import type { MastodonApi } from './mastodon-api.js'

/**
 * Posts by keyword. Few servers have full-text search, and none says so: one that finds a stranger's post has it; one that
 * keeps finding nothing is not asked again until {@link forget}. Without it, the hashtag of the same letters has to do.
 */
export class KeywordSearch {
  readonly #api: MastodonApi
  #fullText: 'unknown' | 'present' | 'absent' = 'unknown'
  #emptyAnswers = 0

  constructor(api: MastodonApi) {
    this.#api = api
  }

  /** What was learned may have changed. */
  forget(): void {
    this.#fullText = 'unknown'
    this.#emptyAnswers = 0
  }

  /** Newest first, only those after the cursor. */
  async find(
    { keyword, limit }: Query,
    cursor: string | undefined,
    ownId: string,
    signal?: AbortSignal,
  ): Promise<RemoteStatus[]> {
    if (!keyword.startsWith('#') && this.#fullText !== 'absent') {
      const found = await this.#byWords(keyword, limit, cursor, signal)
      // GoToSocial searches what is ours or addresses us, and nothing else.
      const strangers = found.filter((status) => !concerns(status, ownId))
      this.#learn(strangers.length, cursor)
      if (strangers.length > 0) return found
    }
    return this.#byTag(keyword, limit, cursor, signal)
  }

  async #byWords(keyword: string, limit: number, cursor: string | undefined, signal: AbortSignal | undefined) {
    const q = /\s/.test(keyword) ? `"${keyword.replaceAll('"', ' ')}"` : keyword
    const parameters = { q, type: 'statuses', limit: String(limit), min_id: cursor }
    const options = { endpoint: 'search', signal, mayBeMissing: true } as const
    try {
      return (await this.#api.read('/api/v2/search', parameters, searchShape, options)).value.statuses
    } catch (error) {
      if (!(error instanceof SocialFailure) || error.code !== 'not_found') throw error
      this.#fullText = 'absent'
      return []
    }
  }

  /** With a cursor, an empty answer is what one expects. */
  #learn(strangers: number, cursor: string | undefined): void {
    if (strangers > 0) this.#fullText = 'present'
    else if (this.#fullText === 'unknown' && cursor === undefined) {
      this.#emptyAnswers++
      if (this.#emptyAnswers >= emptySearchesMax) this.#fullText = 'absent'
    }
  }

  async #byTag(keyword: string, limit: number, cursor: string | undefined, signal: AbortSignal | undefined) {
    const tag = hashtagOf(keyword)
    if (tag === undefined) return []
    const path = `/api/v1/timelines/tag/${encodeURIComponent(tag)}`
    const parameters = { limit: String(limit), since_id: cursor }
    const { value } = await this.#api.read(path, parameters, statusesShape, { endpoint: 'search', signal })
    return value
  }
}

function concerns({ account, mentions, in_reply_to_account_id }: RemoteStatus, ownId: string): boolean {
  return account.id === ownId || in_reply_to_account_id === ownId || mentions.some((mention) => mention?.id === ownId)
}
