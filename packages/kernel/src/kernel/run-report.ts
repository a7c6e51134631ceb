import type { RunOutput } from '../output/run-output.js'
import { explainDeath } from '../runtime/death.js'
import type { CellEnd, NameChanges } from '../runtime/runtime.js'
import type { CellOutcome } from './cell-run.js'

export type RunReportStatus = 'ok' | 'error' | 'interrupted' | 'timeout' | 'kernel_died' | 'refused'

/** The error object that all workers share, as a tool whose `error` is a string by contract carries it. */
export interface Failure {
  readonly code: string
  readonly message: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

/** What weave_eval answers. `success` is true exactly for `ok`, `error` is null exactly then. */
export interface RunReport {
  readonly result: string | null
  readonly stdout: string
  readonly stderr: string
  readonly success: boolean
  readonly error: string | null
  readonly status: RunReportStatus
  readonly run_id: number | null
  readonly epoch: number | null
  readonly duration_s: number
  readonly names: NameChanges
  readonly truncated: Truncated | null
  readonly failure: Failure | null
  readonly notices: string[]
}

export interface Truncated {
  readonly result?: number
  readonly stdout?: number
  readonly stderr?: number
  readonly error?: number
}

export interface ReportFrame {
  readonly output: RunOutput
  readonly runId: number
  readonly epoch: number
  readonly timeoutMs: number
  readonly durationMs: number
  readonly notices: readonly string[]
}

/** Nothing ran. */
export function refusedReport(failure: Failure, notices: readonly string[] = []): RunReport {
  return {
    result: null,
    stdout: '',
    stderr: '',
    success: false,
    error: `${failure.code}: ${failure.message}`,
    status: 'refused',
    run_id: null,
    epoch: null,
    duration_s: 0,
    names: { added: [], changed: [], deleted: [] },
    truncated: null,
    failure,
    notices: [...notices],
  }
}

export function reportOf(outcome: CellOutcome, frame: ReportFrame): RunReport {
  const report =
    outcome.kind === 'finished' ? finishedReport(outcome.finished, outcome, frame) : diedReport(outcome, frame)
  const { stdout, stderr } = frame.output
  return { ...report, stdout: stdout.read().text, stderr: stderr.read().text, notices: [...frame.notices] }
}

function finishedReport(finished: CellEnd, outcome: CellOutcome, frame: ReportFrame): RunReport {
  const status = finished.outcome === 'interrupted' && outcome.stopped === 'timeout' ? 'timeout' : finished.outcome
  const error =
    finished.error === null ? null : [wellFormed(finished.error), ...stopLines(finished, outcome, frame)].join('\n')
  return {
    ...emptyReport(frame),
    result: finished.result === null ? null : wellFormed(finished.result),
    success: status === 'ok',
    error,
    status,
    duration_s: finished.durationS,
    names: finished.names,
    truncated: truncatedOf(frame.output, finished.resultOmitted, finished.errorOmitted),
  }
}

/** The last line of the error says why, for clients that know the contract's fields only. */
function stopLines(finished: CellEnd, { stopped }: CellOutcome, { runId, timeoutMs }: ReportFrame): readonly string[] {
  if (finished.outcome !== 'interrupted') return []
  const seconds = Math.round(timeoutMs / 100) / 10
  switch (stopped) {
    case 'timeout':
      return [`Timeout: run ${runId} was interrupted after ${seconds} s; the kernel lives and its variables are kept.`]
    case 'cancelled':
      return [`Interrupted: the call of run ${runId} was cancelled; the kernel lives and its variables are kept.`]
    case 'reset':
      return [`Interrupted: run ${runId} was stopped by weave_reset.`]
    case undefined:
      return []
  }
}

function diedReport(outcome: Extract<CellOutcome, { kind: 'died' }>, frame: ReportFrame): RunReport {
  const message = `The Python process died during run ${frame.runId}. ${explainStop(outcome, frame)}${explainDeath(outcome.death)}`
  const lost = 'All variables of this kernel are lost; the next call starts a new one.'
  return {
    ...emptyReport(frame),
    error: `KernelDied: ${message}\n${lost}`,
    status: 'kernel_died',
    truncated: truncatedOf(frame.output, 0, 0),
    failure: { code: 'kernel_died', message: `${message} ${lost}`, retryable: false },
  }
}

function explainStop({ stopped }: CellOutcome, { timeoutMs }: ReportFrame): string {
  if (stopped === 'timeout') return `It ran longer than ${Math.round(timeoutMs / 100) / 10} s. `
  return stopped === 'cancelled' ? 'The call was cancelled. ' : ''
}

function emptyReport(frame: ReportFrame): RunReport {
  return {
    ...refusedReport({ code: '', message: '', retryable: false }),
    error: null,
    failure: null,
    run_id: frame.runId,
    epoch: frame.epoch,
    duration_s: frame.durationMs / 1000,
  }
}

function truncatedOf(output: RunOutput, result: number, error: number): Truncated | null {
  const counts = { result, stdout: output.stdout.read().omittedBytes, stderr: output.stderr.read().omittedBytes, error }
  const cut = Object.entries(counts).filter(([, count]) => count > 0)
  return cut.length === 0 ? null : Object.fromEntries(cut)
}

/** An exception's text may hold lone surrogates, which are no UTF-8 and break some JSON parsers. */
function wellFormed(text: string): string {
  return Buffer.from(text).toString('utf8')
}
