/** One parameter: what its JSON schema says, and what is refused. */
export interface Parameter {
  readonly schema: object
  readonly isRequired: boolean
  readonly refused: readonly unknown[]
}

export interface ToolContract {
  readonly parameters: { readonly [name: string]: Parameter }
  /** Keys of `data`, or of its items; `?` behind one that may be left out. Undefined: any. */
  readonly data: string | undefined
  readonly isList: boolean
  /** As marked: (R)ead-only, (D)estructive, (I)dempotent, (O)pen world. */
  readonly marks: string
  readonly isOperators: boolean
  readonly timeoutMs: number | undefined
}

const made = (schema: object, refused: readonly unknown[], usual?: unknown): Parameter => ({
  schema: usual === undefined ? schema : { ...schema, default: usual },
  isRequired: false,
  refused: [null, ...refused],
})
const required = (parameter: Parameter): Parameter => ({ ...parameter, isRequired: true })

const integer = (minimum: number, maximum: number, usual?: number) =>
  made({ type: 'integer', minimum, maximum }, [minimum - 1, maximum + 1, minimum + 0.5, `${minimum}`, true], usual)
const number = (minimum: number, maximum: number, usual: number) =>
  made({ type: 'number', minimum, maximum }, [minimum - 0.1, maximum + 0.1, `${minimum}`], usual)
const text = (maxLength: number, minLength = 1) =>
  made({ type: 'string', ...(minLength > 0 && { minLength }), maxLength }, [
    ...(minLength > 0 ? [''] : []),
    'é'.repeat(maxLength + 1),
    'a\0b',
    5,
  ])
const names = (...known: readonly string[]) =>
  made({ type: 'string', enum: known }, ['', `${known[0]}s`, 5, [known[0]]])
const flag = (usual: boolean) => made({ type: 'boolean' }, ['true', 1], usual)
const time = () => made({}, ['tomorrow', '2026-03-02', '2026-03-02T12:00:00', '2026-02-30T12:00:00Z', 5])
const list = (schema: object, refused: readonly unknown[], usual?: unknown) =>
  made({ type: 'array', ...schema }, ['x', {}, ...refused], usual)

const network = names('bluesky', 'mastodon', 'x', 'local')
const cursor = text(2_000)
const id = required(integer(1, Number.MAX_SAFE_INTEGER))
const rev = integer(1, Number.MAX_SAFE_INTEGER)
const contentHash = made({ type: 'string', pattern: '^[0-9a-f]{64}$' }, ['', 'abc', 'A'.repeat(64), 5])
const hours = integer(1, 336, 24)
const topic = text(200)
const parts = list({ minItems: 1, maxItems: 25 }, [[], Array(26).fill('x'), [''], [5], ['x'.repeat(10_001)]])
const key = text(128)
const format = names(
  'list',
  'contrarian_take',
  'most_people_think_x',
  'storytelling',
  'before_after',
  'question',
  'tip',
)
const archetype = names('agree_and_expand', 'ask_question', 'share_experience', 'add_data', 'respectful_disagree')
const structure = names('transformation', 'framework', 'mistakes', 'analysis')
const count = required(integer(0, 1_000_000_000))
const media = list(
  { maxItems: 100 },
  [
    Array(101).fill({ path: '/a' }),
    [{ path: '' }],
    [{ data: '' }],
    [{ path: '/a', part: 25 }],
    [{ path: '/a', part: -1 }],
    [{ path: '/a', size: 1 }],
    ['/a'],
  ],
  [],
)
const items = list({ minItems: 1, maxItems: 50 }, [
  [],
  Array(51).fill({ id: 1 }),
  [{}],
  [{ id: 0 }],
  [{ id: 1, rev: 0 }],
  [{ id: 1, content_hash: 'x' }],
  [{ id: 1, text: 'x' }],
  [1],
])

type Extras = Partial<Pick<ToolContract, 'isOperators' | 'timeoutMs'>>
type Parameters = ToolContract['parameters']
const tool =
  (isList: boolean) =>
  (marks: string, parameters: Parameters, data: string | undefined, extras: Extras = {}): ToolContract => ({
    ...{ marks, parameters, data, isList, isOperators: false, timeoutMs: undefined },
    ...extras,
  })
const one = tool(false)
const many = tool(true)
const byOperators = { isOperators: true }
const writing = { timeoutMs: 90_000 }

const feedItem =
  'id network url author_id author_username content like_count retweet_count reply_count impression_count? relevance_score? score_now reasons matched_keyword? discovered_at replied_to can_reply source'
const snapshot = 'date follower_count following_count tweet_count network'
const generated = 'network limit unit generated_by warnings'
const item =
  'id status rev content_hash network account action_type visibility parts part_lengths media reply_to topic archetype score risks origin owner generated_by scheduled_for expires_at cost_estimate created_at updated_at reviewed_by reviewed_at reason revisions outbox'

