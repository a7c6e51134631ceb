/**
 * Every code of an envelope, and whether the same call, unchanged, is safe and may succeed later. A failure may say otherwise
 * where it knows better: of an LLM that refuses the key, of a network that fails a write.
 */
export const errorCodes = {
  validation_error: false,
  db_error: true,
  serialization_error: false,
  internal_error: false,

  not_found: false,
  /** Read again first. */
  conflict: false,
  expired: false,

  policy_error: true,
  policy_denied_blocked: false,
  policy_denied_hard_rule: false,
  policy_denied_user_rule: false,
  policy_denied_rate_limited: true,
  reply_not_allowed: false,
  duplicate_content: false,

  rate_limited: true,

  tweet_too_long: false,
  llm_error: true,
  llm_not_configured: false,

  unsupported_media_type: false,
  file_read_error: false,
  media_upload_error: false,

  network_rate_limited: true,
  network_unavailable: true,
  network_api_error: false,
  network_auth_expired: false,
  network_forbidden: false,
  network_account_restricted: false,
  network_not_configured: false,
  capability_missing: false,

  /** The outbox goes on with it by itself. */
  thread_partial_failure: false,
  publish_unknown: false,
} as const satisfies { readonly [code: string]: boolean }

export type ErrorCode = keyof typeof errorCodes
