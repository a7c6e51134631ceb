import { SocialFailure } from '../../envelope/failure.js'
import { resolvedNamesMax } from '../../limits.js'
import { BoundedMemory } from '../bounded-memory.js'
import { accountShape } from './answer-shapes.js'
import type { MastodonApi } from './mastodon-api.js'

/** Ids by handle: a handle's owner does not change. */
export class AccountNames {
  readonly #api: MastodonApi
  readonly #ids = new BoundedMemory<string>(resolvedNamesMax)

  constructor(api: MastodonApi) {
    this.#api = api
  }

  /** Of an id, the id. Rejects with `not_found`. */
  async idOf(idOrHandle: string, signal?: AbortSignal): Promise<string> {
    const handle = idOrHandle.trim().replace(/^@/, '')
    if (handle === idOrHandle && looksLikeId.test(handle)) return handle
    const known = this.#ids.get(handle)
    if (known !== undefined) return known
    const id = await this.#lookUp(handle, signal)
    this.#ids.set(handle, id)
    return id
  }

  async #lookUp(acct: string, signal: AbortSignal | undefined): Promise<string> {
    try {
      const options = { signal, mayBeMissing: true }
      return (await this.#api.read('/api/v1/accounts/lookup', { acct }, accountShape, options)).value.id
    } catch (error) {
      // Pleroma's ids look like handles.
      if (error instanceof SocialFailure && error.code === 'not_found' && /^[A-Za-z0-9]{18}$/.test(acct)) return acct
      throw error
    }
  }
}

const looksLikeId = /^(\d{1,20}|[0-9A-HJKMNP-TV-Z]{26})$/
