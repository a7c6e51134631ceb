import type { ChildProcess } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import type { SupervisedStatus } from '@callboard/hub'
import * as limits from '../limits.js'
import { killGroup, killTree } from './kill-tree.js'
import { type RestartDecision, RestartPolicy } from './restart-policy.js'
import { StderrLines } from './stderr-lines.js'

export interface WorkerExit {
  readonly worker: string
  /** `exit code 1`, `SIGKILL`, or why it could not be started. */
  readonly how: string
  readonly code: number | null
  /** What it said last for people. */
  readonly complaint: string | undefined
  readonly restartInMs: number
  readonly crashLoop: RestartDecision['crashLoop']
}

export interface SupervisedWorkerOptions {
  readonly name: string
  /** Its stdin is held open as long as we live; its output comes by pipes. It leads a process group. */
  readonly spawn: (name: string) => ChildProcess
  readonly writeLine: (line: string) => void
  readonly exited: (exit: WorkerExit) => void
  /** It has signed in after a crash loop. */
  readonly recovered?: (worker: string) => void
  /** Is told of each process, until that is gone with its group. */
  readonly guardian?: { add(pid: number): void; remove(pid: number): void }
  readonly random?: () => number
  readonly now?: () => number
}

/** One worker process after the other, until stopped. */
export class SupervisedWorker {
  readonly #options: SupervisedWorkerOptions
  readonly #policy: RestartPolicy
  readonly #now: () => number
  #child: ChildProcess | undefined
  #hasSignedIn = false
  #starts = 0
  #startedAt = 0
  #endsInARow = 0
  #crashLoopingSince: number | undefined
  #lastExit: SupervisedStatus['lastExit']
  #restartsAt: number | undefined
  #gone: Promise<void> = Promise.resolve()
  #restart: NodeJS.Timeout | undefined
  #stopping: Promise<void> | undefined

  constructor(options: SupervisedWorkerOptions) {
    this.#options = options
    this.#policy = new RestartPolicy(options.random ?? Math.random)
    this.#now = options.now ?? performance.now.bind(performance)
  }

  get status(): SupervisedStatus {
    const pid = this.#child?.pid
    return {
      worker: this.#options.name,
      state: this.#state(),
      restarts: Math.max(0, this.#starts - 1),
      endsInARow: this.#isHealthy() ? 0 : this.#endsInARow,
      ...(pid !== undefined && { pid }),
      ...(this.#restartsAt !== undefined && { restartsAt: this.#restartsAt }),
      ...(this.#crashLoopingSince !== undefined && { crashLoopingSince: this.#crashLoopingSince }),
      ...(this.#lastExit !== undefined && { lastExit: this.#lastExit }),
    }
  }

  start(): void {
    const { name, spawn, writeLine } = this.#options
    this.#startedAt = this.#now()
    this.#starts += 1
    this.#restartsAt = undefined
    this.#hasSignedIn = false
    const lines = new StderrLines(name, writeLine)
    try {
      this.#child = spawn(name)
    } catch (error) {
      return this.#again((error as Error).message, null, undefined)
    }
    this.#gone = this.#watch(this.#child, lines, (how, code) => {
      if (this.#stopping === undefined) this.#again(how, code, lines.complaint)
    })
  }

  /** The hub has signed in a worker of this name. Which process it was is not known: one that is started by hand counts as ours. */
  signedIn(): void {
    if (this.#child === undefined) return
    this.#hasSignedIn = true
    if (this.#crashLoopingSince === undefined) return
    this.#crashLoopingSince = undefined
    this.#options.recovered?.(this.#options.name)
  }

  /** Asks it to end, and makes it end. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#end()
    return this.#stopping
  }

  /** Resolves when the process is gone, with what was left in its group. */
  #watch(child: ChildProcess, lines: StderrLines, ended: (how: string, code: number | null) => void): Promise<void> {
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => lines.push(chunk))
    // It may be gone before the supervisor is; its exit says so.
    child.stdin?.on('error', () => {})
    const { pid } = child
    if (pid !== undefined) this.#options.guardian?.add(pid)
    return new Promise((resolve) => {
      const over = (how: string, code: number | null) => {
        if (this.#child !== child) return
        this.#child = undefined
        lines.end()
        resolve()
        ended(how, code)
      }
      child.on('error', (error) => {
        // A process that there is has other errors as well.
        if (pid === undefined) over(error.message, null)
      })
      child.once('exit', (code, signal) => {
        // At once: the number is free as soon as nothing is left of the group.
        if (pid !== undefined) killGroup(pid)
        if (pid !== undefined) this.#options.guardian?.remove(pid)
        // What has left the group may hold the pipes open.
        setTimeout(() => over(signal ?? `exit code ${code}`, code), limits.flushMs).unref()
      })
      child.once('close', (code, signal) => over(signal ?? `exit code ${code}`, code))
    })
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
    if (!isGone && child.pid !== undefined && isThere(child)) killTree(child.pid)
    await this.#gone
  }

  #again(how: string, code: number | null, complaint: string | undefined): void {
    const livedMs = this.#now() - this.#startedAt
    const end = { livedMs, code, hasSignedIn: this.#hasSignedIn }
    const { delayMs, endsInARow, crashLoop } = this.#policy.exited(end)
    const at = Date.now()
    this.#endsInARow = endsInARow
    this.#lastExit = { how, at, ...(complaint !== undefined && { complaint }) }
    this.#restartsAt = at + delayMs
    if (crashLoop === 'none') this.#crashLoopingSince = undefined
    else this.#crashLoopingSince ??= at
    this.#restart = setTimeout(() => this.start(), delayMs)
    this.#options.exited({ worker: this.#options.name, how, code, complaint, restartInMs: delayMs, crashLoop })
  }

  #isHealthy(): boolean {
    return this.#child !== undefined && this.#now() - this.#startedAt >= limits.healthyMs
  }

  #state(): SupervisedStatus['state'] {
    if (this.#crashLoopingSince !== undefined) return 'crash_looping'
    if (this.#child === undefined) return 'restarting'
    return this.#hasSignedIn ? 'running' : 'starting'
  }
}

/** Its exit is not known yet, so its number is its own. */
const isThere = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null
