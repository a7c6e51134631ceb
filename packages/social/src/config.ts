import { defaultProfile } from './config/default-profile.js'
import { networksOf } from './config/networks-of.js'
import { relationProblems } from './config/relation-problems.js'
import { sectionSchema, type WrittenSection } from './config/section-schema.js'
import { type SocialConfig, SocialConfigError } from './config/social-config.js'
import { valueProblems } from './config/value-problems.js'

<<<<<<< HEAD
export { type ConfigKey, type KeyKind, socialConfigKeys } from './config/config-keys.js'
export { type NetworkName, networkNames } from './config/network-names.js'
export { readSecrets, secretFileProblems } from './config/read-secrets.js'
export { redactedConfig, redactedValue } from './config/redacted-config.js'
export type { Business } from './config/section-schema.js'
export { type SocialConfig, SocialConfigError } from './config/social-config.js'
export { type TargetAccount, targetAccount } from './config/target-account.js'
=======
const text = (max = 4_096) => z.string().trim().min(1).max(max)
const words = z.array(text(200)).max(200).default([])
const url = text().refine(
  (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  'must be a URL that begins with https:// or http://',
)
const hours = (max: number, usual: number) => z.int().min(1).max(max).default(usual)
const seconds = (min: number, max: number, usual: number) => z.int().min(min).max(max).default(usual)
const points = (usual: number) => z.number().min(0).max(100).default(usual)
const clockTime = text(5).regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, like 09:30')
const day = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])

export const networkNames = ['bluesky', 'mastodon', 'x', 'local'] as const
export type NetworkName = (typeof networkNames)[number]

const business = z.strictObject({
  product_name: text(200),
  product_description: text().optional(),
  product_url: url.optional(),
  target_audience: text(500).optional(),
  product_keywords: words,
  competitor_keywords: words,
  industry_topics: words,
  brand_voice: text().optional(),
  reply_style: text().optional(),
  content_style: text().optional(),
  persona_opinions: z.array(text(1_000)).max(100).default([]),
  persona_experiences: z.array(text(1_000)).max(100).default([]),
  content_pillars: words,
})

const sections = {
  approval: z
    .strictObject({
      ttl_hours: hours(24 * 30, 24),
      max_batch: z.int().min(1).max(50).default(10),
      /** Networks on which template text, and replies to people who did not address us, need nobody's approval. */
      waive_for: z.array(z.enum(networkNames)).max(4).default([]),
    })
    .prefault({}),
  scoring: z
    .strictObject({
      threshold: points(60),
      keyword_relevance_max: points(25),
      follower_max: points(15),
      recency_max: points(10),
      engagement_max: points(15),
      reply_count_max: points(15),
      content_type_max: points(10),
      keyword_saturation: z.number().min(0.5).max(100).default(3),
    })
    .prefault({}),
  limits: z
    .strictObject({
      max_replies_per_day: z.int().min(0).max(1_000).default(5),
      max_tweets_per_day: z.int().min(0).max(1_000).default(6),
      max_threads_per_week: z.int().min(0).max(1_000).default(1),
      min_action_delay_seconds: z.int().min(0).max(86_400).default(45),
      max_action_delay_seconds: z.int().min(0).max(86_400).default(180),
      max_replies_per_author_per_day: z.int().min(0).max(1_000).default(1),
      max_target_replies_per_day: z.int().min(0).max(1_000).default(3),
      product_mention_ratio: z.number().min(0).max(1).default(0.2),
      banned_phrases: words,
      /** Names or ids, on any network: their posts are not taken up. */
      blocked_authors: words,
      max_searches_per_15_minutes: z.int().min(0).max(10_000).default(300),
      max_mention_checks_per_15_minutes: z.int().min(0).max(10_000).default(180),
      max_mutations_per_hour: z.int().min(1).max(10_000).default(20),
    })
    .prefault({}),
  intervals: z
    .strictObject({
      discovery_seconds: seconds(60, 86_400, 900),
      mentions_seconds: seconds(60, 86_400, 300),
      content_seconds: seconds(600, 7 * 86_400, 10_800),
      thread_seconds: seconds(3_600, 31 * 86_400, 604_800),
    })
    .prefault({}),
  llm: z
    .strictObject({
      provider: z.enum(['openai', 'groq', 'ollama', 'anthropic', 'none']).default('none'),
      model: text(200).optional(),
      base_url: url.optional(),
      api_key: text().optional(),
      api_key_file: text().optional(),
      templates: z.boolean().default(true),
    })
    .prefault({}),
  bluesky: z
    .strictObject({
      enabled: z.boolean().default(false),
      pds_url: url.default('https://bsky.social'),
      appview_url: url.optional(),
      handle: text(253).optional(),
      app_password: text(200).optional(),
      app_password_file: text().optional(),
    })
    .prefault({}),
  mastodon: z
    .strictObject({
      enabled: z.boolean().default(false),
      base_url: url.optional(),
      access_token: text().optional(),
      access_token_file: text().optional(),
      visibility: z.enum(['public', 'unlisted', 'private', 'direct']).default('public'),
    })
    .prefault({}),
  x: z
    .strictObject({
      enabled: z.boolean().default(false),
      base_url: url.default('https://api.x.com/2'),
      client_id: text().optional(),
      client_secret: text().optional(),
      client_secret_file: text().optional(),
      access_token: text().optional(),
      access_token_file: text().optional(),
      refresh_token: text().optional(),
      refresh_token_file: text().optional(),
      tier: z.enum(['Free', 'Basic', 'Pro', 'PayPerUse', 'Enterprise', 'unknown']).default('unknown'),
      daily_budget_usd: z.number().min(0).max(100_000).default(1),
    })
    .prefault({}),
  local: z
    .strictObject({
      /** Default: while no other network is. */
      enabled: z.boolean().optional(),
      handle: text(64).default('you'),
    })
    .prefault({}),
  media: z.strictObject({ roots: z.array(text()).max(20).default([]) }).prefault({}),
  targets: z.strictObject({ accounts: z.array(text(253)).max(100).default([]) }).prefault({}),
  storage: z.strictObject({ retention_days: z.int().min(7).max(3_650).default(90) }).prefault({}),
  schedule: z
    .strictObject({
      timezone: text(100).refine(isTimeZoneName, 'must be an IANA name, like Europe/Paris').default('UTC'),
      active_hours_start: z.int().min(0).max(23).default(8),
      /** May be before the start: over midnight. */
      active_hours_end: z.int().min(0).max(24).default(22),
      active_days: z
        .array(day)
        .max(7)
        .default([...day.options]),
      preferred_times: z.array(clockTime).max(24).default([]),
      thread_preferred_day: day.optional(),
      thread_preferred_time: clockTime.optional(),
    })
    .prefault({}),
}

