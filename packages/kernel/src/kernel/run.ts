import type { ToolError, ToolResult } from '@callboard/worker'
import type { RunOutput } from '../output/run-output.js'
import type { FinalStatus, RunEnd, RunStatus } from '../records/run-records.js'
import type { ResultMode } from '../runtime/runtime.js'
import { within } from '../within.js'
import type { CellRun } from './cell-run.js'
import { type Failure, goingOnReport, type RunReport } from './run-report.js'

/** The MCP call that waits for a run, as long as it does: `tool()` of the module goes through it. */
export interface LiveCall {
  callTool(name: string, args: { readonly [name: string]: unknown }, signal: AbortSignal): Promise<ToolResult>
}

export interface RunSpec {
  readonly owner: string
  readonly id: number
  readonly code: string
  readonly timeoutMs: number
  readonly resultMode: ResultMode
  readonly runtime: string | undefined
  readonly expectEpoch: number | undefined
  /** The MCP session that asked for it: with it go those that still wait. */
  readonly session: string
  /** Its row says that it may have started, since it could at once. */
  readonly recordedAsRunning: boolean
}

/** One execution from the moment that it has a number. It starts at most once, and ends exactly once. */
export class Run {
  readonly spec: RunSpec
  readonly output: RunOutput
  /** Never rejects. */
  readonly ended: Promise<RunReport>
  /** While it executes. */
  #cell: CellRun | undefined
  #startedAt: number | undefined
  #epoch: number | undefined
  #report: RunReport | undefined
  #settle: (report: RunReport) => void = () => {}
  readonly #place: () => number
  readonly #watchers = new Set<() => void>()
  liveCall: LiveCall | undefined
  /** It is not to start, although it is no longer in the queue. */
  dropped: Failure | undefined

  /** `place` counts from 1 among the runs that wait. */
  constructor(spec: RunSpec, output: RunOutput, place: () => number) {
    this.spec = spec
    this.output = output
    this.#place = place
    this.ended = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  get id(): number {
    return this.spec.id
  }

  get status(): RunStatus {
    if (this.#report) return this.#report.status
    return this.#cell ? 'running' : 'queued'
  }

  get isEnded(): boolean {
    return this.#report !== undefined
  }

  get cell(): CellRun | undefined {
    return this.isEnded ? undefined : this.#cell
  }

  get epoch(): number | undefined {
    return this.#epoch
  }

  /** UTC ms. */
  get startedAt(): number | undefined {
    return this.#startedAt
  }

  get runningMs(): number {
    return this.#startedAt === undefined ? 0 : Date.now() - this.#startedAt
  }

  /** UTC ms by which it ends, by its time limit; undefined unless it runs. */
  get endsBy(): number | undefined {
    return this.cell && this.#startedAt !== undefined ? this.#startedAt + this.spec.timeoutMs : undefined
  }

  /** Undefined when it takes longer. */
  endedWithin(patienceMs: number): Promise<RunReport | undefined> {
    return within(patienceMs, this.ended)
  }

  /** As things stand now. */
  report(): RunReport {
    return this.#report ?? goingOnReport(this, this.#place())
  }

  start(cell: CellRun, epoch: number): void {
    this.#cell = cell
    this.#epoch = epoch
    this.#startedAt = Date.now()
  }

  readonly settle = (report: RunReport): void => {
    if (this.#report) return
    this.#report = report
    this.liveCall = undefined
    this.#watchers.clear()
    this.#settle(report)
  }

  /** Calls back after each piece of output until the run ends; returns how to stop. */
  watch(watcher: () => void): () => void {
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  changed(): void {
    for (const watcher of this.#watchers) watcher()
  }

  finalStatus({ status }: RunReport): FinalStatus {
    return status === 'queued' || status === 'running' ? 'refused' : status
  }
}

export function failureOf({ code, message, retryable, retryAfterMs }: ToolError): Failure {
  return { code, message, retryable, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** What its row keeps. */
export function endOf(run: Run, report: RunReport): RunEnd {
  const { stdout, stderr } = run.output
  return {
    status: run.finalStatus(report),
    code: run.spec.code,
    epoch: report.epoch,
    startedAt: run.startedAt ?? null,
    result: report.result,
    error: report.error,
    names: report.names,
    truncated: report.truncated,
    stdout: report.stdout,
    stderr: report.stderr,
    stdoutBytes: stdout.totalBytes,
    stderrBytes: stderr.totalBytes,
    spool: run.output.spool,
  }
}
