import { z } from 'zod'

const text = z.string().trim().min(1).max(4096)
const url = (...schemes: readonly string[]) =>
  text.refine(
    (value) => URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1)),
    `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )
const address = text.regex(/^[^\s<>@,;]+@[^\s<>@,;]+$/, 'must be one mail address, like ada@example.org')
const wholeMs = (min: number, max: number) => z.int().min(min).max(max)
const day = 24 * 60 * 60_000

/** Each key is the variable of the same name in lower case. */
const schema = z.strictObject({
  groups_file: text.optional(),
  groups_dir: text.optional(),
  scheduler_tz: text.optional(),

  notification_email: address.optional(),
  mail_address: address.optional(),
  mail_hmac_key: z.string().optional(),
  smtp_url: url('smtp', 'smtps').optional(),
  smtp_tls_ca: text.optional(),
  imap_url: url('imap', 'imaps').optional(),
  imap_mailbox: text.default('INBOX'),
  imap_poll_ms: wholeMs(1_000, day).default(60_000),
  trusted_authserv_id: text.optional(),
  notify_review: z.enum(['off', 'admin']).default('off'),
  digest_interval_ms: wholeMs(60_000, 31 * day).default(7_200_000),

  trigger_transport: z.enum(['mail', 'internal']).default('mail'),
  max_trigger_depth: z.int().min(0).max(100).default(3),
  trigger_cooldown_ms: wholeMs(0, day).default(60_000),
  max_triggers_per_hour: z.int().min(1).max(10_000).default(60),

  min_interval_ms: wholeMs(1_000, day).default(60_000),
  missed_grace_ms: wholeMs(1_000, day).default(60_000),
  max_concurrent_runs: z.int().min(1).max(64).default(4),
  max_attempts: z.int().min(1).max(10).default(3),
  auto_pause_after: z.int().min(1).max(1_000).default(5),
  run_timeout_ms: wholeMs(1_000, day).default(600_000),
  lease_ms: wholeMs(3_000, 600_000).default(30_000),

  search_provider: z.enum(['searxng', 'brave', 'perplexity']).optional(),
  searxng_url: url('http', 'https').optional(),
  brave_api_key: text.optional(),
  brave_url: url('http', 'https').default('https://api.search.brave.com'),
  perplexity_api_key: text.optional(),
  perplexity_url: url('http', 'https').default('https://api.perplexity.ai'),
  search_chat: z.strictObject({ base_url: url('http', 'https'), model: text, key_env: text.optional() }).optional(),

  social_post_tool: text.default('propose_post'),
})

/** Of the section, as written in the file. */
export const schedulerConfigKeys: readonly string[] = Object.keys(schema.shape)

/** Frozen and checked; made by {@link parseSchedulerConfig} only. Keys are those of the section: what operators write. */
export type SchedulerConfig = Readonly<z.output<typeof schema>>

/** Every problem of the section at once, each with the key it is about. */
export class SchedulerConfigError extends Error {
  override readonly name = 'SchedulerConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** The section `scheduler` of callboard.config.json; absent means the defaults. Throws a SchedulerConfigError. */
export function parseSchedulerConfig(section: unknown): SchedulerConfig {
  const parsed = schema.safeParse(section ?? {})
  if (!parsed.success) {
    throw new SchedulerConfigError(
      parsed.error.issues.map((issue) => `${['scheduler', ...issue.path].join('.')}: ${issue.message}`),
    )
  }
  return Object.freeze(parsed.data)
}
