import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import * as limits from '../limits.js'
import { RestartPolicy } from './restart-policy.js'
import { StderrLines } from './stderr-lines.js'

export interface WorkerExit {
  readonly worker: string
  /** `exit code 1`, `SIGKILL`, or why it could not be started. */
  readonly how: string
  readonly code: number | null
  /** What it said last for people. */
  readonly complaint: string | undefined
  readonly restartInMs: number
  readonly isCrashLoop: boolean
}

export interface SupervisedWorkerOptions {
  readonly name: string
  /** Its stdin is held open as long as we live; its output comes by pipes. */
  readonly spawn: (name: string) => ChildProcess
  readonly writeLine: (line: string) => void
  readonly exited: (exit: WorkerExit) => void
  readonly random?: () => number
  readonly now?: () => number
}

/** One worker process after the other, until stopped. */
export class SupervisedWorker {
  readonly #options: SupervisedWorkerOptions
  readonly #policy: RestartPolicy
  readonly #now: () => number
  #child: ChildProcess | undefined
  #gone: Promise<void> = Promise.resolve()
  #restart: NodeJS.Timeout | undefined
  #stopping: Promise<void> | undefined

  constructor(options: SupervisedWorkerOptions) {
    this.#options = options
    this.#policy = new RestartPolicy(options.random ?? Math.random)
    this.#now = options.now ?? performance.now.bind(performance)
  }

  get isRunning(): boolean {
    return this.#child !== undefined
  }

  start(): void {
    const { name, spawn, writeLine } = this.#options
    const startedAt = this.#now()
    const child = spawn(name)
    const lines = new StderrLines(name, writeLine)
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => lines.push(chunk))
    // It may be gone before the supervisor is; its exit says so.
    child.stdin?.on('error', () => {})
    this.#child = child
    this.#gone = new Promise((resolve) => {
      const ended = (how: string, code: number | null) => {
        if (this.#child !== child) return
        this.#child = undefined
        lines.end()
        killGroup(child)
        resolve()
        if (this.#stopping === undefined) this.#again(how, code, lines.complaint, this.#now() - startedAt)
      }
      child.once('error', (error) => ended(error.message, null))
      child.once('close', (code, signal) => ended(signal ?? `exit code ${code}`, code))
      // A grandchild may hold the pipes open.
      child.once('exit', (code, signal) => {
        setTimeout(() => ended(signal ?? `exit code ${code}`, code), limits.flushMs).unref()
      })
    })
  }

  /** Asks it to end, and makes it end. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#end()
    return this.#stopping
  }

  async #end(): Promise<void> {
    clearTimeout(this.#restart)
    const child = this.#child
    if (child === undefined) return
    child.kill('SIGTERM')
    const patience = new AbortController()
    const isGone = await Promise.race([
      this.#gone.then(() => true),
      delay(limits.workerStopMs, false, { signal: patience.signal }).catch(() => false),
    ])
    patience.abort()
    if (!isGone) killGroup(child)
    await this.#gone
  }

  #again(how: string, code: number | null, complaint: string | undefined, livedMs: number): void {
    const { delayMs, isCrashLoop } = this.#policy.exited(livedMs)
    this.#restart = setTimeout(() => this.start(), delayMs)
    this.#options.exited({ worker: this.#options.name, how, code, complaint, restartInMs: delayMs, isCrashLoop })
  }
}

/** The worker leads a process group: nothing that it started may outlive it. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The group is empty.
  }
}