const schema = z.strictObject({
  mode: z.enum(['autopilot', 'composer']).default('composer'),
  approval_mode: z.boolean().default(true),
  default_network: z.enum(networkNames).optional(),
  business: business.optional(),
  ...sections,
})

type Written = z.output<typeof schema>

/** Who posts, and about what. */
export type Business = z.output<typeof business>

/** Frozen and checked; made by {@link parseSocialConfig} only. Keys are those of the section: what operators write. */
export interface SocialConfig extends Readonly<Omit<Written, 'business'>> {
  readonly business: Business
  /** Whether `business` is nobody's: it serves the built-in network alone. */
  readonly isDefaultProfile: boolean
  /** At least one; the default one first. */
  readonly networks: readonly [NetworkName, ...NetworkName[]]
}

/** For the time in which nobody has said who they are. */
const defaultProfile: Business = business.parse({
  product_name: 'Callboard',
  product_description: 'one MCP endpoint in front of many worker processes',
  target_audience: 'people who run agents',
  product_keywords: ['mcp', 'ai agents', 'agent tools'],
  industry_topics: ['open networks', 'agent workflows', 'human approval', 'self-hosting'],
  content_pillars: ['building in the open', 'tools that agents can trust'],
})

/** Every problem of the section at once, each with the key it is about. */
export class SocialConfigError extends Error {
  override readonly name = 'SocialConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Of the section, as written in the file. */
export const socialConfigKeys: readonly string[] = Object.keys(schema.shape)
>>>>>>> aaaa76cf07f95082979a24c6b36b1d82058f33b5

/** The section `social` of callboard.config.json; absent means the defaults. Throws a SocialConfigError. */
export function parseSocialConfig(section: unknown): SocialConfig {
  const given = section ?? {}
  const parsed = sectionSchema.safeParse(given)
  const problems = parsed.success
    ? relationProblems(parsed.data)
    : [...valueProblems(parsed.error, given), ...relationProblems(readable(given))]
  if (problems.length > 0) throw new SocialConfigError([...new Set(problems)].map(withSection))
  const written = parsed.data as WrittenSection
  return deepFrozen({
    ...written,
    business: written.business ?? defaultProfile,
    isDefaultProfile: written.business === undefined,
    networks: networksOf(written) as SocialConfig['networks'],
  })
}

/** A problem begins with its place in the section, or with a colon where it is about the section itself. */
const withSection = (problem: string): string => (problem.startsWith(':') ? `social${problem}` : `social.${problem}`)

/** What can be read of a section with mistakes in it: a value that was refused is there all the same, nobody is told that it is missing. */
function readable(given: unknown): WrittenSection {
  const defaults = sectionSchema.parse({})
  if (!isObject(given)) return defaults
  const keys = Object.keys(sectionSchema.shape) as readonly (keyof WrittenSection)[]
  const merged = keys.map((key) => {
    const [own, usual] = [given[key] ?? undefined, defaults[key]]
    if (key === 'business') return [key, own]
    return [key, isObject(usual) ? { ...usual, ...(isObject(own) ? withoutNulls(own) : {}) } : (own ?? usual)]
  })
  return Object.fromEntries(merged)
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withoutNulls(section: { readonly [key: string]: unknown }): object {
  return Object.fromEntries(Object.entries(section).filter(([, value]) => value !== null && value !== undefined))
}

function deepFrozen<Value extends object>(value: Value): Value {
  for (const item of Object.values(value)) if (typeof item === 'object' && item !== null) deepFrozen(item)
  return Object.freeze(value)
}
