import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { type ComposeFile, type Mount, mountsOf, type Service } from './compose-file.js'

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ContainerOptions {
  readonly name: string
  readonly service: Service
  readonly secrets: ComposeFile['secrets']
  /** Of the network. */
  readonly namespace: string
  /** The file that it has as `/etc/hosts`. */
  readonly hosts: string
  /** As `/etc/passwd`. */
  readonly users: string
  /** For volumes and what compose keeps in memory. */
  readonly directory: string
  readonly checkout: string
  /** In place of what an image brings along. */
  readonly command: readonly string[]
}

/** Room for what a command of a health check or a call takes on a busy machine. */
const commandTimeoutMs = 30_000
const pollMs = 100

/**
 * A service's command as the container engine would run it, as far as a sandbox can stand in for one: the file's user, root
 * file system, volumes, secrets, capabilities and environment, and namespaces of its own. What is left out: limits of memory
 * and processes, the engine's filter of system calls, and the image, in whose place this machine's programs are.
 */
export class Container {
  readonly #options: ContainerOptions
  readonly #user: string
  readonly #group: string
  #sandbox: ChildProcess | undefined
  /** The first process of its namespaces, and the service's own. */
  #init = 0
  #main = 0
  #output = ''

  constructor(options: ContainerOptions) {
    this.#options = options
    const [user = '', group = user] = (options.service.user ?? '1000:1000').split(':')
    this.#user = user
    this.#group = group
  }

  get name(): string {
    return this.#options.name
  }

  get isRunning(): boolean {
    return this.#sandbox !== undefined && this.#sandbox.exitCode === null && this.#sandbox.signalCode === null
  }

  /** The last of what it wrote. */
  get output(): string {
    return this.#output
  }

