import { placeOf, wordsOf } from '@callboard/worker/issue-words'
import { didYouMean } from '@callboard/worker/nearest-name'
import { isTimeZoneName } from '@callboard/worker/time-zone-name'
import { z } from 'zod'

const text = z.string().trim().min(1).max(4096)
const url = (...schemes: readonly string[]) =>
  text.refine(
    (value) => URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1)),
    `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`,
  )
/** A setting there, which nobody would read, is a mistake: least of all one that says what is verified. */
const mailServer = (...schemes: readonly string[]) =>
  url(...schemes).refine(endsAfterPort, 'must end after host and port: take off what begins with /, ? or #')
const address = text.regex(/^[^\s<>@,;]+@[^\s<>@,;]+$/, 'must be one mail address, like ada@example.org')
const wholeMs = (min: number, max: number) => z.int().min(min).max(max)
const day = 24 * 60 * 60_000

/** What SHA-256 makes of a key: a shorter one is easier to guess than the signature. */
const hmacKeyBytesMin = 32
const variableName = text.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable')
const searchChat = z.strictObject({ base_url: url('http', 'https'), model: text, key_env: variableName.optional() })

/** Each key is the variable of the same name in lower case. */
const schema = z.strictObject({
  groups_file: text.optional(),
  groups_dir: text.optional(),
  scheduler_tz: text.refine(isTimeZoneName, 'must be an IANA name, like Europe/Paris').optional(),

  notification_email: address.optional(),
  mail_address: address.optional(),
  mail_hmac_key: z
    .string()
    .max(4096)
    .refine(
      (key) => Buffer.byteLength(key) >= hmacKeyBytesMin,
      `must have at least ${hmacKeyBytesMin} bytes: make one with openssl rand -base64 32`,
    )
    .optional(),
  smtp_url: mailServer('smtp', 'smtps').optional(),
  smtp_tls_ca: text.optional(),
  imap_url: mailServer('imap', 'imaps').optional(),
  imap_tls_ca: text.optional(),
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
  search_chat: searchChat.readonly().optional(),

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
  const problems = parsed.success
    ? relationProblems(parsed.data)
    : [...parsed.error.issues.flatMap(problemsOf), ...relationProblems(readable(section))]
  if (problems.length > 0)
    throw new SchedulerConfigError([...new Set(problems)].map((problem) => `scheduler${problem}`))
  return Object.freeze(parsed.data as SchedulerConfig)
}

/** What can be read of a section with mistakes in it, so that one mistake does not hide another. */
function readable(section: unknown): Partial<SchedulerConfig> {
  if (typeof section !== 'object' || section === null) return {}
  const given = section as { readonly [key: string]: unknown }
  // A value that was refused is there all the same: nobody is to be told that it is missing.
  return Object.fromEntries(Object.keys(schema.shape).map((key) => [key, given[key]]))
}

function endsAfterPort(value: string): boolean {
  if (!URL.canParse(value)) return true
  const { pathname, search, hash } = new URL(value)
  return (pathname === '' || pathname === '/') && search === '' && hash === ''
}

/** Keys that are of no use without another one. */
function relationProblems(config: Partial<SchedulerConfig>): readonly string[] {
  const { smtp_url, imap_url, mail_address, notification_email, search_provider } = config
  const mailUrl = smtp_url === undefined ? imap_url && 'imap_url' : 'smtp_url'
  const searchKey = search_provider === undefined ? undefined : searchKeys.get(search_provider)
  return [
    ...(mailUrl !== undefined && mail_address === undefined
      ? [`.mail_address: must be set where ${mailUrl} is: it is the address of that mailbox`]
      : []),
    ...(notification_email !== undefined && mailUrl === undefined
      ? ['.notification_email: mail needs a server: set smtp_url, too, or remove this']
      : []),
    ...(searchKey !== undefined && config[searchKey] === undefined
      ? [`.${searchKey}: must be set where search_provider is ${search_provider}`]
      : []),
  ]
}

const searchKeys: ReadonlyMap<string, keyof SchedulerConfig> = new Map([
  ['searxng', 'searxng_url'],
  ['brave', 'brave_api_key'],
  ['perplexity', 'perplexity_api_key'],
])

function problemsOf(issue: z.core.$ZodIssue): readonly string[] {
  const place = issue.path.length === 0 ? '' : `.${placeOf(issue.path)}`
  if (issue.code !== 'unrecognized_keys') return [`${place}: ${wordsOf(issue)}`]
  const known = issue.path[0] === 'search_chat' ? Object.keys(searchChat.shape) : schedulerConfigKeys
  return issue.keys.map((key) => `${place}.${key}: there is no such key${didYouMean(key, known)}`)
}
