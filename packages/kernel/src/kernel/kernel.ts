import { ToolError } from '@callboard/worker'
import { interruptForceWaitMs, interruptWaitMs, outputsKeptMax, queueRetryAfterMs } from '../limits.js'
import type { RunRow } from '../records/run-records.js'
import type { KillCause } from '../runtime/death.js'
import type { ResultMode, Runtime } from '../runtime/runtime.js'
import { CellRun } from './cell-run.js'
import type { KernelHouse, ResetLevel } from './kernel-house.js'
import { KernelLife, type Life } from './kernel-life.js'
import { KernelOutputs } from './kernel-outputs.js'
import { NameList } from './name-list.js'
import { type ReplayLevel, type ReplayOutcome, replay as replayRuns } from './replay.js'
import { endOf, failureOf, Run } from './run.js'
import { type Failure, lastLineOf, type RunReport, refusedReport, reportOf } from './run-report.js'
import { settling, type Work, WorkQueue } from './work-queue.js'

export interface EvalRequest {
  readonly code: string
  readonly timeoutMs: number
  readonly resultMode: ResultMode
  /** Absent: whichever the kernel has, `python3` for a new one. */
  readonly runtime?: string
  readonly idempotencyKey: string
  readonly expectEpoch?: number
  readonly onBusy: 'queue' | 'reject'
  /** The MCP session that asks. */
  readonly session: string
}

/** A run that was begun now, or the one that the idempotency key stands for. */
export type Submitted = { readonly kind: 'new'; readonly run: Run } | { readonly kind: 'known'; readonly row: RunRow }

export interface InterruptOutcome {
  readonly outcome: 'interrupted' | 'dequeued' | 'not_running' | 'still_running' | 'killed'
  /** True only after the interpreter has answered. */
  readonly statePreserved: boolean
}

export interface ResetRequest {
  readonly level: ResetLevel
  readonly replay: ReplayLevel
  readonly clearSession: boolean
}

export interface ResetOutcome {
  /** What was done: `names` and `modules` become `process` when the kernel does not answer. */
  readonly level: ResetLevel
  /** Of the process afterwards; null when there is none. */
  readonly epoch: number | null
  /** How many names of the user went. */
  readonly names: number
  /** Modules that could not be dropped. */
  readonly kept: readonly string[]
  readonly replay: ReplayOutcome | null
}

export type KernelState = 'absent' | 'idle' | 'busy' | 'dead'

/** One kernel of an owner: its queue of runs, and the process that comes with the first eval and may come and go. */
export class Kernel {
  readonly owner: string
  /** Unique per owner: `session:…` for an agent's own, `named:…` for a shared one. */
  readonly key: string
  readonly #house: KernelHouse
  readonly #life: KernelLife
  readonly #queue = new WorkQueue()
  /** Those that wait, and how to take them out. */
  readonly #waiting = new Map<Run, Work>()
  /** By run id; the oldest ended ones are let go. */
  readonly #runs = new Map<number, Run>()
  readonly #outputs: KernelOutputs
  #active: Run | undefined
  /** Asked for, and not yet in the queue. */
  #submitting = 0
  /** Of those, how many have got their place. */
  #admitted = 0
  readonly #names = new NameList()
  #lastError: string | null = null
  /** How often a reset was asked for: a run that saw fewer at its beginning is one of those to stop. */
  #resets = 0
  #usedAt = Date.now()

