import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openMs, settleMs } from '../limits.js'
import type { ClientOrder, ClientReport, Opening, WindowOrder, WindowReport } from './client-messages.js'

const file = fileURLToPath(new URL('client-program.js', import.meta.url))

/** The client of one subject, in a process of its own: what measuring costs is the same for all, and none of the subject's. */
export class ClientProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  /** The process that it has started, if any. */
  program: number | undefined

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  /** Resolves when the subject has answered. @throws with what the subject says otherwise */
  static async open(opening: Opening): Promise<ClientProcess> {
    const child = fork(file, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const client = new ClientProcess(child)
    try {
      const report = await client.#order({ kind: 'open', opening }, openMs)
      if (report.kind === 'opened') client.program = report.program
      return client
    } catch (error) {
      await client[Symbol.asyncDispose]()
      throw error
    }
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** @throws with what went wrong in it */
  async window(window: WindowOrder): Promise<WindowReport> {
    const report = await this.#order({ kind: 'window', window }, window.ms + 2 * settleMs)
    if (report.kind !== 'window') throw new Error(`the client answered a window by ${report.kind}`)
    return report.report
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const end = once(this.#child, 'exit')
    // It ends what it has started, and then itself.
    this.#child.disconnect()
    await end
  }

  async #order(order: ClientOrder, ms: number): Promise<ClientReport> {
    this.#child.send(order)
    const report = await new Promise<ClientReport>((resolve, reject) => {
      const late = setTimeout(() => settle(() => reject(new Error(`no answer within ${ms / 1_000} s`))), ms)
      const heard = (message: unknown) => settle(() => resolve(message as ClientReport))
      const gone = () => settle(() => reject(new Error('the client has ended')))
      const settle = (how: () => void) => {
        clearTimeout(late)
        this.#child.off('message', heard).off('exit', gone)
        how()
      }
      this.#child.on('message', heard).on('exit', gone)
    })
    if (report.kind === 'failed') throw new Error(report.problem)
    return report
  }
}
