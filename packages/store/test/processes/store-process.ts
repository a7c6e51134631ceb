import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const workspace = fileURLToPath(new URL('../../../../', import.meta.url))

/** Children run the compiled package, so it has to be the one that is tested. */
export function compileStore(): void {
  execFileSync(`${workspace}node_modules/.bin/tsc`, ['-b', 'packages/store'], { cwd: workspace, stdio: 'pipe' })
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly name: string; readonly code?: string; readonly message: string }
}

/** Another process that opens stores; `child.mjs` lists its commands. */
export class StoreProcess implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #pending = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>()
  #lastId = 0

  constructor() {
    this.#child = fork(new URL('child.mjs', import.meta.url))
    this.#child.on('message', (answer: Answer) => {
      const call = this.#pending.get(answer.id)
      if (answer.error) call?.reject(Object.assign(new Error(answer.error.message), answer.error))
      else call?.resolve(answer.result)
    })
    this.#child.on('exit', () => {
      for (const call of this.#pending.values()) call.reject(new Error('The process has ended'))
    })
  }

  call(command: string, argument?: unknown): Promise<unknown> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      this.#child.send({ id, command, argument })
    })
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await exited
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
  }
}
