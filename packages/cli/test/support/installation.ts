import { type ChildProcess, type ChildProcessWithoutNullStreams, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished, vi } from 'vitest'

export const checkout = fileURLToPath(new URL('../../../..', import.meta.url))
export const binary = fileURLToPath(new URL('../../bin/callboard.js', import.meta.url))

export interface Finished {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/**
 * An installation of its own in temporary directories; at the end of the test, or when `atEnd` says so, none of its processes
 * is left.
 */
export class Installation {
  readonly directory = mkdtempSync(join(tmpdir(), 'cb-'))
  readonly runtime = join(this.directory, 'run')
  readonly data = join(this.directory, 'data')
  readonly environment: Record<string, string>

  constructor(
    variables: Record<string, string> = {},
    atEnd: (clean: () => Promise<void>) => void = (clean) => onTestFinished(clean),
  ) {
    this.environment = {
      PATH: process.env['PATH']!,
      HOME: this.directory,
      CALLBOARD_RUNTIME: this.runtime,
      CALLBOARD_DATA: this.data,
      CALLBOARD_HTTP: 'off',
      // One is enough for what is not about the others; empty: all that come along.
      CALLBOARD_WORKERS: 'kernel',
      ...variables,
    }
    atEnd(async () => {
      for (const pid of this.processes()) killHard(pid)
      await vi.waitFor(() => {
        if (this.processes().length > 0) throw new Error('processes are left')
      })
      rmSync(this.directory, { recursive: true, force: true })
    })
  }

  spawn(words: readonly string[], variables: Record<string, string> = {}): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [binary, ...words], {
      env: { ...this.environment, ...variables },
      cwd: this.directory,
      stdio: 'pipe',
    })
  }

  async run(words: readonly string[], variables: Record<string, string> = {}, input = ''): Promise<Finished> {
    const child = this.spawn(words, variables)
    const stdout = collect(child.stdout)
    const stderr = collect(child.stderr)
    child.stdin.on('error', () => {}).end(input)
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, stdout: stdout(), stderr: stderr() }
  }

  /** `callboard up`, when it says that its workers are ready. */
  async up(words: readonly string[] = [], variables: Record<string, string> = {}): Promise<ChildProcess> {
    const child = this.spawn(['up', ...words], variables)
    child.stderr.resume()
    const named = { ...this.environment, ...variables }['CALLBOARD_WORKERS']
    const workers = words.includes('--workers') ? words[words.indexOf('--workers') + 1]! : named
    await untilSaid(child, child.stdout, allReady((workers || 'kernel,scheduler,social,forum,qda').split(',')))
    return child
  }

  /** `callboard hub`, when it says that it is up. */
  async hub(words: readonly string[] = [], variables: Record<string, string> = {}): Promise<ChildProcess> {
    const child = this.spawn(['hub', ...words], variables)
    await untilSaid(child, child.stderr, /hub is up/)
    return child
  }

  /** A worker's program, when it says by a message that it is signed in. */
  async worker(file: string, words: readonly string[] = []): Promise<ChildProcess> {
    const child = fork(file, words, {
      env: this.environment,
      cwd: this.directory,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const [message] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown]
    if (message !== 'ready') throw new Error(`${file} ended before it was ready`)
    return child
  }

  /** Where the hub listens for HTTP. */
  async httpUrl(): Promise<URL> {
    const { hub } = JSON.parse((await this.run(['ls', '--json'])).stdout)
    return new URL(`http://${hub.http[0].host}:${hub.http[0].port}/mcp`)
  }

  /** Whatever runs for this installation: by its environment, or by where it works. */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((entry) => /^\d+$/.test(entry))
      .filter((pid) => this.#owns(pid))
      .map(Number)
  }

  /** The process that has this in its command line. */
  find(words: string): number {
    const pid = this.processes().find((each) => commandOf(each).includes(words))
    if (pid === undefined) throw new Error(`no process runs ${words}`)
    return pid
  }

  /** What a process holds in memory. */
  residentBytes(pid: number): number {
    const [, kibibytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kibibytes) * 1024
  }

  #owns(pid: string): boolean {
    try {
      if (/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return false
      if (readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${this.directory}/`)) return true
      return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${this.directory}/`)
    } catch {
      return false
    }
  }
}

/** Each in a line of its own, in whatever order. */
const allReady = (workers: readonly string[]) =>
  new RegExp(`^${workers.map((name) => `(?=[^]*${name} +ready)`).join('')}`)

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

export function collect(stream: NodeJS.ReadableStream): () => string {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return () => Buffer.concat(chunks).toString('utf8')
}

/** Waits for words on an output; fails when the process ends without them. */
export function untilSaid(child: ChildProcess, stream: NodeJS.ReadableStream, words: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = ''
    stream.on('data', (chunk: Buffer) => {
      said += chunk
      if (words.test(said)) resolve(said)
    })
    child.once('exit', (code) => reject(new Error(`it ended with ${code} and said: ${said}`)))
  })
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
