import type { Clock } from '@callboard/worker/clock'
import type { NetworkName } from '../../src/config.js'
import type { ErrorCode } from '../../src/envelope/error-codes.js'
import { failure, type SocialFailure } from '../../src/envelope/failure.js'
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
} from '../../src/networks/network-adapter.js'
import type { LengthRule } from '../../src/text/length-rule.js'

/** Methods that ask the network. */
export type Operation =
  | 'account'
  | 'refresh'
  | 'search'
  | 'mentions'
  | 'authorPosts'
  | 'posts'
  | 'publish'
  | 'find'
  | 'remove'
  | 'check'
  | 'renew'

/** What goes wrong with a write. */
export type PublishFault =
  | { readonly kind: 'rejected'; readonly code?: ErrorCode; readonly message?: string }
  | { readonly kind: 'delayed'; readonly code?: ErrorCode; readonly message?: string; readonly retryAfterMs?: number }
  /** The post is there, and the answer got lost. */
  | { readonly kind: 'accepted-then-cut' }
  /** It never arrived, and nobody can know. */
  | { readonly kind: 'lost' }

export interface PublishedPost {
  readonly ref: PostRef
  readonly part: Part
  readonly key: PublishKey
  /** UTC ms. */
  readonly at: number
}

export interface Request {
  readonly operation: Operation
  readonly argument?: unknown
  readonly cursor?: string | undefined
}

export interface FakeNetworkOptions {
  readonly clock: Clock
  /** Default: `bluesky`. */
  readonly name?: NetworkName
  /** Default: `me.example`, with id `did:me`. */
  readonly handle?: string
  readonly lengthRule?: LengthRule
  readonly capabilities?: Partial<Capabilities>
  /** Whether a key that comes again is the same post, as on Bluesky; else it is a second one. Default: true. */
  readonly keepsKeys?: boolean
  /** Whether it can tell what became of a write. Default: true. */
  readonly canFind?: boolean
  readonly costUsd?: number
  /** What a reply begins with, e.g. `@alice ` on Mastodon. Default: nothing. */
  readonly replyPrefix?: (author: string) => string
}

const open: Capabilities = {
  tier: 'Open',
  canPost: true,
  canReply: true,
  canSearch: true,
  canDiscover: true,
  canAttach: true,
  replyRule: 'to anybody',
  mediaMax: 4,
  mediaBytesMax: 1_000_000,
  altTextMax: 1_500,
}

/** A network in memory: what strangers wrote, what we published, and every request that was made; faults by order. */
export class FakeNetwork implements NetworkAdapter {
  readonly name: NetworkName
  capabilities: Capabilities
  lengthRule: LengthRule
  rates: RateState[] = []
  /** All requests, in order; `posts` and the like with what they asked for. */
  readonly requests: Request[] = []
  /** What is public of ours, in order; a post that was published twice is there twice. */
  readonly published: PublishedPost[] = []
  /** Changeable: `network.own.followers = 5`. */
  readonly own: { -readonly [Key in keyof Account]: Account[Key] }
  readonly #options: FakeNetworkOptions
  readonly #posts = new Map<string, NetworkPost>()
  readonly #faults = new Map<Operation, (SocialFailure | PublishFault | (() => Promise<unknown>))[]>()
  /** When it came, by number. */
  readonly #order = new Map<string, number>()
  #count = 0

  constructor(options: FakeNetworkOptions) {
    const { name = 'bluesky', handle = 'me.example', capabilities = {}, lengthRule } = options
    this.#options = options
    this.name = name
    this.capabilities = { ...open, ...capabilities }
    this.lengthRule = lengthRule ?? { kind: 'graphemes', max: 300, bytesMax: 3_000 }
    this.own = { id: 'did:me', handle, followers: 100, following: 50, posts: 10 }
  }

  // What a test says.

