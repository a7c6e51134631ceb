import { isAbsolute } from 'node:path'
import { isTimeZoneName } from '@callboard/worker/time-zone-name'
import { z } from 'zod'
import { baseUrlProblem } from './base-url.js'
import { networkNames } from './network-names.js'

const text = (max = 4_096) => z.string().trim().min(1).max(max)
const words = z.array(text(200)).max(200).default([])
const url = text().refine(
  (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  'must be a URL that begins with https:// or http://',
)
/** To which paths are added, and tokens sent. */
const baseUrl = text().superRefine((value, context) => {
  const problem = baseUrlProblem(value)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})
/** Travels in a header. */
const token = text().regex(/^[\x21-\x7e]*$/, 'must be one word of ASCII characters')
const handle = (max: number) =>
  text(max)
    .regex(/^\S*$/, 'must not have blanks in it')
    .overwrite((value) => value.replace(/^@/, ''))
const hours = (max: number, usual: number) => z.int().min(1).max(max).default(usual)
const seconds = (min: number, max: number, usual: number) => z.int().min(min).max(max).default(usual)
const points = (usual: number) => z.number().min(0).max(100).default(usual)
const clockTime = text(5).regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, like 09:30')
const day = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])

export const businessSchema = z.strictObject({
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
      base_url: baseUrl.optional(),
      api_key: token.optional(),
      api_key_file: text().optional(),
      templates: z.boolean().default(true),
    })
    .prefault({}),
  bluesky: z
    .strictObject({
      enabled: z.boolean().default(false),
      pds_url: baseUrl.default('https://bsky.social'),
      appview_url: baseUrl.optional(),
      handle: handle(253).optional(),
      app_password: text(200).optional(),
      app_password_file: text().optional(),
    })
    .prefault({}),
  mastodon: z
    .strictObject({
      enabled: z.boolean().default(false),
      base_url: baseUrl.optional(),
      access_token: token.optional(),
      access_token_file: text().optional(),
      visibility: z.enum(['public', 'unlisted', 'private', 'direct']).default('public'),
    })
    .prefault({}),
  x: z
    .strictObject({
      enabled: z.boolean().default(false),
      base_url: baseUrl.default('https://api.x.com/2'),
      client_id: token.optional(),
      client_secret: token.optional(),
      client_secret_file: text().optional(),
      access_token: token.optional(),
      access_token_file: text().optional(),
      refresh_token: token.optional(),
      refresh_token_file: text().optional(),
      tier: z.enum(['Free', 'Basic', 'Pro', 'PayPerUse', 'Enterprise', 'unknown']).default('unknown'),
      daily_budget_usd: z.number().min(0).max(100_000).default(1),
    })
    .prefault({}),
  local: z
    .strictObject({
      /** Default: while no other network is. */
      enabled: z.boolean().optional(),
      handle: handle(64).default('you'),
    })
    .prefault({}),
  media: z
    .strictObject({
      roots: z.array(text().refine(isAbsolute, 'must be an absolute path')).max(20).default([]),
    })
    .prefault({}),
  targets: z.strictObject({ accounts: z.array(handle(253)).max(100).default([]) }).prefault({}),
  storage: z.strictObject({ retention_days: z.int().min(7).max(3_650).default(90) }).prefault({}),
  schedule: z
    .strictObject({
      timezone: text(100).refine(isTimeZoneName, 'must be an IANA name, like Europe/Paris').default('UTC'),
      active_hours_start: z.int().min(0).max(23).default(8),
      /** May be before the start: over midnight. The same as the start: the whole day. */
      active_hours_end: z.int().min(0).max(24).default(22),
      active_days: z
        .array(day)
        .min(1)
        .max(7)
        .default([...day.options]),
      preferred_times: z.array(clockTime).max(24).default([]),
      thread_preferred_day: day.optional(),
      thread_preferred_time: clockTime.optional(),
    })
    .prefault({}),
}

/** The section `social`, as operators write it. What one key means for another one is said by the relations. */
export const sectionSchema = z.strictObject({
  mode: z.enum(['autopilot', 'composer']).default('composer'),
  approval_mode: z.boolean().default(true),
  default_network: z.enum(networkNames).optional(),
  business: businessSchema.optional(),
  ...sections,
})

/** The section with its defaults. */
export type WrittenSection = z.output<typeof sectionSchema>

/** Who posts, and about what. */
export type Business = z.output<typeof businessSchema>
