import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HubProcess, now } from '../hub-process.js'
import type { LoadOptions, LoadReport } from './load-options.js'
import type { CallRecord } from './records.js'

const program = fileURLToPath(new URL('./load-program.js', import.meta.url))

/** A generator in a process of its own. */
export class Load {
  readonly beganAt: number
  readonly #child: ChildProcess
  readonly #file: string

  private constructor(child: ChildProcess, file: string) {
    this.#child = child
    this.#file = file
    this.beganAt = now()
  }

  /** Resolves when it asks. */
  static async begin(hub: HubProcess, options: LoadOptions): Promise<Load> {
    const file = join(hub.directory, `${options.name}.calls`)
    const { child } = await hub.worker(program, [hub.socket, hub.url, file, JSON.stringify(options)])
    return new Load(child, file)
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Asks no more, waits for what is open, and gives what became of each call. */
  async end(): Promise<{ readonly calls: CallRecord[]; readonly report: LoadReport }> {
    this.#child.send('stop')
    const gone = once(this.#child, 'exit').then(() => Promise.reject(new Error('the generator has ended too soon')))
    const [report] = (await Promise.race([once(this.#child, 'message'), gone])) as [LoadReport]
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1)
    return { calls: lines.map((line) => JSON.parse(line) as CallRecord), report }
  }
}
