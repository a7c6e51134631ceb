import type { Credential } from '../http/credential.js'

export const logLevels = ['silent', 'error', 'info', 'debug'] as const
export const toolsModes = ['auto', 'discourse_api_only', 'tool_exec_api'] as const

export type LogLevel = (typeof logLevels)[number]

/** The section `forum`, settled: flags, variables, profile and file put together. Frozen; made by parseForumConfig only. */
export interface ForumConfig {
  readonly readOnly: boolean
  readonly allowWrites: boolean
  /** Of one attempt, ms. */
  readonly timeoutMs: number
  /** Requests at once to one forum. */
  readonly concurrency: number
  readonly logLevel: LogLevel
  readonly toolsMode: (typeof toolsModes)[number]
  /** Base of the one forum of all sessions. */
  readonly site: string | undefined
  /** Before every search. */
  readonly defaultSearch: string | undefined
  /** Code points of one post or message. */
  readonly maxReadLength: number
  /** Bases that may be selected; none: any. */
  readonly allowedSites: readonly string[]
  /** Folders, absolute, with `~` expanded; links in them are not followed yet. */
  readonly allowedUploadPaths: readonly string[]
  readonly remoteToolsNeedWrites: boolean
  readonly userAgent: string
  /** By base. */
  readonly credentials: ReadonlyMap<string, Credential>
  /** Every string that must never be seen. */
  readonly secrets: readonly string[]
  /** What the operator should know from the start, in sentences. */
  readonly warnings: readonly string[]
}

/** Every problem at once, each a sentence without its full stop that begins with where it is. */
export class ForumConfigError extends Error {
  override readonly name = 'ForumConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
