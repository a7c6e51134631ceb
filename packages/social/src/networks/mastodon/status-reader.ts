import { SocialFailure } from '../../envelope/failure.js'
import { resolvedNamesMax } from '../../limits.js'
import { BoundedMemory } from '../bounded-memory.js'
import type { PostRef } from '../network-adapter.js'
import { type RemoteStatus, searchShape, statusShape } from './answer-shapes.js'
import type { MastodonApi } from './mastodon-api.js'
import { isAddress } from './status-address.js'

/** Single posts, by the id they have here or by the URL they have elsewhere. */
export class StatusReader {
  readonly #api: MastodonApi
  readonly #localIds = new BoundedMemory<string>(resolvedNamesMax)

  constructor(api: MastodonApi) {
    this.#api = api
  }

  /** Undefined where there is none. */
  async read({ id }: PostRef, signal?: AbortSignal): Promise<RemoteStatus | undefined> {
    if (isAddress(id) && this.#localIds.get(id) === undefined) return await this.#resolve(id, signal)
    const path = `/api/v1/statuses/${encodeURIComponent(this.#localIds.get(id) ?? id)}`
    try {
      return (await this.#api.read(path, {}, statusShape, { signal, mayBeMissing: true })).value
    } catch (error) {
      if (error instanceof SocialFailure && error.code === 'not_found') return undefined
      throw error
    }
  }

  /** The id by which our server knows it; undefined where it can not be had. */
  async localId(ref: PostRef, signal?: AbortSignal): Promise<string | undefined> {
    if (!isAddress(ref.id)) return ref.id
    return this.#localIds.get(ref.id) ?? (await this.read(ref, signal))?.id
  }

  /** Our server fetches it from the other one. */
  async #resolve(address: string, signal: AbortSignal | undefined): Promise<RemoteStatus | undefined> {
    const parameters = { q: address, type: 'statuses', resolve: 'true', limit: '1' }
    const { value } = await this.#api.read('/api/v2/search', parameters, searchShape, { signal })
    // Full-text search would give posts that speak of it.
    const status = value.statuses.find((each) => isAt(each, address))
    if (status !== undefined) this.#localIds.set(address, status.id)
    return status
  }
}

function isAt({ url, uri }: RemoteStatus, address: string): boolean {
  return [url, uri].some((each) => each !== undefined && (each === address || isSamePost(each, address)))
}

/** A post has two addresses, one to be looked at and one to be fetched, that end alike. */
function isSamePost(one: string, other: string): boolean {
  const [a, b] = [new URL(one), new URL(other)]
  const last = ({ pathname }: URL) => pathname.split('/').findLast((piece) => piece !== '')
  return a.host === b.host && last(a) === last(b)
}
