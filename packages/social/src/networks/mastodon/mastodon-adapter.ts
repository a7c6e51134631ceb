import type { Clock } from '@callboard/worker/clock'
import { failure, SocialFailure } from '../../envelope/failure.js'
import type { HttpClient } from '../../http/http-client.js'
import { authorPostsMax, ownAccountMs, serverLimitsMs } from '../../limits.js'
import type { LengthRule } from '../../text/length-rule.js'
import type {
  Account,
  Capabilities,
  FindOutcome,
  NetworkAdapter,
  NetworkPost,
  Page,
  Part,
  PostRef,
  Prepared,
  PublishKey,
  PublishOutcome,
  Query,
  RateState,
} from '../network-adapter.js'
import { randomKey } from '../random-key.js'
import { AccountNames } from './account-names.js'
import {
  accountShape,
  anyShape,
  instanceShape,
  type RemoteAccount,
  type RemoteStatus,
  statusesShape,
} from './answer-shapes.js'
import { findStatus } from './find-status.js'
import { KeywordSearch } from './keyword-search.js'
import { MastodonApi } from './mastodon-api.js'
import { MediaUploads } from './media-uploads.js'
import { newMentions } from './mentions.js'
import { networkPost } from './network-post.js'
import { prepareStatus } from './prepare-status.js'
import { publishStatus } from './publish-status.js'
import { refusalFailure } from './refusal.js'
import { limitsOf, type ServerLimits, usualLimits } from './server-limits.js'
import { statusRef } from './status-address.js'
import { newestId } from './status-ids.js'
import { StatusReader } from './status-reader.js'

export type Visibility = 'public' | 'unlisted' | 'private' | 'direct'

export interface MastodonOptions {
  /** `https://mastodon.example`. */
  readonly baseUrl: string
  /** With the scopes read, write:statuses, write:media. */
  readonly accessToken: string
  /** Of posts that do not say otherwise. */
  readonly visibility: Visibility
  readonly clock: Clock
  readonly http: HttpClient
}

/** An account on a server that speaks Mastodon's API. Throws `network_not_configured` for what can be no token. */
export function openMastodon(options: MastodonOptions): NetworkAdapter {
  const accessToken = options.accessToken.trim()
  if (!/^[\x21-\x7e]+$/.test(accessToken))
    throw failure('network_not_configured', 'social.mastodon.access_token must be one word of ASCII characters', {
      details: { network: 'mastodon' },
    })
  return new MastodonAdapter({ ...options, accessToken })
}

class MastodonAdapter implements NetworkAdapter {
  readonly name = 'mastodon'
  readonly #options: MastodonOptions
  readonly #api: MastodonApi
  readonly #search: KeywordSearch
  readonly #names: AccountNames
  readonly #reader: StatusReader
  readonly #uploads: MediaUploads
  #limits: ServerLimits = usualLimits
  #limitsAsOf: number | undefined
  #own: { readonly account: RemoteAccount; readonly asOf: number } | undefined

  constructor(options: MastodonOptions) {
    this.#options = options
    this.#api = new MastodonApi(options)
    this.#search = new KeywordSearch(this.#api)
    this.#names = new AccountNames(this.#api)
    this.#reader = new StatusReader(this.#api)
    this.#uploads = new MediaUploads(this.#api, options.clock)
  }

  get capabilities(): Capabilities {
    const { mediaMax, imageBytesMax, altTextMax } = this.#limits
    return {
      tier: 'Open',
      canPost: true,
      canReply: true,
      canSearch: true,
      canDiscover: true,
      canAttach: mediaMax > 0,
      replyRule: 'anyone',
      mediaMax,
      mediaBytesMax: imageBytesMax,
      altTextMax,
    }
  }

  get visibility(): Visibility {
    return this.#options.visibility
  }

  get lengthRule(): LengthRule {
    return this.#limits.length
  }

  get rates(): readonly RateState[] {
    return this.#api.rates
  }

  async account(signal?: AbortSignal): Promise<Account> {
    const { id, acct, followers_count, following_count, statuses_count } = await this.#ownAccount(signal)
    return {
      id,
      handle: acct,
      followers: followers_count ?? 0,
      following: following_count ?? 0,
      posts: statuses_count ?? 0,
    }
  }

