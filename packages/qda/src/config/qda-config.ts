/** How far an agent is trusted with a tool, from acting alone to waiting for a person; `off`: every call is refused. */
export const trustLevels = ['T1', 'T2', 'T3', 'T4', 'off'] as const
export type TrustLevel = (typeof trustLevels)[number]

/** What a tool of level T3 waits for: the agent's own `confirm`, or a person. */
export const approvalModes = ['confirm', 'human'] as const
export type ApprovalMode = (typeof approvalModes)[number]

/** Frozen and checked; made by parseQdaConfig only. */
export interface QdaConfig {
  /** Absolute and normalised, but with symlinks as they are written; none: projects may be in any folder. */
  readonly roots: readonly string[]
  readonly approval: ApprovalMode
  /** Those that are not the tool's own. */
  readonly levels: ReadonlyMap<string, TrustLevel>
  readonly requirePreviewToken: boolean
  /** Kept of a project. */
  readonly backups: number
  readonly regexTimeoutMs: number
}

/** Every problem of the section at once, each with the key it is about. */
export class QdaConfigError extends Error {
  override readonly name = 'QdaConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
