import type { CallRepliesTable, Flag, Store } from '@callboard/store'
import type { NetworkName } from '../config.js'
import type { ErrorCode } from '../envelope/error-codes.js'

/** A column that the database fills: what Kysely calls `Generated`, without a dependency on it. */
export interface Assigned {
  readonly __select__: number
  readonly __insert__: number | undefined
  readonly __update__: never
}

/** A column that may be left out of an insert. */
export interface Optional<Value> {
  readonly __select__: Value | null
  readonly __insert__: Value | null | undefined
  readonly __update__: Value | null
}

export type ActionType = 'reply' | 'tweet' | 'thread'
export type ItemStatus =
  | 'pending'
  | 'approved'
  | 'scheduled'
  | 'publishing'
  | 'posted'
  | 'failed'
  | 'unknown'
  | 'rejected'
  | 'withdrawn'
  | 'expired'
/** `queued` waits for its time; `publishing` is leased. */
export type OutboxStatus = 'queued' | 'publishing' | 'posted' | 'failed' | 'unknown'
/** `sending` is written before a part leaves: found after a crash, the part may be out. */
export type PartStatus = 'queued' | 'sending' | 'sent' | 'verified'
export type LedgerState = 'reserved' | 'used' | 'refunded'
export type PostSource = 'search' | 'mention' | 'target' | 'sample'