  async refresh(signal?: AbortSignal): Promise<void> {
    const now = this.#options.clock.now()
    if (this.#limitsAsOf !== undefined && isWithin(this.#limitsAsOf, now, serverLimitsMs)) return
    this.#limits = limitsOf(await this.#instance(signal))
    this.#limitsAsOf = now
    this.#search.forget()
  }

  async search(query: Query, cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    const { id } = await this.#ownAccount(signal)
    return await this.#page(await this.#search.find(query, cursor, id, signal), cursor, signal)
  }

  async mentions(cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    const { statuses, cursor: newest } = await newMentions(this.#api, cursor, signal)
    return { items: await this.#posts(statuses, signal), ...(newest !== undefined && { cursor: newest }) }
  }

  async authorPosts(author: string, cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    const id = await this.#names.idOf(author, signal)
    const parameters = { limit: String(authorPostsMax), exclude_reblogs: 'true', since_id: cursor }
    const path = `/api/v1/accounts/${encodeURIComponent(id)}/statuses`
    const { value } = await this.#api.read(path, parameters, statusesShape, { signal, mayBeMissing: true })
    return await this.#page(value, cursor, signal)
  }

  async posts(refs: readonly PostRef[], signal?: AbortSignal): Promise<readonly NetworkPost[]> {
    const found: RemoteStatus[] = []
    for (const ref of refs) {
      const status = await this.#reader.read(ref, signal)
      if (status !== undefined) found.push(status)
    }
    return await this.#posts(found, signal)
  }

  parseRef(urlOrId: string): PostRef | undefined {
    return statusRef(urlOrId, this.#api.baseUrl)
  }

  newPublishKey(now: number, random: () => number): PublishKey {
    return { key: randomKey(random), createdAt: now }
  }

  costOf(): number {
    return 0
  }

  replyPrefix(authorUsername: string): string {
    return authorUsername === this.#own?.account.acct ? '' : `@${authorUsername.replace(/^@/, '')} `
  }

  prepare(part: Part, key: PublishKey): Prepared {
    return prepareStatus(part, key, this.#options.visibility, this.#limits)
  }

  async publish(prepared: Prepared, signal?: AbortSignal): Promise<PublishOutcome> {
    const now = () => this.#options.clock.now()
    const parts = { api: this.#api, uploads: this.#uploads, reader: this.#reader, now }
    return await publishStatus(prepared, parts, signal)
  }

  async find(prepared: Prepared, signal?: AbortSignal): Promise<FindOutcome> {
    const { id } = await this.#ownAccount(signal)
    return await findStatus(prepared, { api: this.#api, reader: this.#reader, ownId: id }, signal)
  }

  async remove(ref: PostRef, signal?: AbortSignal): Promise<void> {
    const id = await this.#reader.localId(ref, signal)
    if (id === undefined) return
    const path = `/api/v1/statuses/${encodeURIComponent(id)}`
    const written = await this.#api.write({ method: 'DELETE', path, endpoint: 'delete' }, anyShape, signal)
    if (written.kind === 'done' || written.kind === 'odd' || written.refusal.code === 'not_found') return
    throw refusalFailure(written.refusal, this.#options.clock.now(), false)
  }

  async check(signal?: AbortSignal): Promise<{ readonly status: 'ok' | 'error'; readonly message: string }> {
    try {
      const { acct } = await this.#readOwnAccount(signal)
      return { status: 'ok', message: `signed in on ${this.#api.host} as @${acct}` }
    } catch (error) {
      if (error instanceof SocialFailure) return { status: 'error', message: error.message }
      return { status: 'error', message: `${this.#api.host} was not asked to the end` }
    }
  }

  /** A token of Mastodon does not run out. */
  async renew(): Promise<void> {}

  async #ownAccount(signal: AbortSignal | undefined): Promise<RemoteAccount> {
    const now = this.#options.clock.now()
    if (this.#own !== undefined && isWithin(this.#own.asOf, now, ownAccountMs)) return this.#own.account
    return await this.#readOwnAccount(signal)
  }

  async #readOwnAccount(signal: AbortSignal | undefined): Promise<RemoteAccount> {
    const path = '/api/v1/accounts/verify_credentials'
    const { value } = await this.#api.read(path, {}, accountShape, { signal })
    this.#own = { account: value, asOf: this.#options.clock.now() }
    return value
  }

  /** Servers before 4.0, and some others, have the first version only. */
  async #instance(signal: AbortSignal | undefined) {
    try {
      return (await this.#api.read('/api/v2/instance', {}, instanceShape, { signal, mayBeMissing: true })).value
    } catch (error) {
      if (!(error instanceof SocialFailure) || error.code !== 'not_found') throw error
      return (await this.#api.read('/api/v1/instance', {}, instanceShape, { signal })).value
    }
  }

  async #page(statuses: readonly RemoteStatus[], cursor: string | undefined, signal: AbortSignal | undefined) {
    const newest = newestId([cursor, ...statuses.map(({ id }) => id)])
    return { items: await this.#posts(statuses, signal), ...(newest !== undefined && { cursor: newest }) }
  }

  async #posts(statuses: readonly RemoteStatus[], signal: AbortSignal | undefined): Promise<NetworkPost[]> {
    if (statuses.length === 0) return []
    const account = await this.#ownAccount(signal)
    const viewpoint = { account, baseUrl: this.#api.baseUrl, visibility: this.#options.visibility }
    const posts: NetworkPost[] = []
    for (const status of statuses) {
      posts.push(networkPost(status, viewpoint))
      // A stranger's HTML takes its time: others have their turn in between.
      await new Promise(setImmediate)
    }
    return posts
  }
}

/** A clock may be set back. */
function isWithin(since: number, now: number, ms: number): boolean {
  return now >= since && now < since + ms
}
