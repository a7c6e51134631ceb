import type { ForumConfig } from './forum-config.js'

/** The configuration in force for anyone's eyes, keys named as they are written: which there are keys for, and no key. */
export function maskedConfig(config: ForumConfig): { readonly [key: string]: unknown } {
  return {
    auth_pairs: [...config.credentials].map(([site, { kind, username }]) => ({
      site,
      kind,
      ...(username !== undefined && { username }),
    })),
    read_only: config.readOnly,
    allow_writes: config.allowWrites,
    timeout_ms: config.timeoutMs,
    concurrency: config.concurrency,
    log_level: config.logLevel,
    tools_mode: config.toolsMode,
    ...(config.site !== undefined && { site: config.site }),
    ...(config.defaultSearch !== undefined && { default_search: config.defaultSearch }),
    max_read_length: config.maxReadLength,
    allowed_sites: config.allowedSites,
    allowed_upload_paths: config.allowedUploadPaths,
    remote_tools_need_writes: config.remoteToolsNeedWrites,
    user_agent: config.userAgent,
  }
}