// Types, not interfaces: Kysely asks for an index signature. Every time is UTC ms, every `json` is text.
export type SocialSchema = {
  discovered_posts: {
    id: Assigned
    network: NetworkName
    remote_id: string
    cid: Optional<string>
    /** JSON of a PostRef: the first post of its thread, where the network wants to know. */
    root: Optional<string>
    url: string
    author_id: string
    author_username: string
    /** Null where the network does not say. */
    author_followers: Optional<number>
    content: string
    lang: Optional<string>
    posted_at: number
    likes: number
    reposts: number
    replies: number
    impressions: Optional<number>
    has_media: Flag
    is_quote: Flag
    source: PostSource
    /** JSON list of words. */
    matched_keywords: string
    /** What it scores for ever, without recency; 0 to 100, unrounded. */
    base_score: number
    /** At discovery. */
    score: number
    /** Of the keywords and maxima by which `base_score` was computed. */
    scoring_version: string
    discovered_at: number
    replied_to: Flag
    /** Mentions us, quotes us, or answers us; of a repeat that says otherwise nothing is forgotten. */
    addresses_us: Flag
    can_reply: Flag
    /** Why not. */
    reply_refusal: Optional<string>
  }
  drafts: {
    id: Assigned
    network: NetworkName
    kind: ActionType
    /** JSON list of texts. */
    parts: string
    topic: Optional<string>
    format: Optional<string>
    generated_by: 'llm' | 'template'
    owner: string
    created_at: number
  }
  approval_queue: {
    id: Assigned
    network: NetworkName
    /** Handle of the account that will post. */
    account: string
    action_type: ActionType
    /** JSON list of texts. */
    parts: string
    /** JSON list of MediaNote. */
    media: string
    /** JSON of a ReplyTarget; null unless a reply. */
    target: Optional<string>
    target_post_id: Optional<string>
    target_author: Optional<string>
    target_author_id: Optional<string>
    visibility: Optional<string>
    content_warning: Optional<string>
    language: Optional<string>
    topic: Optional<string>
    /** Archetype, format or structure. */
    archetype: Optional<string>
    score: Optional<number>
    /** JSON list of sentences for the person who decides. */
    risks: string
    origin: 'agent' | 'autopilot'
    /** Null where an agent brought the text. */
    generated_by: Optional<'llm' | 'template'>
    status: ItemStatus
    /** Grows with every change. */
    rev: number
    content_hash: string
    scheduled_for: Optional<number>
    /** Null once nobody has to decide. */
    expires_at: Optional<number>
    owner: string
    /** Unique per owner. */
    idempotency_key: string
    /** Of what was asked for under that key. */
    arguments_hash: string
    draft_id: Optional<number>
    reviewed_by: Optional<string>
    reviewed_at: Optional<number>
    /** The `rev` that was approved or rejected. */
    reviewed_rev: Optional<number>
    reason: Optional<string>
    /** What publishing will cost, USD. */
    cost_estimate: Optional<number>
    created_at: number
    updated_at: number
  }
  approval_revisions: {
    approval_id: number
    rev: number
    parts: string
    content_hash: string
    principal: string
    at: number
  }
  outbox: {
    id: Assigned
    approval_id: number
    network: NetworkName
    status: OutboxStatus
    due_at: number
    lease_owner: Optional<string>
    lease_until: Optional<number>
    /** Grows with each claim: who knows an older one has lost the row. */
    fence: number
    attempts: number
    next_try_at: number
    last_code: Optional<ErrorCode>
    last_error: Optional<string>
    verified_at: Optional<number>
    /** Of the account when it posted: what a post is measured by where nobody counts views. */
    followers_at_post: Optional<number>
    created_at: number
    finished_at: Optional<number>
  }
  outbox_parts: {
    outbox_id: number
    /** From 0. */
    position: number
    publish_key: string
    created_at_fixed: number
    status: PartStatus
    remote_id: Optional<string>
    cid: Optional<string>
    url: Optional<string>
    sent_at: Optional<number>
    verified_at: Optional<number>
  }
  rate_ledger: {
    id: Assigned
    /** `reply`, `tweet`, `thread`, `search`, `mention_check`, `mcp_mutation`. */
    action_type: string
    /** Empty where no network is meant. */
    network: string
    /** Of the account that was replied to. */
    author_id: Optional<string>
    /** Whose call it was, for `mcp_mutation`. */
    principal: Optional<string>
    outbox_id: Optional<number>
    state: LedgerState
    /** When it counts: its due time while it is only reserved. */
    at: number
  }
  action_log: {
    id: Assigned
    action_type: string
    /** Which one it tells of, if one. */
    network: Optional<string>
    status: 'success' | 'failure' | 'dry_run' | 'skipped' | 'alert'
    message: string
    /** JSON object. */
    metadata: string
    principal: Optional<string>
    correlation_id: Optional<string>
    created_at: number
  }
  targets: {
    network: NetworkName
    account_id: string
    username: string
    followed_at: Optional<number>
    first_engagement_at: Optional<number>
    total_replies_sent: number
    last_reply_at: Optional<number>
    status: 'active' | 'removed'
  }
  follower_snapshots: {
    network: NetworkName
    /** `2026-03-02`, UTC. */
    date: string
    follower_count: number
    following_count: number
    tweet_count: number
    at: number
  }
  topic_scores: {
    network: NetworkName
    topic: string
    format: string
    total_posts: number
    avg_performance: number
    updated_at: number
  }
  cursors: {
    network: string
    /** Name of a loop, or of what it reads: `discovery`, `discovery:mcp`, `mentions`. */
    source: string
    value: Optional<string>
    lease_owner: Optional<string>
    lease_until: Optional<number>
    /** When it may run next. */
    due_at: Optional<number>
    /** Errors in a row. */
    failures: number
    updated_at: number
  }
  local_posts: {
    id: Assigned
    account: string
    text: string
    /** Id of another row. */
    reply_to: Optional<number>
    /** JSON list of MediaNote. */
    media: string
    publish_key: Optional<string>
    sample: Flag
    likes: number
    reposts: number
    replies: number
    created_at: number
    deleted_at: Optional<number>
  }
  performance: {
    outbox_id: number
    position: number
    /** `1h`, `24h`, `7d`. */
    due: string
    measured_at: number
    likes: number
    replies: number
    reposts: number
    impressions: Optional<number>
    score: number
  }
  llm_usage: {
    id: Assigned
    provider: string
    model: string
    purpose: string
    input_tokens: number
    output_tokens: number
    principal: Optional<string>
    at: number
  }
  network_usage: {
    id: Assigned
    network: NetworkName
    endpoint: string
    units: number
    /** USD. */
    cost: number
    at: number
  }
  /** What both replicas must know of a network's account. */
  network_states: {
    network: NetworkName
    /** Not before: posts of one account keep a distance. */
    next_post_at: number
    paused_until: Optional<number>
    pause_reason: Optional<string>
    /** JSON of an adapter's own: tokens that rotate. Never shown. */
    session: Optional<string>
  }
  media: {
    sha256: string
    mime: string
    bytes: number
    /** Base64. */
    data: string
    created_at: number
  }
  call_replies: CallRepliesTable
}

/** A handle for statements: the store's own, or a transaction's. */
export type Database = Store<SocialSchema>['db']
