import { credentialOf, secretsOf } from './config/credentials.js'
import { type ForumConfig, ForumConfigError, type LogLevel } from './config/forum-config.js'
import { withHome } from './config/profile.js'
import { sectionSchema } from './config/section-schema.js'
import { settleSection } from './config/settle-section.js'
import { startWarnings } from './config/start-warnings.js'

export { type ForumConfigKey, forumConfigKeys } from './config/config-keys.js'
export { type ForumConfig, ForumConfigError } from './config/forum-config.js'
export { maskedConfig } from './config/masked-config.js'
export { type GivenKeys, type SectionLayers, type SettledSection, settleSection } from './config/settle-section.js'

/** What the section leaves open. */
export interface ConfigSurroundings {
  /** For `~`. */
  readonly home?: string | undefined
  /** Of the whole program, where the section has none. */
  readonly logLevel?: string | undefined
  /** What was found out while the section was put together; sentences. */
  readonly warnings?: readonly string[] | undefined
}

/** The section `forum`; absent means the defaults. A profile that it names wins over it. Throws a ForumConfigError. */
export function parseForumConfig(section: unknown, surroundings: ConfigSurroundings = {}): ForumConfig {
  const { home, logLevel, warnings = [] } = surroundings
  const settled = settleSection({ file: { section }, variables: nothing, flags: nothing }, home)
  if (settled.problems.length > 0) throw new ForumConfigError(settled.problems)
  const written = sectionSchema.parse(settled.section)
  return Object.freeze({
    readOnly: written.read_only,
    allowWrites: written.allow_writes,
    timeoutMs: written.timeout_ms,
    concurrency: written.concurrency,
    logLevel: written.log_level ?? ownLevel(logLevel),
    toolsMode: written.tools_mode,
    site: written.site,
    defaultSearch: written.default_search || undefined,
    maxReadLength: written.max_read_length,
    allowedSites: Object.freeze([...new Set(written.allowed_sites)]),
    allowedUploadPaths: Object.freeze(written.allowed_upload_paths.map((path) => withHome(path, home) ?? path)),
    remoteToolsNeedWrites: written.remote_tools_need_writes,
    userAgent: written.user_agent,
    credentials: new Map(written.auth_pairs.map((pair) => [pair.site, credentialOf(pair)])),
    secrets: Object.freeze([...new Set(written.auth_pairs.flatMap(secretsOf))]),
    warnings: Object.freeze([...warnings, ...settled.warnings, ...startWarnings(written)]),
  })
}

const nothing = { section: {}, sources: new Map<string, string>() }

/** The program has levels that the section has not; a warning that nobody sees is worse than a line too many. */
function ownLevel(level: string | undefined): LogLevel {
  switch (level) {
    case 'silent':
    case 'debug':
      return level
    case 'trace':
      return 'debug'
    case 'error':
    case 'fatal':
      return 'error'
    default:
      return 'info'
  }
}