  async start(): Promise<void> {
    const { namespace, command } = this.#options
    const words = ['netns', 'exec', namespace, 'bwrap', '--json-status-fd', '3', ...this.#sandboxWords()]
    const sandbox = spawn('ip', [...words, '--', ...this.#privileges(), ...command], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    this.#sandbox = sandbox
    this.#main = 0
    for (const stream of [sandbox.stdout!, sandbox.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.#output = `${this.#output}${text}`.slice(-100_000)
      })
    }
    this.#init = await readChildPid(sandbox.stdio[3] as Readable)
    // The second process is the command, after what makes its privileges has become it.
    while (this.isRunning && this.#main === 0) {
      this.#main = Number(this.#childrenOfInit()[0] ?? 0)
      await pause(pollMs)
    }
  }

  /** Its end by itself. */
  async ended(): Promise<Finished> {
    if (this.isRunning) await once(this.#sandbox!, 'exit')
    return { code: this.#sandbox!.exitCode, stdout: this.output, stderr: '' }
  }

  /** As an engine does it: told to end, and killed after the file's time. Resolves with whether it ended by itself. */
  async stop(): Promise<boolean> {
    if (!this.isRunning) return true
    const end = once(this.#sandbox!, 'exit')
    this.signal('SIGTERM')
    const graceMs = 1000 * Number.parseInt(this.#options.service.stop_grace_period ?? '10s', 10)
    const inTime = await Promise.race([end.then(() => true), pause(graceMs, false, { ref: false })])
    if (!inTime) this.kill()
    await end
    return inTime
  }

  /** To the service's own process alone. */
  signal(signal: NodeJS.Signals): void {
    process.kill(this.#main, signal)
  }

  /** With all that runs in it. */
  kill(): void {
    if (this.isRunning) this.#sandbox!.kill('SIGKILL')
  }

  async restart(): Promise<boolean> {
    const inTime = await this.stop()
    await this.start()
    return inTime
  }

  /** The program and its words by which `docker compose exec` would run `words` in here. */
  entry(words: readonly string[], variables: Readonly<Record<string, string>> = {}): readonly [string, ...string[]] {
    const own = Object.entries({ ...this.#environment(), ...variables }).map(([name, value]) => `${name}=${value}`)
    const enter = ['--target', String(this.#init), '--mount', '--pid', '--net', '--ipc', '--uts', '--wd=/']
    return ['nsenter', ...enter, '--', ...this.#privileges(), 'env', '-i', ...own, ...words]
  }

  async exec(words: readonly string[], variables: Readonly<Record<string, string>> = {}): Promise<Finished> {
    const [program, ...rest] = this.entry(words, variables)
    const child = spawn(program, rest, { stdio: ['ignore', 'pipe', 'pipe'], timeout: commandTimeoutMs })
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, stdout: stdout(), stderr: stderr() }
  }

  /** What the file's health check says. */
  async isHealthy(): Promise<boolean> {
    const [kind, ...words] = this.#options.service.healthcheck?.test ?? ['NONE']
    if (kind === 'NONE' || !this.isRunning) return this.isRunning
    return (await this.exec(kind === 'CMD-SHELL' ? ['/bin/sh', '-c', words[0]!] : words)).code === 0
  }

  /** @throws with the last of its output when it isn't in time, or has ended */
  async untilHealth(expected: boolean, timeoutMs: number): Promise<void> {
    const end = Date.now() + timeoutMs
    while ((await this.isHealthy()) !== expected) {
      if (Date.now() > end || (expected && !this.isRunning)) {
        throw new Error(
          `${this.name} did not become ${expected ? 'healthy' : 'unhealthy'}: ${this.output.slice(-2000)}`,
        )
      }
      await pause(pollMs)
    }
  }

  #childrenOfInit(): readonly string[] {
    const file = `/proc/${this.#init}/task/${this.#init}/children`
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean) : []
  }

  #environment(): Readonly<Record<string, string>> {
    const home = this.#user === '0' ? '/root' : '/home/node'
    const path = '/opt/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin'
    return { PATH: path, HOME: home, ...this.#options.service.environment }
  }

  #sandboxWords(): string[] {
    const { name, service, checkout, hosts, users } = this.#options
    const mounts = [...this.#memory(), ...this.#volumes(), ...this.#secrets()]
    const separate = ['pid', 'ipc', 'uts'].map((kind) => `--unshare-${kind}`)
    return [
      ...separate,
      ...['--hostname', name, '--die-with-parent', '--cap-add', 'ALL'],
      ...['--ro-bind', '/usr', '/usr', '--ro-bind', '/etc', '/etc', '--ro-bind', hosts, '/etc/hosts'],
      ...['--ro-bind', users, '/etc/passwd'],
      ...['bin', 'sbin', 'lib', 'lib64'].flatMap((folder) => ['--symlink', `usr/${folder}`, `/${folder}`]),
      ...['--proc', '/proc', '--dev', '/dev'],
      ...parentsOf(['/opt/callboard', '/opt/bin/node', ...mounts.map(({ target }) => target)]),
      ...['--ro-bind', checkout, '/opt/callboard', '--ro-bind', process.execPath, '/opt/bin/node'],
      ...['--symlink', '../callboard/packages/cli/bin/callboard.js', '/opt/bin/callboard'],
      ...mounts.flatMap(({ source, target, read_only }) => [read_only ? '--ro-bind' : '--bind', source, target]),
      ...(service.read_only ? ['--remount-ro', '/'] : []),
      '--clearenv',
      ...Object.entries(this.#environment()).flatMap(([variable, value]) => ['--setenv', variable, value]),
    ]
  }

  /** Directories in place of memory: a sandbox can't give the latter to another user. */
  #memory(): Mount[] {
    return (this.#options.service.tmpfs ?? []).map((entry) => {
      const [target = '', given = ''] = entry.split(':')
      const options = Object.fromEntries(given.split(',').map((option) => option.split('=')))
      const source = join(this.#options.directory, 'tmpfs', this.name, target)
      return { source: this.#own(source, Number.parseInt(options.mode ?? '1777', 8), options.uid, options.gid), target }
    })
  }

  #volumes(): Mount[] {
    return mountsOf(this.#options.service).map(({ source, ...mount }) => ({
      ...mount,
      source: source.startsWith('/') ? this.#own(source, 0o755) : this.#volume(source),
    }))
  }

  /** As new volumes do, it takes its owner over from the image. */
  #volume(source: string): string {
    const place = join(this.#options.directory, 'volumes', source)
    const owner = this.#user === '0' ? '1000' : this.#user
    return existsSync(place) ? place : this.#own(place, 0o700, owner, owner)
  }

  #own(place: string, mode: number, user = '0', group = user): string {
    if (existsSync(place)) return place
    const old = process.umask(0)
    mkdirSync(place, { recursive: true, mode })
    process.umask(old)
    chownSync(place, Number(user), Number(group))
    return place
  }

  #secrets(): Mount[] {
    const { service, secrets } = this.#options
    return (service.secrets ?? []).map((entry) => {
      const { source, target = source } = typeof entry === 'string' ? { source: entry } : entry
      return { source: secrets[source]!.file, target: resolve('/run/secrets', target), read_only: true }
    })
  }

  /** Without `cap_drop` of all, an engine leaves a list of its own; no service of ours wants it. */
  #privileges(): string[] {
    const { cap_add = [], security_opt = [] } = this.#options.service
    const kept = ['-all', ...cap_add.map((name) => `+${name.toLowerCase()}`)].join(',')
    const user = [`--reuid=${this.#user}`, `--regid=${this.#group}`, '--clear-groups']
    const none = security_opt.includes('no-new-privileges:true') ? ['--no-new-privs'] : []
    return ['setpriv', ...user, '--inh-caps=-all', `--bounding-set=${kept}`, ...none]
  }
}

/** Of the sandbox's first message, which may come in pieces. 0: it has ended before. */
async function readChildPid(status: Readable): Promise<number> {
  let text = ''
  for await (const chunk of status.iterator({ destroyOnReturn: false })) {
    text += chunk
    const [, pid] = /"child-pid": (\d+)\D/.exec(text) ?? []
    if (pid !== undefined) return Number(pid)
  }
  return 0
}

/** A sandbox would make them for root alone. */
function parentsOf(targets: readonly string[]): string[] {
  const parents = new Set<string>()
  for (const target of targets) {
    for (let parent = dirname(target); parent !== '/'; parent = dirname(parent)) parents.add(parent)
  }
  const made = [...parents].filter((parent) => !/^\/(usr|etc|proc|dev)\b/.test(parent)).sort()
  return made.flatMap((parent) => ['--perms', '0755', '--dir', parent])
}

function collect(stream: Readable): () => string {
  let output = ''
  stream.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  return () => output
}
