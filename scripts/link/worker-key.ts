import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { command } from '../hub-process.js'

interface HubPlace {
  readonly directory: string
  readonly environment: { readonly [name: string]: string }
}

/** A worker's key that a hub admits, made and taken away by the commands that people use. */
export class WorkerKey {
  /** What a worker on another machine is told: no directory of the hub is among it. */
  readonly environment: { readonly [name: string]: string }
  readonly #run: (...words: string[]) => Promise<string>
  readonly #name: string

  private constructor(
    name: string,
    environment: WorkerKey['environment'],
    run: (...words: string[]) => Promise<string>,
  ) {
    this.#name = name
    this.environment = environment
    this.#run = run
  }

  /** `rights`: more words for `callboard keys authorize`. The hub need not run; the key file is put into its directory. */
  static async authorize(hub: HubPlace, name: string, rights: readonly string[] = []): Promise<WorkerKey> {
    const run = async (...words: string[]) => {
      const { stdout } = await promisify(execFile)(process.execPath, [command, 'keys', ...words], {
        env: hub.environment,
      })
      return stdout.trim()
    }
    const file = join(hub.directory, `${name}.key`)
    await run('authorize', name, await run('new', name, '--out', file), ...rights)
    const nowhere = join(hub.directory, 'nowhere')
    const environment = {
      CALLBOARD_KEY_FILE: file,
      CALLBOARD_HUB_KEY: await run('hub'),
      CALLBOARD_RUNTIME: nowhere,
      CALLBOARD_DATA: nowhere,
    }
    return new WorkerKey(name, environment, run)
  }

  /** Resolves when the command has ended. */
  async revoke(): Promise<void> {
    await this.#run('revoke', this.#name)
  }
}
