import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const command = fileURLToPath(new URL('../../packages/cli/bin/callboard.js', import.meta.url))

/** UTC ms with fractions, comparable between the processes of one machine. */
export const now = (): number => performance.timeOrigin + performance.now()

/** Where and with what a process runs, other than usual. */
export interface Surroundings {
  /** What comes before the command, such as `nsenter` and its options. */
  readonly enter?: readonly string[]
  readonly environment?: { readonly [name: string]: string }
}

/** A hub process and its workers' processes in directories of their own, gone when disposed of. */
export class HubProcess implements AsyncDisposable {
  /** For files of whoever uses this hub, too. */
  readonly directory = mkdtempSync(join(tmpdir(), 'callboard-'))
  /** For whatever shall find this hub. */
  readonly environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: this.directory,
    CALLBOARD_RUNTIME: join(this.directory, 'run'),
    CALLBOARD_DATA: join(this.directory, 'data'),
    CALLBOARD_HTTP: '127.0.0.1:0',
    CALLBOARD_HTTP_OPEN: '*',
  }
  readonly #children = new Set<ChildProcess>()
  readonly socket = join(this.directory, 'run', 'mcp.sock')
  /** Where a hub with the bench's probe answers. */
  readonly probe = join(this.directory, 'probe.sock')
  url = ''
  #hub: ChildProcess | undefined
  readonly #nodeOptions: readonly string[]
  readonly #surroundings: Surroundings

  private constructor(nodeOptions: readonly string[], surroundings: Surroundings) {
    this.#nodeOptions = nodeOptions
    this.#surroundings = surroundings
  }

  /** Both are for the hub's process only. @throws when the hub ends before it is up */
  static async start(nodeOptions: readonly string[] = [], surroundings: Surroundings = {}): Promise<HubProcess> {
    const hub = new HubProcess(nodeOptions, surroundings)
    process.once('exit', () => {
      hub.#killAll()
      hub.#clear()
    })
    await hub.#up()
    const listed = hub.#keep(
      spawn(process.execPath, [command, 'ls', '--json'], {
        env: hub.environment,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )
    let text = ''
    for await (const chunk of listed.stdout!) text += chunk
    const [{ host, port }] = JSON.parse(text).hub.http
    hub.url = `http://${host}:${port}/mcp`
    return hub
  }

  /** By SIGKILL; resolves when it has ended. */
  async kill(): Promise<void> {
    const hub = this.#hub!
    const end = once(hub, 'exit')
    hub.kill('SIGKILL')
    await end
  }

  /** After its end: in the same directories, at the same HTTP port. Resolves when it is up. */
  restart(): Promise<void> {
    return this.#up({ CALLBOARD_HTTP: new URL(this.url).host })
  }

  async #up(settings: { readonly [key: string]: string } = {}): Promise<void> {
    const { enter = [], environment } = this.#surroundings
    const env = {
      ...this.environment,
      CALLBOARD_LOG_LEVEL: 'info',
      BENCH_PROBE: this.probe,
      ...environment,
      ...settings,
    }
    const [first, ...words] = [...enter, process.execPath, ...this.#nodeOptions, command, 'hub', '--stdio']
    // On our stdio it ends with us, however we end.
    const child = this.#keep(spawn(first!, words, { env, stdio: ['pipe', 'ignore', 'pipe'] }))
    this.#hub = child
    const isUp = new Promise<void>((resolve) => {
      child.stderr!.on('data', (chunk) => `${chunk}`.includes('hub is up') && resolve())
    })
    await Promise.race([isUp, ended(child, 'the hub')])
  }

  get pid(): number {
    return this.#hub!.pid!
  }

  /** What the hub's process has used of a CPU so far, in ms; in steps of 10. */
  get cpuMs(): number {
    const [user, system] = readFileSync(`/proc/${this.pid}/stat`, 'utf8').split(') ')[1]!.split(' ').slice(11, 13)
    return (Number(user) + Number(system)) * 10
  }

  get operatorSecret(): string {
    return readFileSync(join(this.directory, 'data', 'operator.secret'), 'utf8').trim()
  }

  /** A worker's program; resolves with what it tells when it is welcomed. @throws when it ends before that */
  async worker(file: string, words: readonly string[] = [], { enter = [], environment = {} }: Surroundings = {}) {
    const env = { ...this.environment, CALLBOARD_LOG_LEVEL: 'error', ...environment }
    const [execPath, ...execArgv] = [...enter, process.execPath]
    const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as ('ignore' | 'inherit' | 'ipc')[]
    const child = this.#keep(fork(file, words, { env, stdio, execPath: execPath!, execArgv }))
    const [told] = (await Promise.race([once(child, 'message'), ended(child, file)])) as [unknown]
    return { child, told }
  }

  /** One of the workers that come with Callboard, in a process of its own. Resolves when it has said that it is signed in. */
  async builtInWorker(name: string): Promise<ChildProcess> {
    const env = { ...this.environment, CALLBOARD_LOG_LEVEL: 'info' }
    const child = this.#keep(
      spawn(process.execPath, [command, 'worker', name], { env, stdio: ['pipe', 'ignore', 'pipe'] }),
    )
    const isReady = new Promise<void>((resolve) => {
      child.stderr!.on('data', (chunk) => /signed in|welcome/i.test(`${chunk}`) && resolve())
    })
    await Promise.race([isReady, ended(child, name)])
    return child
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ends = [...this.#children].map((child) => once(child, 'exit'))
    this.#killAll()
    await Promise.all(ends)
    this.#clear()
  }

  #killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL')
  }

  /** Who was killed may still be writing. */
  #clear(): void {
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 3 })
  }

  #keep(child: ChildProcess): ChildProcess {
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
    return child
  }
}

async function ended(child: ChildProcess, name: string): Promise<never> {
  const [code, signal] = await once(child, 'exit')
  throw new Error(`${name} has ended (${code ?? signal}) too soon`)
}
