import { join, resolve } from 'node:path'
import { type QdaConfig, QdaConfigError, type TrustLevel } from './config/qda-config.js'
import { homeProblems, levelProblems, valueProblems } from './config/section-problems.js'
import { sectionSchema } from './config/section-schema.js'
import { toolNames, writingToolNames } from './tools/tool-names.js'

export { type QdaConfigKey, qdaConfigKeys } from './config/config-keys.js'
export { type QdaConfig, QdaConfigError } from './config/qda-config.js'

/** The section `qda`; absent means the defaults. `home` is for `~`. Throws a QdaConfigError. */
export function parseQdaConfig(section: unknown, home?: string): QdaConfig {
  const given = section ?? {}
  const parsed = sectionSchema.safeParse(given)
  const problems = [
    ...(parsed.success ? [] : valueProblems(parsed.error)),
    ...levelProblems(given, toolNames, writingToolNames),
    ...homeProblems(given, home),
  ]
  if (parsed.data === undefined || problems.length > 0) throw new QdaConfigError(problems.map(withSection))
  const written = parsed.data
  return Object.freeze({
    roots: Object.freeze([...new Set(written.roots.map((root) => withHome(root, home)))]),
    approval: written.approval,
    levels: new Map(Object.entries(written.levels) as [string, TrustLevel][]),
    requirePreviewToken: written.require_preview_token,
    backups: written.backups,
    regexTimeoutMs: written.regex_timeout_ms,
  })
}

const withSection = (problem: string): string => (problem.startsWith(':') ? `qda${problem}` : `qda.${problem}`)

function withHome(root: string, home = '/'): string {
  return resolve(root.startsWith('~') ? join(home, root.slice(1)) : root)
}
