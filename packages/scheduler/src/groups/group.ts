/** How a group's prompts are run. */
export type RunnerConfig = CommandRunnerConfig | ChatRunnerConfig

export interface CommandRunnerConfig {
  readonly kind: 'command'
  /** Program and arguments, never a shell; `{model}` and `{group_dir}` each fill one argument. */
  readonly argv: readonly string[]
  /** Appended when there is a session to continue; `{session_id}` fills one argument. */
  readonly sessionArgs: readonly string[]
  /** Where the session id stands in the output: a path into its JSON, or none. */
  readonly sessionFrom?: string
  /** Where the final text stands in the output; none: the whole output. */
  readonly resultFrom?: string
  readonly promptVia: 'stdin'
  readonly model?: string
}

export interface ChatRunnerConfig {
  readonly kind: 'http'
  /** The OpenAI form, without `/chat/completions`. */
  readonly baseUrl: string
  readonly model: string
  /** Name of the environment variable with the key. */
  readonly keyEnv?: string
}

/** One entry of the groups file. */
export interface Group {
  readonly folder: string
  readonly tag: string
  readonly name: string
  readonly isAdmin: boolean
  /** Without one only `tool` tasks run. */
  readonly runner?: RunnerConfig
  readonly timezone?: string
  /** Names of environment variables that its commands get beside the usual ones. */
  readonly envAllow: readonly string[]
  readonly timeoutMs?: number
}

/** The groups as they are now. */
export interface Groups {
  readonly all: readonly Group[]
  readonly admin: Group
  byFolder(folder: string): Group | undefined
  /** In any case of letters. */
  byTag(tag: string): Group | undefined
  /** Of a registered group: its own, existing directory, no link. Rejects when it is not. */
  directoryOf(group: Group): Promise<string>
}
