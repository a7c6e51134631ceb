import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type HubProcess, now } from '../hub-process.js'
import type { LoadReport } from './load-options.js'
import type { CallRecord } from './records.js'

const program = fileURLToPath(new URL('./crowd-program.js', import.meta.url))

export interface CrowdOptions {
  /** Begins the canaries of its calls. */
  readonly name: string
  /** One for each agent, which has a connection and a session of its own; every other one speaks modern MCP. */
  readonly tokens: readonly string[]
  readonly workMs: number
  /** Of all agents together. */
  readonly pace:
    | { readonly kind: 'rate'; readonly rate: number }
    | { readonly kind: 'in_flight'; readonly inFlight: number }
  /** How long answers may still come when no more is asked, in ms. */
  readonly settleMs: number
}

/** A call, and what its failure told the agent to wait. */
export interface CrowdRecord extends CallRecord {
  readonly retryAfterMs?: number
}

export type CrowdReport = LoadReport

/** Agents in a process of their own that ask for more than they get. */
export class Crowd {
  readonly beganAt: number
  readonly #child: ChildProcess
  readonly #file: string

  private constructor(child: ChildProcess, file: string) {
    this.#child = child
    this.#file = file
    this.beganAt = now()
  }

  /** Resolves when they ask. */
  static async begin(hub: HubProcess, options: CrowdOptions): Promise<Crowd> {
    const file = join(hub.directory, `${options.name}.calls`)
    const { child } = await hub.worker(program, [hub.socket, file, JSON.stringify(options)])
    return new Crowd(child, file)
  }

  /** They ask no more; resolves with what became of each call, and when the last was asked. */
  async end(): Promise<{ readonly calls: CrowdRecord[]; readonly endedAt: number; readonly report: CrowdReport }> {
    const endedAt = now()
    this.#child.send('stop')
    const gone = once(this.#child, 'exit').then(() => Promise.reject(new Error('the crowd has ended too soon')))
    const [report] = (await Promise.race([once(this.#child, 'message'), gone])) as [CrowdReport]
    const lines = readFileSync(this.#file, 'utf8').split('\n').slice(0, -1)
    return { calls: lines.map((line) => JSON.parse(line) as CrowdRecord), endedAt, report }
  }
}
