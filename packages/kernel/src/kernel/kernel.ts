import { mkdir } from 'node:fs/promises'
import { ToolError } from '@callboard/worker'
import type { KernelConfig } from '../config.js'
import { deadlineMarginMs, queueRetryAfterMs } from '../limits.js'
import { RunOutput } from '../output/run-output.js'
import type { Agent, KernelRecords } from '../records/records.js'
import { type Death, explainDeath, type KillCause } from '../runtime/death.js'
import { PythonRuntime, type PythonRuntimeOptions } from '../runtime/python/python-runtime.js'
import { KernelStartError } from '../runtime/python/startup-conversation.js'
import type { Runtime } from '../runtime/runtime.js'
import { type CellOutcome, CellRun } from './cell-run.js'
import { DeathToll } from './death-toll.js'
import { type Failure, type RunReport, refusedReport, reportOf } from './run-report.js'
import { settling, type Work, WorkQueue } from './work-queue.js'

export interface EvalRequest {
  readonly code: string
  readonly timeoutMs: number
  /** UTC ms, read when the run starts. */
  readonly deadline: () => number
  readonly signal: AbortSignal
  /** Called when the run has written something; read it by `Kernel.output`. */
  readonly onOutput?: () => void
  readonly onStart?: () => void
}

/** What a kernel asks of the house it lives in. */
export interface KernelHouse {
  readonly config: KernelConfig
  readonly records: KernelRecords
  /** Makes room for one more process, or throws the ToolError `overloaded`. The place is kept until `release`. */
  admit(kernel: Kernel): Promise<{ readonly release: () => void }>
  workingDirectory(sessionId: string): string
}

export type KernelState = 'absent' | 'idle' | 'busy' | 'dead'

interface Active {
  readonly run: CellRun
  readonly id: number
  readonly endsBy: number
  readonly request: EvalRequest
}

export interface ResetOutcome {
  readonly level: ResetLevel
  /** Of the process afterwards; null when there is none. */
  readonly epoch: number | null
  /** How many names of the user went. */
  readonly names: number
}

export type ResetLevel = 'names' | 'process'

interface Live {
  readonly runtime: Runtime
  readonly epoch: number
  runs: number
}

/** The kernel of one agent: its queue, and the process that comes with the first eval and may come and go. */
export class Kernel {
  readonly agent: Agent
  readonly #house: KernelHouse
  readonly #queue = new WorkQueue()
  readonly #toll = new DeathToll()
  #live: Live | undefined
  #ending: Promise<unknown> | undefined
  /** The row of the last process that ended. */
  #recorded: Promise<void> = Promise.resolve()
  #active: Active | undefined
  /** Told with the next reply. */
  #notices: string[] = []
  #names: string[] = []
  readonly #outputs = new Map<number, RunOutput>()
  #lastDeath: string | undefined
  /** How often a reset was asked for: a run that saw fewer at its beginning is one of those to stop. */
  #resets = 0
  #closed = false
  #known = false

  constructor(agent: Agent, house: KernelHouse) {
    this.agent = agent
    this.#house = house
  }