  /** A post of somebody's: fits the default profile, was written now and addresses nobody, unless told otherwise. */
  add(post: Partial<NetworkPost> = {}): NetworkPost {
    this.#count += 1
    const author = post.authorUsername ?? `author${this.#count}.example`
    const whole: NetworkPost = {
      ref: { id: `post-${this.#count}`, cid: `cid-${this.#count}` },
      url: `https://${this.name}.test/post-${this.#count}`,
      authorId: `did:${author}`,
      authorUsername: author,
      authorFollowers: 1_000,
      text: 'mcp, ai agents and agent tools: who runs them on open networks?',
      postedAt: this.#options.clock.now(),
      likes: 0,
      reposts: 0,
      replies: 0,
      media: 0,
      isQuote: false,
      isRepost: false,
      addressesUs: false,
      ...post,
    }
    this.#posts.set(whole.ref.id, whole)
    this.#order.set(whole.ref.id, this.#count)
    return whole
  }

  /** New counts of a post, ours or another's. */
  setCounts(id: string, counts: Partial<Pick<NetworkPost, 'likes' | 'reposts' | 'replies' | 'impressions'>>): void {
    const post = this.#posts.get(id)
    if (post === undefined) throw new Error(`there is no post ${id}`)
    this.#posts.set(id, { ...post, ...counts })
  }

  /** Somebody deletes it. */
  delete(id: string): void {
    this.#posts.delete(id)
  }

