import type { HubConfig } from './config.js'
import type { Logger } from './hub-log.js'
import type { Policy } from './policy/policy.js'
import { PolicyFileError, policyFileOf, policyFileVersion, readPolicy } from './policy-file.js'
import { StartError } from './start-error.js'

/** Whoever saves the file sees what it does at once; a look at the file's status is all that it takes. */
const watchIntervalMs = 500

/** Keeps the policy in force that its file has, whole or not at all. Closing it twice does no harm. */
export class PolicyWatch {
  readonly #file: string
  readonly #apply: (policy: Policy) => void
  readonly #log: Logger
  #timer: NodeJS.Timeout | undefined
  #version: string | undefined
  #problem: string | undefined
  #isClosed = false

  private constructor(file: string, apply: (policy: Policy) => void, log: Logger) {
    this.#file = file
    this.#apply = apply
    this.#log = log
  }

  /** Applies what the file has now. @throws StartError where that is not for certain. */
  static async start(
    config: Pick<HubConfig, 'dataDirectory' | 'policyFile'>,
    apply: (policy: Policy) => void,
    log: Logger,
  ): Promise<PolicyWatch> {
    const { file, isNamed } = policyFileOf(config)
    const watch = new PolicyWatch(file, apply, log)
    try {
      watch.#version = await policyFileVersion(file)
      const policy = await readPolicy(file)
      if (policy !== undefined) apply(policy)
      else if (isNamed)
        throw new StartError(
          `There is no policy file ${file}: make it, or unset CALLBOARD_POLICY or the config key policy.`,
        )
    } catch (error) {
      throw error instanceof PolicyFileError ? new StartError(error.message) : error
    }
    watch.#arm()
    return watch
  }

  /** Undefined: there was none yet. */
  get fileInForce(): string | undefined {
    return this.#version === undefined ? undefined : this.#file
  }

  /** Never rejects. What can't be used leaves the policy in force that is. */
  async look(): Promise<void> {
    try {
      const version = await policyFileVersion(this.#file)
      if (version === this.#version) {
        this.#problem = undefined
        return
      }
      // An editor that puts a new file in the old one's place may be between the two.
      if (version === undefined) {
        throw new PolicyFileError([`${this.#file} is gone: to have no rules, write {"rules": []} into it.`])
      }
      const policy = await readPolicy(this.#file)
      if (policy === undefined || this.#isClosed) return
      this.#apply(policy)
      // Not before: what could not be read is tried again.
      this.#version = version
      this.#problem = undefined
      this.#log.info({ file: this.#file, rules: policy.content.rules.length }, 'another policy is in force')
    } catch (error) {
      const problem = (error as Error).message
      const problems = error instanceof PolicyFileError ? error.problems : [problem]
      if (problem !== this.#problem) this.#log.error({ problems }, 'the policy file is of no use: the former stays')
      this.#problem = problem
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #arm(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => void this.look().finally(() => this.#arm()), watchIntervalMs)
    this.#timer.unref()
  }
}