  constructor(owner: string, key: string, house: KernelHouse) {
    this.owner = owner
    this.key = key
    this.#house = house
    this.#outputs = new KernelOutputs(owner, house.outputs)
    this.#life = new KernelLife(this, house, {
      onOutput: (run, stream, bytes) => this.#outputs.push(run, stream, bytes),
      onDisplay: (run, bundle) => {
        for (const shown of this.#outputs.display(run, bundle)) house.listener.shown(this, run, shown)
      },
      onRequest: (request) => house.listener.request(this, request),
      onNotice: (method, params) => house.listener.notice(this, method, params),
    })
  }

  /** Resolves when the run has its number and is on record; it starts after those asked for before. Throws a ToolError. */
  async submit(request: EvalRequest): Promise<Submitted> {
    this.#usedAt = Date.now()
    const { owner, key } = this
    const { code, idempotencyKey } = request
    const free = !this.#queue.busy && this.#submitting === 0
    const epoch = free ? (this.#life.current?.epoch ?? null) : null
    this.#submitting += 1
    let admitted = 0
    try {
      const admit = () => {
        this.#refuse(request)
        admitted = 1
        this.#admitted += admitted
      }
      const begun = await this.#house.runs.begin({ owner, kernel: key, code, idempotencyKey, epoch, admit })
      switch (begun.kind) {
        case 'known':
          return { kind: 'known', row: begun.run }
        case 'conflict':
          throw new ToolError(
            'idempotency_conflict',
            `This idempotency key stands for run ${begun.runId}, whose code was different. New code needs a new key.`,
          )
        case 'new':
          return { kind: 'new', run: this.#enqueue(begun.runId, request, epoch !== null) }
      }
    } finally {
      this.#submitting -= 1
      this.#admitted -= admitted
    }
  }

  /** Stops that run. Without `force` the process survives, whatever the code does. */
  async interrupt(run: Run, force: boolean): Promise<InterruptOutcome> {
    if (this.dequeue(run, `weave_interrupt took run ${run.id} out of the queue`)) {
      // At once, unless its process is being started just now.
      await run.endedWithin(interruptWaitMs)
      return { outcome: 'dequeued', statePreserved: await this.#preserves(run.epoch) }
    }
    if (!run.cell) return { outcome: 'not_running', statePreserved: await this.#preserves(run.epoch) }
    run.cell.stop('interrupt', force)
    const report = await run.endedWithin(force ? interruptForceWaitMs : interruptWaitMs)
    if (!report) return { outcome: 'still_running', statePreserved: false }
    if (report.status === 'kernel_died') return { outcome: 'killed', statePreserved: false }
    // It came to its own end at the same time.
    const outcome = report.status === 'ok' ? 'not_running' : 'interrupted'
    return { outcome, statePreserved: await this.#preserves(run.epoch) }
  }

  /** Keeps it from starting, if it has not: in the queue, or while its process starts. `why` is the beginning of a sentence. */
  dequeue(run: Run, why: string): boolean {
    if (run.status !== 'queued') return false
    const failure: Failure = { code: 'cancelled', message: `${why}; nothing ran.`, retryable: false }
    const work = this.#waiting.get(run)
    if (work) this.#queue.refuse(work, failure)
    else run.dropped ??= failure
    return true
  }

  /** That agent has gone: what it still waits for is not to start. */
  dropSession(session: string): void {
    for (const run of this.#runs.values()) {
      if (run.spec.session === session) this.dequeue(run, 'The session that asked for this run was closed')
    }
  }

  /** Stops the active run, drops those that wait, then clears the names or makes a new process (if there was one). */
  async reset(request: ResetRequest): Promise<ResetOutcome> {
    this.#usedAt = Date.now()
    const message = 'weave_reset dropped this run before it started.'
    this.#queue.refuseAll({ code: 'cancelled', message, retryable: false })
    this.#resets += 1
    const namesBefore = this.#names.newestLast.length
    if (request.level === 'process') void this.#life.current?.runtime.terminate('reset')
    else this.#active?.cell?.stop('reset', true)
    return new Promise((resolve, reject) => {
      this.#queue.pushFirst({
        perform: () => settling(this.#reset(request, namesBefore), resolve, reject),
        refuse: (failure) => reject(new ToolError(failure.code, failure.message)),
      })
    })
  }

  /** Ends the process; the agent may come back, and is told. */
  async retire(cause: KillCause): Promise<void> {
    await this.#life.end(cause)
  }

  /** For good. */
  async close(cause: KillCause): Promise<void> {
    this.#life.close()
    const message = 'The kernel was closed before this run started.'
    this.#queue.refuseAll({ code: 'unavailable', message, retryable: false })
    await this.#life.current?.runtime.terminate(cause)
    // A process that is on its way finds the kernel closed, and ends; a run that has ended is still recorded.
    await this.#queue.settled()
    await this.#outputs.close()
    await this.#life.recorded()
  }

  get state(): KernelState {
    if (this.#queue.busy || this.#submitting > 0) return 'busy'
    if (this.#life.current) return 'idle'
    return this.#life.lastDeath === undefined ? 'absent' : 'dead'
  }

  get runtime(): Runtime | undefined {
    return this.#life.current?.runtime
  }

  get epoch(): number | null {
    return this.#life.current?.epoch ?? null
  }

  get lastDeath(): string | null {
    return this.#life.lastDeath ?? null
  }

  get runtimeName(): string | undefined {
    return this.#life.runtimeName
  }

  /** The name that agents use, null for an agent's own. */
  get name(): string | null {
    return this.key.startsWith('named:') ? this.key.slice('named:'.length) : null
  }

  /** UTC ms. */
  get lastUsedAt(): number {
    return Math.max(this.#usedAt, this.#queue.idleSince)
  }

  /** What the next reply of a run will tell. */
  get notices(): readonly string[] {
    return this.#life.notices
  }

  /** Last line of the last error of a run; null when none has failed. */
  get lastError(): string | null {
    return this.#lastError
  }

  get active(): Run | undefined {
    return this.#active
  }

  get queueLength(): number {
    return this.#queue.length
  }

  /** Newest last. */
  get names(): readonly string[] {
    return this.#names.newestLast
  }

  /** UTC ms by which the last of its runs ends, by their time limits. */
  get busyUntil(): number | undefined {
    if (!this.#active?.endsBy) return undefined
    return [...this.#waiting.keys()].reduce((end, run) => end + run.spec.timeoutMs, this.#active.endsBy)
  }

  /** One that lives, or has ended not long ago. */
  findRun(id: number): Run | undefined {
    return this.#runs.get(id)
  }

  notice(text: string): void {
    this.#life.notice(text)
  }

  /** Into a run's stderr, as if it had written it. */
  write(run: number, text: string): void {
    this.#outputs.push(run, 'stderr', Buffer.from(text))
  }

  /** It is in use although nobody calls. */
  touch(): void {
    this.#usedAt = Date.now()
  }

  #refuse({ runtime, expectEpoch, onBusy }: EvalRequest): void {
    this.#life.checkRuntime(runtime)
    if (expectEpoch !== undefined && this.epoch !== expectEpoch) throw this.#epochMismatch(expectEpoch)
    const ahead = this.#queue.length + (this.#queue.busy ? 1 : 0) + this.#admitted
    if (onBusy === 'reject' && ahead > 0) {
      const busy = this.#active ? `runs cell ${this.#active.id}` : 'is busy'
      throw queueFull(`This kernel ${busy}. Call weave_wait, or leave on_busy out to queue behind it.`)
    }
    if (ahead > this.#house.config.maxQueuedRuns) {
      throw queueFull(`This kernel runs a cell and ${ahead - 1} more wait. Try again later.`)
    }
  }

  #epochMismatch(expected: number): ToolError {
    const now = this.epoch === null ? 'has no process now' : `is in epoch ${this.epoch}`
    return new ToolError(
      'epoch_mismatch',
      `This kernel ${now}, not in epoch ${expected}: variables of that epoch are gone. ${this.lastDeath ?? ''}`.trim(),
    )
  }

  #enqueue(id: number, request: EvalRequest, recordedAsRunning: boolean): Run {
    const { code, timeoutMs, resultMode, session, runtime, expectEpoch } = request
    let onChange = () => {}
    const output = this.#outputs.open(id, () => onChange())
    const spec = {
      owner: this.owner,
      id,
      code,
      timeoutMs,
      resultMode,
      session,
      runtime,
      expectEpoch,
      recordedAsRunning,
    }
    const run: Run = new Run(spec, output, () => this.#queue.placeOf(work))
    onChange = () => run.changed()
    const work: Work = {
      perform: () => {
        this.#waiting.delete(run)
        return settling(this.#perform(run), run.settle, () => {})
      },
      refuse: (failure) => {
        this.#waiting.delete(run)
        void this.#refused(run, failure)
      },
    }
    this.#remember(run)
    this.#waiting.set(run, work)
    this.#queue.push(work)
    return run
  }

  /** Never rejects. */
  async #perform(run: Run): Promise<RunReport> {
    try {
      return await this.#run(run)
    } catch (error) {
      this.#outputs.end(run.id)
      const failure = error instanceof ToolError ? failureOf(error) : internalFailure
      return this.#record(run, refusedReport(failure, this.#life.takeNotices()))
    } finally {
      this.#active = undefined
    }
  }

  async #run(run: Run): Promise<RunReport> {
    const resets = this.#resets
    const { id, timeoutMs, code, resultMode, expectEpoch, runtime } = run.spec
    const life = await this.#life.ensure(runtime)
    if (this.#resets !== resets) throw new ToolError('cancelled', 'weave_reset dropped this run before it started.')
    if (expectEpoch !== undefined && life.epoch !== expectEpoch) throw this.#epochMismatch(expectEpoch)
    if (!run.spec.recordedAsRunning) await this.#house.runs.start(this.owner, id, life.epoch)
    if (run.dropped) throw new ToolError(run.dropped.code, run.dropped.message)
    const cell = new CellRun(life.runtime, { run: id, code, resultMode })
    this.#active = run
    const notices = [...this.#life.takeNotices(), ...this.#outputs.takeLate()]
    run.start(cell, life.epoch)
    life.runs += 1
    this.#house.listener.runStarted(this, run)
    // Asked for while the row was written.
    if (this.#resets !== resets) cell.stop('reset', true)
    const outcome = await cell.execute(timeoutMs)
    this.#outputs.end(id)
    const { output, runningMs: durationMs } = run
    const told = [...notices, ...this.#outputs.losses(output)]
    const frame = { output, runId: id, epoch: life.epoch, timeoutMs, durationMs, notices: told }
    const report = reportOf(outcome, frame)
    this.#names.apply(report.names)
    if (report.error !== null) this.#lastError = lastLineOf(report.error)
    if (outcome.kind === 'died') this.#names.clear()
    const recorded = await this.#record(run, report)
    this.#house.listener.runEnded(this, run)
    return recorded
  }

  async #refused(run: Run, failure: Failure): Promise<void> {
    this.#outputs.end(run.id)
    const report = refusedReport(failure)
    run.settle(report)
    await this.#record(run, report)
  }

  /** The code may have run: a store that fails now must not hide what it did. */
  async #record(run: Run, report: RunReport): Promise<RunReport> {
    try {
      const session = await this.#house.currentSession(this)
      const gone = await this.#house.runs.end(this.owner, run.id, session, endOf(run, report))
      await this.#house.outputs.forget(gone)
      return report
    } catch {
      const lost = 'The store failed, so the history does not show how this run ended.'
      return { ...report, notices: [...report.notices, lost] }
    }
  }

  async #reset({ level, replay, clearSession }: ResetRequest, namesBefore: number): Promise<ResetOutcome> {
    await this.#house.listener.reset(this, level, clearSession)
    if (replay === 'none') await this.#house.kernels.forgetJournal(this.owner, this.key)
    const cleared = level === 'process' ? undefined : await this.#life.current?.runtime.python?.clear(level)
    this.#names.clear()
    const done = cleared
      ? { level, names: cleared.names, kept: cleared.kept }
      : { level: 'process' as const, names: namesBefore, kept: [] }
    // What does not answer is not clean: only a new process is.
    const hadProcess = this.#life.current !== undefined || this.#life.runtimeName !== undefined
    if (!cleared) await this.#life.end('reset')
    if (!cleared && replay === 'none') this.#life.forgetRuntime()
    if (!hadProcess && replay === 'none') return { ...done, epoch: null, replay: null }
    const life = await this.#life.ensure(undefined)
    this.#life.takeNotices()
    const replayed = replay === 'none' ? null : await this.#replay(life, replay)
    return { ...done, epoch: life.epoch, replay: replayed }
  }

  async #replay(life: Life, level: Exclude<ReplayLevel, 'none'>): Promise<ReplayOutcome> {
    const { runs, kernels } = this.#house
    const rows = await runs.journal(this.owner, this.key, await kernels.journalFrom(this.owner, this.key))
    life.runs += 1
    const rememberNames = (names: RunReport['names']) => this.#names.apply(names)
    return this.#outputs.muting(() => replayRuns(life.runtime, rows, level, rememberNames))
  }

  async #preserves(epoch: number | undefined): Promise<boolean> {
    const life = this.#life.current
    if (!life || (epoch !== undefined && life.epoch !== epoch)) return false
    return life.runtime.probe()
  }

  #remember(run: Run): void {
    this.#runs.set(run.id, run)
    if (this.#runs.size <= outputsKeptMax) return
    for (const [id, old] of this.#runs) {
      if (this.#runs.size <= outputsKeptMax) return
      if (old.isEnded) this.#runs.delete(id)
    }
  }
}

const internalFailure: Failure = {
  code: 'internal',
  message: 'The kernel worker failed; its log says how. Nothing of this run was started.',
  retryable: true,
}

function queueFull(message: string): ToolError {
  return new ToolError('queue_full', message, { retryable: true, retryAfterMs: queueRetryAfterMs })
}