/** Everything that the worker promises of its tools; what is not here, there is not. */
export const contract: { readonly [tool: string]: ToolContract } = {
  get_stats: one(
    'RI',
    { days: integer(1, 365, 7), network },
    'follower_trend net_follower_change_7d net_follower_change_30d top_topics avg_reply_engagement avg_tweet_engagement replies_measured tweets_measured',
  ),
  get_follower_trend: many('RI', { limit: integer(1, 365, 7), cursor, network }, snapshot),
  get_action_log: many(
    'RI',
    { since_hours: hours, action_type: text(200), limit: integer(1, 500, 100), cursor, network },
    'id action_type status message metadata created_at',
  ),
  get_action_counts: one('RI', { since_hours: hours, network }, undefined),
  get_rate_limits: many(
    'RI',
    { network },
    'action_type request_count max_requests period_start period_seconds remaining reserved resets_at? network? limited_by',
  ),
  get_recent_replies: many(
    'RI',
    { since_hours: hours, limit: integer(1, 500, 50), cursor, network },
    'id target_tweet_id reply_tweet_id? reply_content llm_provider? llm_model? created_at status error_message? network url?',
  ),
  get_reply_count_today: one('RI', { network }, 'replies_today day'),
  list_unreplied_tweets: many(
    'RI',
    { threshold: number(0, 100, 0), limit: integer(1, 200, 50), cursor, network },
    feedItem,
  ),
  list_target_accounts: many(
    'RI',
    { limit: integer(1, 500, 100), cursor, network },
    'account_id username followed_at? first_engagement_at? total_replies_sent last_reply_at? status network',
  ),
  score_tweet: one(
    'RI',
    {
      text: required(text(10_000)),
      author_username: required(text(256)),
      author_followers: count,
      likes: count,
      retweets: count,
      replies: count,
      created_at: required(time()),
      has_media: flag(false),
      is_quote: flag(false),
      network,
    },
    'total keyword_relevance follower recency engagement reply_count content_type meets_threshold verdict threshold maxima matched_keywords reasons',
  ),

  list_pending_approvals: many(
    'RI',
    { limit: integer(1, 200, 50), cursor, network },
    'id action_type target_tweet_id target_author generated_content topic archetype score status created_at network rev content_hash expires_at scheduled_for risks origin owner',
  ),
  get_pending_count: one('RI', { network }, 'pending_count'),
  approve_item: one('DIO', { id, rev, content_hash: contentHash, network }, 'status id outbox_id', byOperators),
  reject_item: one(
    'DI',
    { id, reason: text(500, 0), rev, content_hash: contentHash, network },
    'status id',
    byOperators,
  ),
  approve_all: one('DO', { max: integer(1, 50, 10), items, network }, 'approved errors total items', byOperators),

  generate_reply: one(
    'RO',
    {
      tweet_text: required(text(10_000)),
      tweet_author: required(text(256)),
      mention_product: flag(false),
      archetype,
      network,
    },
    `reply char_count ${generated}`,
    writing,
  ),
  generate_tweet: one('RO', { topic, format, network }, `tweet char_count ${generated}`, writing),
  generate_thread: one(
    'RO',
    { topic, structure, parts: integer(5, 8), network },
    `thread tweet_count char_counts ${generated}`,
    { timeoutMs: 180_000 },
  ),
  get_config: one('RI', {}, undefined),
  validate_config: one('RI', {}, 'valid errors'),
  health_check: one('RIO', {}, 'database llm networks outbox?'),
  get_capabilities: one(
    'RI',
    { network },
    'tier tier_detected_at? can_post_tweets can_reply can_search can_discover approval_mode llm_available rate_limits recommended_max_actions networks warnings',
  ),
  get_mode: one('RI', {}, 'mode approval_mode'),
  compose_tweet: one(
    'O',
    { topic: required(topic), format, network, idempotency_key: key },
    `tweet char_count topic format draft_id ${generated}`,
    writing,
  ),
  get_discovery_feed: many(
    'RI',
    { limit: integer(1, 100, 10), min_score: number(0, 100, 50), cursor, network },
    feedItem,
  ),
  suggest_topics: many('RI', { count: integer(1, 25, 10), network }, 'topic score source samples reason'),

  propose_post: one(
    'IO',
    {
      parts,
      draft_id: integer(1, Number.MAX_SAFE_INTEGER),
      kind: names('reply', 'tweet', 'thread'),
      network,
      reply_to: text(2_048),
      media,
      scheduled_for: time(),
      idempotency_key: key,
    },
    'id status rev content_hash expires_at replayed',
  ),
  edit_item: one('I', { id, rev: required(rev), parts: required(parts), network }, item),
  withdraw_item: one('DI', { id, network }, 'status id'),
  get_item: one('RI', { id, network }, item),
  list_outbox: many(
    'RI',
    {
      status: names('queued', 'publishing', 'posted', 'failed', 'unknown'),
      limit: integer(1, 200, 50),
      cursor,
      network,
    },
    'id item_id network status due_at attempts next_try_at last_code last_error verified_at parts',
  ),
  verify_post: one('IO', { id, network }, 'id status verified differences'),

  retry_item: one('DO', { id, network }, 'status id rev', byOperators),
  resolve_item: one('DI', { id, outcome: required(names('posted', 'failed')), network }, 'status id rev', byOperators),
  unschedule_item: one('I', { id, network }, 'status id rev', byOperators),
}
