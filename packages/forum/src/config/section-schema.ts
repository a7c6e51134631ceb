import { z } from 'zod'
import {
  authPairsMax,
  concurrencyDefault,
  concurrencyMax,
  readLengthDefault,
  readLengthMax,
  timeoutMsDefault,
  timeoutMsMax,
  timeoutMsMin,
} from '../limits.js'
import { authPair } from './auth-pair.js'
import { logLevels, toolsModes } from './forum-config.js'
import { siteUrl } from './site-url.js'

const text = (max: number) => z.string().trim().min(1).max(max)

const folder = text(4_096).regex(/^(\/|~(\/|$))/, 'must be an absolute path, or begin with ~/')

const userAgent = text(200)
  .regex(/^[\x20-\x7e]*$/, 'must have ASCII characters only')
  .refine((value) => !/mobile/i.test(value), 'must not have "Mobile" in it, for which forums make their pages shorter')

/** The section `forum`, key by key as it is written. */
export const sectionSchema = z.strictObject({
  auth_pairs: z.array(authPair).max(authPairsMax).default([]),
  read_only: z.boolean().default(true),
  allow_writes: z.boolean().default(false),
  timeout_ms: z.int().min(timeoutMsMin).max(timeoutMsMax).default(timeoutMsDefault),
  concurrency: z.int().min(1).max(concurrencyMax).default(concurrencyDefault),
  cache_dir: text(4_096).optional(),
  log_level: z.enum(logLevels).optional(),
  tools_mode: z.enum(toolsModes).default('auto'),
  profile: text(4_096).optional(),
  site: siteUrl.optional(),
  /** Empty takes away what a weaker source has set. */
  default_search: z.string().trim().max(500).optional(),
  max_read_length: z.int().min(1).max(readLengthMax).default(readLengthDefault),
  allowed_sites: z.array(siteUrl).max(1_000).default([]),
  allowed_upload_paths: z.array(folder).max(100).default([]),
  remote_tools_need_writes: z.boolean().default(false),
  user_agent: userAgent.default('Discourse-MCP/0.x (+https://github.com/discourse/discourse-mcp)'),
})

export type WrittenSection = z.infer<typeof sectionSchema>
