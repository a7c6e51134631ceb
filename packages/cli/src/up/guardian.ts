import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Variables } from '../environment.js'
import * as limits from '../limits.js'
import { guardianScript } from './guardian-script.js'
import { RestartPolicy } from './restart-policy.js'

export interface GuardianOptions {
  /** Of its process: a `PATH` for `sleep`, and what tells people whose guardian it is. */
  readonly variables: Variables
  /** A guardian that can't be: said once, until there is one again. */
  readonly failed: (why: string) => void
  readonly shell?: string
}

/**
 * Sees to it that no worker outlives us, in whichever way we end. A worker ends by itself when it reads the end of its stdin;
 * one that is stopped, or busy for good, reads nothing. So a small process of its own, which no signal to our terminal reaches,
 * holds the list of worker processes and one end of a pipe: when that closes, it gives them the time to end by themselves, and
 * ends what is left. A death signal of the kernel would give no such time, is no part of other systems, and is lost when a
 * thread of ours ends; a cgroup needs rights.
 */
export class Guardian {
  readonly #options: GuardianOptions
  readonly #groups = new Map<number, string>()
  readonly #policy = new RestartPolicy(Math.random)
  #child: ChildProcess | undefined
  #restart: NodeJS.Timeout | undefined
  #isStopping = false

  constructor(options: GuardianOptions) {
    this.#options = options
  }

  start(): void {
    const startedAt = performance.now()
    const child = this.#spawn()
    if (child === undefined) return this.#again('it could not be started', 0)
    this.#child = child
    // It may be gone before we know; its exit says so.
    child.stdin?.on('error', () => {})
    const ended = (how: string) => {
      if (this.#child !== child) return
      this.#child = undefined
      if (!this.#isStopping) this.#again(how, performance.now() - startedAt)
    }
    child.once('error', (error) => ended(error.message))
    child.once('exit', (code, signal) => ended(signal ?? `exit code ${code}`))
    this.#tell()
  }

  /** A child of ours that leads a process group, right after its start: its number is certainly its own. */
  add(pid: number): void {
    this.#groups.set(pid, startOf(pid))
    this.#tell()
  }

  /** One that has ended, with its group. */
  remove(pid: number): void {
    this.#groups.delete(pid)
    this.#tell()
  }

  /** When no worker is left. Idempotent. */
  async stop(): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#restart)
    const child = this.#child
    if (child?.pid === undefined) return
    const gone = once(child, 'exit')
    child.stdin?.end()
    await Promise.race([gone, delay(limits.flushMs, undefined, { ref: false })])
    child.kill('SIGKILL')
    await gone
  }

  #spawn(): ChildProcess | undefined {
    const { shell = '/bin/sh', variables } = this.#options
    const words = ['-c', guardianScript, 'callboard-guardian', String(limits.guardianGraceMs / limits.guardianPollMs)]
    try {
      return spawn(shell, words, {
        detached: true,
        cwd: '/',
        stdio: ['pipe', 'ignore', 'ignore'],
        env: { ...variables },
      })
    } catch {
      return undefined
    }
  }

  #again(how: string, livedMs: number): void {
    const { delayMs, crashLoop } = this.#policy.exited({ livedMs, code: null, hasSignedIn: false })
    if (crashLoop === 'begins') this.#options.failed(how)
    this.#restart = setTimeout(() => this.start(), delayMs)
  }

  /** The whole list each time: it counts only with its end of line, so it is never known by half. */
  #tell(): void {
    const list = [...this.#groups].map(([pid, start]) => `${pid}:${start}`).join(' ')
    if (this.#child?.stdin?.writable === true) this.#child.stdin.write(`${list}\n`)
  }
}

/** What tells a process from a later one of that number; empty where the system does not say. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}
