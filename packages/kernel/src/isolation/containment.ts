import type { SandboxConfig } from '../config.js'
import { ControlGroups } from './control-group.js'
import { findInterpreter, type Interpreter, InterpreterError } from './interpreter.js'
import { Sandbox } from './sandbox.js'

export interface ContainmentOptions {
  readonly sandbox: SandboxConfig
  /** Directories and files that no kernel may see. Looked at with each start: one that is made later is not hidden. */
  readonly maskedPaths: readonly string[]
  /** As configured: a path, or a name on PATH. */
  readonly python: string
  /** The folder of what runs in the child. */
  readonly harness: string
  readonly environment: { readonly [name: string]: string }
}

/** What this machine offers to hold kernels, found out once. */
export interface Contained {
  readonly sandbox: Sandbox
  readonly groups: ControlGroups
  /** Undefined: as configured. */
  readonly interpreter: Interpreter | undefined
}

export const uncontained: Contained = {
  sandbox: Sandbox.none,
  groups: ControlGroups.none,
  interpreter: undefined,
}

/** One per worker, shared by its kernels. */
export class Containment {
  readonly #options: ContainmentOptions
  #found: Promise<Contained> | undefined
  #groups: ControlGroups | undefined

  constructor(options: ContainmentOptions) {
    this.#options = options
  }

  /** Takes as long as a Python start the first time. Rejects with a SandboxMissingError or an InterpreterError; a later call tries again. */
  find(): Promise<Contained> {
    this.#found ??= this.#find().catch((error: unknown) => {
      this.#found = undefined
      throw error
    })
    return this.#found
  }

  /**
   * For programs that want the interpreter only to guard them: without one there is a sandbox all the same. Rejects with a
   * SandboxMissingError.
   */
  async findForOthers(): Promise<Contained> {
    try {
      return await this.find()
    } catch (error) {
      if (!(error instanceof InterpreterError)) throw error
      const { sandbox: config, maskedPaths } = this.#options
      const sandbox = await Sandbox.open({ config, maskedPaths, trial: { argv: ['/bin/sh', '-c', ':'] } })
      return { sandbox, groups: this.#findGroups(), interpreter: undefined }
    }
  }

  async #find(): Promise<Contained> {
    const { sandbox: config, maskedPaths, python, harness, environment } = this.#options
    const interpreter = await findInterpreter(python, environment, harness)
    const argv = [interpreter.executable, '-I', '-c', 'import ctypes'] as const
    const trial = { argv, readable: interpreter.directories }
    const sandbox = await Sandbox.open({ config, maskedPaths, trial })
    return { sandbox, groups: this.#findGroups(), interpreter }
  }

  /** Once: it numbers its groups. */
  #findGroups(): ControlGroups {
    this.#groups ??= ControlGroups.find()
    return this.#groups
  }
}
