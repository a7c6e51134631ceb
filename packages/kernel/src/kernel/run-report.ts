import { lastLineLengthMax } from '../limits.js'
import type { RunOutput } from '../output/run-output.js'
import type { RunRow, RunStatus } from '../records/run-records.js'
import { crashTrace } from '../runtime/crash-trace.js'
import { explainDeath } from '../runtime/death.js'
import type { CellEnd, NameChanges } from '../runtime/runtime.js'
import { shortText } from '../short-text.js'
import type { CellOutcome } from './cell-run.js'

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
  readonly status: RunStatus
  readonly run_id: number | null
  readonly epoch: number | null
  readonly duration_s: number
  readonly names: NameChanges
  readonly truncated: Truncated | null
  readonly failure: Failure | null
  /** The stored answer of a run that was asked for before, with the same idempotency key. */
  readonly replayed: boolean
  readonly notices: readonly string[]
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
    names: noNames,
    truncated: null,
    failure,
    replayed: false,
    notices,
  }
}

/** It goes on, or still waits at this place of the queue. By the contract's fields alone: no success, and why. */
export function goingOnReport(run: GoingOn, place: number): RunReport {
  const { id, status, startedAt, epoch, output } = run
  const stdout = output.stdout.read()
  const stderr = output.stderr.read()
  return {
    ...refusedReport({ code: '', message: '', retryable: false }),
    stdout: stdout.text,
    stderr: stderr.text,
    error: `StillRunning: run ${id} goes on; call weave_wait; do not send the code again`,
    status,
    run_id: id,
    epoch: epoch ?? null,
    duration_s: startedAt === undefined ? 0 : (Date.now() - startedAt) / 1000,
    truncated: truncatedOf(output, 0, 0),
    failure: null,
    notices:
      status === 'queued' ? [`Run ${id} has not started: it is number ${place} in the queue of its kernel.`] : [],
  }
}

interface GoingOn {
  readonly id: number
  readonly status: RunStatus
  readonly startedAt: number | undefined
  readonly epoch: number | undefined
  readonly output: RunOutput
}

/** Of a run that this process no longer holds. */
export function storedReport(row: RunRow): RunReport {
  const nothingRan = row.status === 'refused'
  const message = row.error ?? ''
  return {
    result: row.result,
    stdout: row.stdout ?? '',
    stderr: row.stderr ?? '',
    success: row.status === 'ok',
    error: row.status === 'ok' ? null : message,
    status: row.status,
    run_id: nothingRan ? null : row.runId,
    epoch: nothingRan ? null : row.epoch,
    duration_s: row.endedAt !== null && row.startedAt !== null ? (row.endedAt - row.startedAt) / 1000 : 0,
    names: row.names ?? noNames,
    truncated: row.truncated,
    failure: storedFailure(row.status, message),
    replayed: false,
    notices: [],
  }
}

function storedFailure(status: RunStatus, error: string): Failure | null {
  if (status !== 'kernel_died' && status !== 'refused') return null
  const code = status === 'refused' ? (/^([a-z_]+): /.exec(error)?.[1] ?? 'cancelled') : status
  return { code, message: error.replace(/^\w+: /, ''), retryable: false }
}

const noNames: NameChanges = { added: [], changed: [], deleted: [] }

export function reportOf(outcome: CellOutcome, frame: ReportFrame): RunReport {
  const report =
    outcome.kind === 'finished' ? finishedReport(outcome.finished, outcome, frame) : diedReport(outcome, frame)
  const { stdout, stderr } = frame.output
  return { ...report, stdout: stdout.read().text, stderr: stderr.read().text, notices: frame.notices }
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
    duration_s: Math.round(finished.durationS * 1e6) / 1e6,
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
    case 'interrupt':
      return [`Interrupted: run ${runId} was stopped by weave_interrupt; the kernel lives and its variables are kept.`]
    case 'reset':
      return [`Interrupted: run ${runId} was stopped by weave_reset.`]
    case undefined:
      return []
  }
}

function diedReport(outcome: Extract<CellOutcome, { kind: 'died' }>, frame: ReportFrame): RunReport {
  const message = `The kernel process died during run ${frame.runId}. ${explainStop(outcome, frame)}${explainDeath(outcome.death)}`
  const lost =
    'All variables of this kernel are lost; the next call starts a new one. weave_reset with replay: setup runs imports and functions again.'
  const trace = crashTrace(outcome.death.faults)
  return {
    ...emptyReport(frame),
    error: ['KernelDied: ', message, '\n', trace, trace && '\n', lost].join(''),
    status: 'kernel_died',
    truncated: truncatedOf(frame.output, 0, 0),
    failure: { code: 'kernel_died', message: `${message} ${lost}`, retryable: false },
  }
}

function explainStop({ stopped }: CellOutcome, { timeoutMs }: ReportFrame): string {
  if (stopped === 'timeout') return `It ran longer than ${Math.round(timeoutMs / 100) / 10} s. `
  return stopped === 'interrupt' ? 'It was asked to stop. ' : ''
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

/** Says what went wrong, where there is no room for a whole traceback. */
export function lastLineOf(error: string): string {
  // A traceback ends with its reason, the report of a death begins with it.
  const line = error
    .trimEnd()
    .split('\n')
    .at(error.startsWith('KernelDied: ') ? 0 : -1)
  return shortText(line ?? '', lastLineLengthMax)
}
