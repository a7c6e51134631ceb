import type { NetworkName } from '../config.js'
import type { ErrorCode } from '../envelope/error-codes.js'
import type { LengthRule } from '../text/length-rule.js'

/** Names one post on its network. */
export interface PostRef {
  readonly id: string
  readonly cid?: string
}

export interface Account {
  readonly id: string
  /** Without @. */
  readonly handle: string
  readonly followers: number
  readonly following: number
  readonly posts: number
  /** Where the network did not tell now: the counts are the last ones known, or 0. */
  readonly isUncounted?: true
}

/** A post as a network tells of it; every text is a stranger's. */
export interface NetworkPost {
  readonly ref: PostRef
  /** First post of its thread, where the network wants to know it of a reply. */
  readonly root?: PostRef
  readonly url: string
  readonly authorId: string
  /** Without @. */
  readonly authorUsername: string
  readonly authorFollowers?: number
  /** Plain text, whatever the network sends. */
  readonly text: string
  readonly lang?: string
  /** UTC ms. */
  readonly postedAt: number
  readonly likes: number
  readonly reposts: number
  readonly replies: number
  readonly impressions?: number
  /** How many media are attached. */
  readonly media: number
  readonly isQuote: boolean
  readonly isRepost: boolean
  /** Made up for newcomers; of the built-in network only. */
  readonly isSample?: true
  readonly replyTo?: PostRef
  /** Whether its author addresses our account: mentions or quotes it, or replies to it. */
  readonly addressesUs: boolean
  /** Why the network would not take our reply; absent where it would. */
  readonly replyRefusal?: string
}

export interface Page<Item> {
  /** Newest first. */
  readonly items: readonly Item[]
  /** For the next call: gives what is newer than this page. Absent: as before. */
  readonly cursor?: string
}

export interface Query {
  /** A word, a phrase, or a hashtag. */
  readonly keyword: string
  /** 1 to 25. */
  readonly limit: number
}

/** What an account may do there. */
export interface Capabilities {
  readonly tier: string
  readonly canPost: boolean
  readonly canReply: boolean
  readonly canSearch: boolean
  readonly canDiscover: boolean
  readonly canAttach: boolean
  /** In words: to whom it may reply. */
  readonly replyRule: string
  /** Media files of one part. */
  readonly mediaMax: number
  readonly mediaBytesMax: number
  readonly altTextMax: number
}

/** What the network says is left of its own limits; as of its last answer. */
export interface RateState {
  /** `search`, `write`, `read`. */
  readonly endpoint: string
  readonly limit: number
  readonly remaining: number
  /** UTC ms. */
  readonly resetsAt: number
}

/** One file of a post, at hand. */
export interface Medium {
  readonly sha256: string
  readonly mime: string
  readonly bytes: Uint8Array
  readonly alt: string
}

/** One post of an item, whole: nothing that becomes public is added after this. */
export interface Part {
  readonly text: string
  readonly media: readonly Medium[]
  /** What it answers: the post replied to, or the part before it. */
  readonly parent?: PostRef
  /** First post of that thread. */
  readonly root?: PostRef
  readonly visibility?: string
  readonly contentWarning?: string
  /** BCP 47. */
  readonly language?: string
}

/** Chosen once, stored before the part leaves: the same key and part is the same post for ever. */
export interface PublishKey {
  readonly key: string
  /** UTC ms that the post bears, where the network lets us say. */
  readonly createdAt: number
}

/** What goes out, to the byte; `request` is the adapter's own. */
export interface Prepared {
  readonly part: Part
  readonly key: PublishKey
  readonly request: unknown
}

export interface Sent {
  readonly kind: 'sent'
  readonly ref: PostRef
  readonly url: string
}

export type PublishOutcome =
  | Sent
  /** It is not there and never will be by this request. */
  | { readonly kind: 'rejected'; readonly code: ErrorCode; readonly message: string }
  /** It is not there: too many requests, no connection, a server that says "later". */
  | { readonly kind: 'delayed'; readonly code: ErrorCode; readonly message: string; readonly retryAfterMs?: number }
  /** It was sent, and no answer came. */
  | { readonly kind: 'unknown'; readonly message: string }

export type FindOutcome =
  | Sent
  | { readonly kind: 'absent' }
  /** The network can not tell; a person has to look. */
  | { readonly kind: 'undecidable'; readonly message: string }

/**
 * One account on one network. Reads are tried three times and reject with a SocialFailure `network_*`; a write is sent once.
 * Addresses, tokens and clock are given at construction. No method logs, and no message holds a token.
 */
export interface NetworkAdapter {
  readonly name: NetworkName
  readonly capabilities: Capabilities
  readonly lengthRule: LengthRule
  /** That posts get, where the network knows several. */
  readonly visibility?: string
  /** Newest known, by endpoint. */
  readonly rates: readonly RateState[]
  /** Its own account; cached for a minute. */
  account(signal?: AbortSignal): Promise<Account>
  /** Learns the server's limits (length and media), at most once an hour; until then the usual ones hold. */
  refresh(signal?: AbortSignal): Promise<void>
  search(query: Query, cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>>
  mentions(cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>>
  /** By id or handle: the last ones, without reposts. */
  authorPosts(author: string, cursor: string | undefined, signal?: AbortSignal): Promise<Page<NetworkPost>>
  /** Those that exist, in any order. */
  posts(refs: readonly PostRef[], signal?: AbortSignal): Promise<readonly NetworkPost[]>
  /** The id in a URL or id that people paste; undefined when it can be none of this network's. */
  parseRef(urlOrId: string): PostRef | undefined
  /** A new key for a part that is to go out. `random` gives 0 to 1, 1 excluded. */
  newPublishKey(now: number, random: () => number): PublishKey
  /** USD that publishing this costs; 0 where it is free. */
  costOf(part: Pick<Part, 'text'>): number
  /** The text with which a reply to that author has to begin, with a blank behind it; empty where it needs none. */
  replyPrefix(authorUsername: string): string
  /** Pure: the same part and key give the same request. Throws a SocialFailure for what the network can not take. */
  prepare(part: Part, key: PublishKey): Prepared
  /** Files first, where there are any: one that fails fails the part, and nothing has been published. Never rejects. */
  publish(prepared: Prepared, signal?: AbortSignal): Promise<PublishOutcome>
  /**
   * Of a network that rewrites what it is sent (links, names in front of a reply): whether what was read back is that text.
   * Absent where `comparableText` of both tells.
   */
  isSameText?(sent: string, read: NetworkPost): boolean
  /** Whether an earlier {@link publish} of it came through. Rejects when the network does not answer. */
  find(prepared: Prepared, signal?: AbortSignal): Promise<FindOutcome>
  /** Repeatable. */
  remove(ref: PostRef, signal?: AbortSignal): Promise<void>
  /** Whether it can be reached and lets us in; for people. Never rejects. */
  check(signal?: AbortSignal): Promise<{ readonly status: 'ok' | 'error'; readonly message: string }>
  /** Renews what runs out before the next minute ends. */
  renew(signal?: AbortSignal): Promise<void>
}
