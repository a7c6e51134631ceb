import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Opening } from '../client/client-messages.js'
import { ClientProcess } from '../client/client-process.js'
import { openMs } from '../limits.js'
import { endProcessesOf } from './end-processes.js'
import { Installation } from './installation.js'
import type { InstallationKind } from './installation-kind.js'

/** Everything that a run has started; nothing of it is left when it is disposed of. */
export class Scene implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'callboard-bench-'))
  readonly #children = new Set<ChildProcess>()
  readonly #clients: ClientProcess[] = []
  readonly #installations = new Map<InstallationKind, Promise<Installation>>()
  readonly #clearAtExit = () => this.#clear()

  constructor() {
    process.once('exit', this.#clearAtExit)
  }

  /** Of what others have written, and what they need not know of us. */
  get environment(): { readonly [name: string]: string } {
    return { PATH: process.env['PATH'] ?? '', HOME: this.directory, TMPDIR: this.directory }
  }

  async client(opening: Opening): Promise<ClientProcess> {
    const client = await ClientProcess.open(opening)
    this.#clients.push(client)
    return client
  }

  /** A program of ours; resolves with its process and the first thing that it tells. */
  async program(
    name: string,
    words: readonly string[],
    env: { readonly [name: string]: string } = this.environment,
  ): Promise<{ readonly pid: number; readonly told: unknown }> {
    const child = fork(programFile(name), words, { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
    this.#children.add(child)
    const gone = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`${name} has ended (${code ?? signal})`)
    })
    gone.catch(() => undefined)
    const [told] = await Promise.race([once(child, 'message', { signal: AbortSignal.timeout(openMs) }), gone])
    return { pid: child.pid!, told }
  }

  /** A hub and its worker; one for all ways that lead to it. */
  installation(kind: InstallationKind): Promise<Installation> {
    const known = this.#installations.get(kind) ?? Installation.start(this, kind)
    this.#installations.set(kind, known)
    return known
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#clearAtExit)
    await Promise.all(this.#clients.map((client) => client[Symbol.asyncDispose]()))
    this.#clear()
  }

  #clear(): void {
    for (const child of this.#children) child.kill('SIGKILL')
    // Those that started by themselves, such as a hub that a shim has started, are nobody's children.
    endProcessesOf(this.directory)
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

export function programFile(name: string): string {
  return fileURLToPath(new URL(`../programs/${name}.js`, import.meta.url))
}