  /** The next request of that kind fails so; again with each call of this. */
  failNext(operation: Operation, fault: SocialFailure | PublishFault = unavailable()): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), fault])
  }

  /** The next request of that kind waits for it first. */
  holdNext(operation: Operation, until: () => Promise<unknown>): void {
    this.#faults.set(operation, [...(this.#faults.get(operation) ?? []), until])
  }

  /** How often that was asked. */
  asked(operation: Operation): number {
    return this.requests.filter((request) => request.operation === operation).length
  }

  // What an adapter does.

  async account(signal?: AbortSignal): Promise<Account> {
    await this.#request({ operation: 'account' }, signal)
    return { ...this.own }
  }

  async refresh(signal?: AbortSignal): Promise<void> {
    await this.#request({ operation: 'refresh' }, signal)
  }

  async search(
    { keyword, limit }: Query,
    cursor: string | undefined,
    signal?: AbortSignal,
  ): Promise<Page<NetworkPost>> {
    await this.#request({ operation: 'search', argument: keyword, cursor }, signal)
    const word = keyword.toLowerCase()
    return this.#page(({ text }) => text.toLowerCase().includes(word), cursor, limit)
  }

  async mentions(cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    await this.#request({ operation: 'mentions', cursor }, signal)
    return this.#page(({ addressesUs }) => addressesUs, cursor, 50)
  }

  async authorPosts(author: string, cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>> {
    await this.#request({ operation: 'authorPosts', argument: author, cursor }, signal)
    const isHis = (post: NetworkPost) => post.authorId === author || post.authorUsername === author
    return this.#page((post) => isHis(post) && !post.isRepost, cursor, 50)
  }

  async posts(refs: readonly PostRef[], signal?: AbortSignal): Promise<readonly NetworkPost[]> {
    await this.#request({ operation: 'posts', argument: refs.map(({ id }) => id) }, signal)
    return refs.flatMap(({ id }) => this.#posts.get(id) ?? [])
  }

  parseRef(urlOrId: string): PostRef | undefined {
    const id = urlOrId.replace(`https://${this.name}.test/`, '')
    const known = this.#posts.get(id)
    if (known !== undefined) return known.ref
    return /^[\w-]+$/.test(id) ? { id } : undefined
  }

  newPublishKey(now: number, random: () => number): PublishKey {
    return { key: `key-${Math.floor(random() * 1e12).toString(36)}`, createdAt: now }
  }

  costOf(): number {
    return this.#options.costUsd ?? 0
  }

  replyPrefix(authorUsername: string): string {
    return this.#options.replyPrefix?.(authorUsername) ?? ''
  }

  prepare(part: Part, key: PublishKey): Prepared {
    const max = this.lengthRule.kind === 'weighted' ? 280 : this.lengthRule.max
    const count = [...new Intl.Segmenter().segment(part.text)].length
    if (count > max || count === 0) throw failure('tweet_too_long', `${count} of ${max}: say it in fewer words.`)
    return { part, key, request: { text: part.text, key: key.key } }
  }

  async publish(prepared: Prepared, signal?: AbortSignal): Promise<PublishOutcome> {
    this.requests.push({ operation: 'publish', argument: prepared.part.text })
    const fault = await this.#nextFault('publish')
    if (signal?.aborted) return { kind: 'unknown', message: 'aborted' }
    if (fault instanceof Error) return { kind: 'delayed', code: fault.code, message: fault.message }
    switch (fault?.kind) {
      case 'rejected':
        return { kind: 'rejected', code: fault.code ?? 'network_api_error', message: fault.message ?? 'refused' }
      case 'delayed':
        return { code: 'network_rate_limited', message: 'later', ...fault }
      case 'lost':
        return { kind: 'unknown', message: 'no answer came' }
      case 'accepted-then-cut':
        this.#publish(prepared)
        return { kind: 'unknown', message: 'the connection was cut' }
      case undefined:
        return this.#publish(prepared)
    }
  }

  async find(prepared: Prepared, signal?: AbortSignal): Promise<FindOutcome> {
    await this.#request({ operation: 'find', argument: prepared.key.key }, signal)
    if (this.#options.canFind === false) return { kind: 'undecidable', message: 'somebody has to look' }
    const found = this.published.find(({ key }) => key.key === prepared.key.key)
    return found === undefined ? { kind: 'absent' } : { kind: 'sent', ref: found.ref, url: this.#urlOf(found.ref) }
  }

  async remove(ref: PostRef, signal?: AbortSignal): Promise<void> {
    await this.#request({ operation: 'remove', argument: ref.id }, signal)
    this.delete(ref.id)
    const place = this.published.findIndex((post) => post.ref.id === ref.id)
    if (place >= 0) this.published.splice(place, 1)
  }

  async check(): Promise<{ readonly status: 'ok' | 'error'; readonly message: string }> {
    this.requests.push({ operation: 'check' })
    const fault = await this.#nextFault('check')
    return fault instanceof Error ? { status: 'error', message: fault.message } : { status: 'ok', message: 'works' }
  }

  async renew(signal?: AbortSignal): Promise<void> {
    await this.#request({ operation: 'renew' }, signal)
  }

  #publish({ part, key }: Prepared): PublishOutcome {
    const known = this.published.find((post) => post.key.key === key.key)
    if (known !== undefined && this.#options.keepsKeys !== false) {
      return { kind: 'sent', ref: known.ref, url: this.#urlOf(known.ref) }
    }
    const { ref } = this.add({
      authorId: this.own.id,
      authorUsername: this.own.handle,
      authorFollowers: this.own.followers,
      text: part.text,
      media: part.media.length,
      ...(part.parent !== undefined && { replyTo: part.parent }),
      ...(part.root !== undefined && { root: part.root }),
    })
    this.published.push({ ref, part, key, at: this.#options.clock.now() })
    return { kind: 'sent', ref, url: this.#urlOf(ref) }
  }

  /** Cursors are numbers: what came since is newer. */
  #page(fits: (post: NetworkPost) => boolean, cursor: string | undefined, limit: number): Page<NetworkPost> {
    const seen = cursor === undefined ? 0 : Number(cursor.replace('after:', ''))
    const isNew = ({ ref }: NetworkPost) => this.#order.get(ref.id)! > seen
    const items = [...this.#posts.values()].filter((post) => isNew(post) && fits(post))
    if (items.length === 0) return { items: [] }
    return { items: items.reverse().slice(0, limit), cursor: `after:${this.#count}` }
  }

  async #request(request: Request, signal: AbortSignal | undefined): Promise<void> {
    this.requests.push(request)
    const fault = await this.#nextFault(request.operation)
    signal?.throwIfAborted()
    if (fault instanceof Error) throw fault
    if (fault !== undefined) throw unavailable()
  }

  async #nextFault(operation: Operation): Promise<SocialFailure | PublishFault | undefined> {
    const fault = this.#faults.get(operation)?.shift()
    if (typeof fault !== 'function') return fault
    await fault()
    return undefined
  }

  #urlOf({ id }: PostRef): string {
    return `https://${this.name}.test/${id}`
  }
}

function unavailable(): SocialFailure {
  return failure('network_unavailable', 'The network does not answer; try again later.')
}