  /** Runs after those that were asked for before. Never rejects for what the code did. */
  evaluate(request: EvalRequest): Promise<RunReport> {
    if (this.#queue.length >= this.#house.config.maxQueuedRuns) {
      const message = `This kernel runs a cell and ${this.#queue.length} more wait. Try again later.`
      return Promise.resolve(
        refusedReport({ code: 'queue_full', message, retryable: true, retryAfterMs: queueRetryAfterMs }),
      )
    }
    return new Promise((resolve, reject) => {
      const dequeue = () => this.#queue.refuse(work, failureOf(cancelled()))
      const work: Work = {
        perform: () => {
          request.signal.removeEventListener('abort', dequeue)
          return settling(this.#perform(request), resolve, reject)
        },
        refuse: (failure) => resolve(refusedReport(failure)),
      }
      request.signal.addEventListener('abort', dequeue, { once: true })
      this.#queue.push(work)
    })
  }

  /** Stops the active run, drops those that wait, then clears the names or makes a new process (if there was one). */
  reset(level: ResetLevel): Promise<ResetOutcome> {
    this.#queue.refuseAll({
      code: 'cancelled',
      message: 'weave_reset dropped this run before it started.',
      retryable: false,
    })
    if (!this.#live && !this.#queue.busy) return Promise.resolve({ level, epoch: null, names: 0 })
    this.#resets += 1
    const namesBefore = this.#names.length
    if (level === 'names') this.#active?.run.stop('reset')
    else void this.#live?.runtime.terminate('reset')
    return new Promise((resolve, reject) => {
      this.#queue.pushFirst({
        perform: () => settling(this.#reset(level, namesBefore), resolve, reject),
        refuse: ({ code, message }) => reject(new ToolError(code, message)),
      })
    })
  }

  /** Ends the process; the agent may come back, and is told. */
  async retire(cause: KillCause): Promise<void> {
    if (this.#live) await this.#end(this.#live, cause)
  }

  /** For good. */
  async close(cause: KillCause): Promise<void> {
    this.#closed = true
    this.#queue.refuseAll({
      code: 'unavailable',
      message: 'The kernel was closed before this run started.',
      retryable: false,
    })
    if (this.#live) await this.#live.runtime.terminate(cause)
    // A process that is on its way finds the kernel closed, and ends; a run that has ended is still recorded.
    await this.#queue.settled()
    await this.#recorded
  }

  get state(): KernelState {
    if (this.#queue.busy) return 'busy'
    if (this.#live) return 'idle'
    return this.#lastDeath === undefined ? 'absent' : 'dead'
  }

  get hasProcess(): boolean {
    return this.#live !== undefined
  }

  get lastUsedAt(): number {
    return this.#queue.idleSince
  }

  get epoch(): number | null {
    return this.#live?.epoch ?? null
  }

  get pid(): number | null {
    return this.#live?.runtime.pid ?? null
  }

  get runtime(): Runtime | undefined {
    return this.#live?.runtime
  }

  get runningRun(): number | null {
    return this.#active?.id ?? null
  }

  get queueLength(): number {
    return this.#queue.length
  }

  /** Newest last. */
  get names(): readonly string[] {
    return this.#names
  }

  get lastDeath(): string | null {
    return this.#lastDeath ?? null
  }

  /** UTC ms by which the running cell ends, by its time limit. */
  get busyUntil(): number | undefined {
    return this.#active?.endsBy
  }

  /** Of the running cell, so far. */
  get output():
    | { readonly stdout: string; readonly stderr: string; readonly stdoutBytes: number; readonly stderrBytes: number }
    | undefined {
    if (!this.#active) return undefined
    const { stdout, stderr } = this.#active.run.output
    return {
      stdout: stdout.read().text,
      stderr: stderr.read().text,
      stdoutBytes: stdout.totalBytes,
      stderrBytes: stderr.totalBytes,
    }
  }

  async #reset(level: ResetLevel, namesBefore: number): Promise<ResetOutcome> {
    const live = this.#live
    if (level === 'names' && live) {
      const cleared = await live.runtime.python?.clear(level)
      this.#names = []
      if (cleared) return { level, epoch: live.epoch, names: cleared.names }
    }
    // It did not answer, so only a new process is clean.
    if (live) await this.#end(live, 'reset')
    const { epoch } = await this.#ensureLive()
    return { level: 'process', epoch, names: namesBefore }
  }

  async #perform(request: EvalRequest): Promise<RunReport> {
    try {
      return await this.#run(request)
    } catch (error) {
      if (error instanceof ToolError) return refusedReport(failureOf(error), this.#takeNotices())
      throw error
    }
  }

  async #run(request: EvalRequest): Promise<RunReport> {
    if (request.signal.aborted) throw cancelled()
    this.#refuseWhenClosed()
    const resets = this.#resets
    const { records } = this.#house
    const session = await records.currentSession(this.agent)
    const live = await this.#ensureLive()
    if (request.signal.aborted || this.#resets !== resets) throw cancelled()
    const timeoutMs = Math.min(request.timeoutMs, request.deadline() - Date.now() - deadlineMarginMs)
    if (timeoutMs <= 0) {
      throw new ToolError('deadline_exceeded', 'Too little of the call’s time was left to start the run.')
    }
    const id = await records.beginRun(this.agent, live.epoch, request.code)
    const notices = this.#takeNotices()
    const startedAt = Date.now()
    const output = new RunOutput(() => request.onOutput?.())
    this.#outputs.set(id, output)
    const outcome = await this.#execute(live, id, output, { ...request, timeoutMs }, resets)
    const report = reportOf(outcome, {
      output,
      runId: id,
      epoch: live.epoch,
      timeoutMs,
      durationMs: Date.now() - startedAt,
      notices,
    })
    this.#rememberNames(report.names)
    return await this.#record(report, id, session.id, request.code, output)
  }

  async #execute(
    live: Live,
    id: number,
    output: RunOutput,
    request: EvalRequest,
    resets: number,
  ): Promise<CellOutcome> {
    const run = new CellRun(live.runtime, { run: id, code: request.code, resultMode: 'last' }, output)
    this.#active = { run, id, endsBy: Date.now() + request.timeoutMs, request }
    live.runs += 1
    request.onStart?.()
    try {
      const ended = run.execute(request.timeoutMs, request.signal)
      if (this.#resets !== resets) run.stop('reset')
      return await ended
    } finally {
      this.#active = undefined
    }
  }

  /** The code has run: a store that fails now must not hide what it did. */
  async #record(report: RunReport, id: number, sessionId: string, code: string, output: RunOutput): Promise<RunReport> {
    const status = report.status === 'refused' ? 'error' : report.status
    const { stdout, stderr } = output
    try {
      await this.#house.records.endRun(this.agent.owner, id, sessionId, {
        ...report,
        status,
        code,
        stdoutBytes: stdout.totalBytes,
        stderrBytes: stderr.totalBytes,
      })
      return report
    } catch {
      return {
        ...report,
        notices: [...report.notices, 'The store failed, so the history does not show how this run ended.'],
      }
    }
  }

  async #ensureLive(): Promise<Live> {
    if (this.#live) return this.#live
    this.#refuseWhenClosed()
    this.#refuseAfterManyDeaths()
    await this.#ending
    const place = await this.#house.admit(this)
    try {
      return await this.#start()
    } finally {
      place.release()
    }
  }

  async #start(): Promise<Live> {
    const { config, records } = this.#house
    const session = await records.currentSession(this.agent)
    const workingDirectory = this.#house.workingDirectory(session.id)
    await mkdir(workingDirectory, { recursive: true, mode: 0o700 })
    if (!this.#known && (await records.hadKernel(this.agent))) {
      this.#notices.push('Variables lost: the kernel worker was restarted, so this is a new Python process.')
    }
    const runtime = await startPython({
      python: config.python,
      workingDirectory,
      limits: config.limits,
      onOutput: (run, stream, bytes) => this.#outputs.get(run)?.push(stream, bytes),
      onDisplay: (run, bundle) => this.#outputs.get(run)?.display(bundle),
      onRequest: (request) => request.reject('UnavailableError', `${request.method} is not served.`),
      onNotice: () => {},
    })
    const epoch = await records.beginKernel(this.agent, runtime.pid)
    const live: Live = { runtime, epoch, runs: 0 }
    this.#known = true
    this.#live = live
    void runtime.died.then((death) => this.#mourn(live, death))
    if (this.#closed) {
      await runtime.kill('session_closed')
      this.#refuseWhenClosed()
    }
    return live
  }

  async #end(live: Live, cause: KillCause): Promise<void> {
    // At once, so that no run starts on a process that is about to end.
    if (this.#live === live) this.#live = undefined
    this.#ending = live.runtime.terminate(cause)
    await this.#ending
  }

  #mourn(live: Live, death: Death): void {
    if (this.#live === live) this.#live = undefined
    const reason = explainDeath(death)
    this.#lastDeath = reason
    this.#names = []
    if (live.runs > 0) this.#notices.push(`Variables lost: epoch ${live.epoch} of this kernel has ended. ${reason}`)
    if (death.cause === undefined || death.cause === 'stuck') this.#toll.add(Date.now())
    this.#recorded = this.#house.records
      .endKernel(this.agent.owner, live.epoch, death.code, death.signal, reason)
      .catch(() => {
        // The store is closed or away; the row only explains, nothing depends on it.
      })
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new ToolError('unavailable', 'This kernel was closed with its session.')
  }

  #refuseAfterManyDeaths(): void {
    const retryAfterMs = this.#toll.restMs(Date.now())
    if (retryAfterMs === 0) return
    const message = `This kernel died again and again within a minute, so it rests. Last: ${this.#lastDeath}`
    throw new ToolError('kernel_start_failed', message, { retryable: true, retryAfterMs })
  }

  #takeNotices(): string[] {
    const notices = this.#notices
    this.#notices = []
    return notices
  }

  #rememberNames({ added, changed, deleted }: RunReport['names']): void {
    const moved = new Set([...added, ...changed, ...deleted])
    this.#names = [...this.#names.filter((name) => !moved.has(name)), ...changed, ...added]
  }
}

async function startPython(options: PythonRuntimeOptions): Promise<Runtime> {
  try {
    return await PythonRuntime.start(options)
  } catch (error) {
    if (error instanceof KernelStartError) throw new ToolError('kernel_start_failed', error.message, { cause: error })
    throw error
  }
}

function cancelled(): ToolError {
  return new ToolError('cancelled', 'The call was cancelled before the run started; nothing ran.')
}

function failureOf({ code, message, retryable, retryAfterMs }: ToolError): Failure {
  return { code, message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}
