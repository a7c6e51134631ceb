import { storable } from '@callboard/store'
import { utcText } from '@callboard/worker/utc-text'
import { recordActivity } from '../activity/record-activity.js'
import { errorTextMax, resultBytesMax, sessionIdLengthMax } from '../limits.js'
import type { Database, RunOutcome } from '../records/schema.js'
import type { RunReport } from '../runners/runner.js'
import type { TaskRow } from '../tasks/task-row.js'
import { attemptEnd, errorClassOf, errorTextOf } from './attempt-end.js'
import { endRun } from './end-run.js'
import type { EngineParts } from './engine-parts.js'
import { type AttemptEnd, nextStep } from './retry-policy.js'
import type { RunRow } from './run-row.js'

/** Which attempt; writes under an older fence than the run's change nothing. */
export interface AttemptKey {
  readonly runId: string
  readonly attempt: number
  readonly fence: number
}

export type Ending =
  | { readonly kind: 'report'; readonly report: RunReport }
  | { readonly kind: 'timed_out'; readonly report?: RunReport; readonly timeoutMs: number }
  | { readonly kind: 'abandoned'; readonly report?: RunReport; readonly why: string }

type Parts = Pick<EngineParts, 'clock' | 'config' | 'messages'>

/** An attempt whose end is known. */
interface Settled {
  readonly run: RunRow
  readonly attempt: number
  readonly startedAt: number
  readonly messagesSent: number
  readonly deliver: TaskRow['deliver']
  readonly ending: Ending
  readonly end: AttemptEnd
  readonly error: string | undefined
}

/**
 * Records how an attempt ended and what follows: a retry, the end of the run, a pause of its task. Part of the caller's
 * transaction. False: the run is no longer this attempt's, and nothing was written.
 */
export async function settleAttempt(db: Database, parts: Parts, key: AttemptKey, ending: Ending): Promise<boolean> {
  const run = await ownRun(db, key)
  if (run === undefined) return false
  const attempt = await openAttempt(db, key)
  if (attempt === undefined) return false
  const messagesSent = await messagesOf(db, run.id, attempt.started_at)
  const { expect, deliver } = await wishesOf(db, run.task_id)
  const end = attemptEnd(ending, { expect, repeatable: attempt.repeatable === 1, messagesSent })
  const error = errorTextOf(end, ending)
  const startedAt = attempt.started_at
  const settled = { run, attempt: key.attempt, startedAt, messagesSent, deliver, ending, end, error }
  await recordAttempt(db, parts, settled)
  await recordEnd(db, parts, settled)
  await follow(db, parts, settled)
  return true
}

function ownRun(db: Database, { runId, fence }: AttemptKey): Promise<RunRow | undefined> {
  return db
    .selectFrom('runs')
    .selectAll()
    .where('id', '=', runId)
    .where('fence', '=', fence)
    .where('state', '=', 'running')
    .executeTakeFirst()
}

function openAttempt(db: Database, { runId, attempt, fence }: AttemptKey) {
  return db
    .selectFrom('attempts')
    .select(['started_at', 'repeatable'])
    .where('run_id', '=', runId)
    .where('n', '=', attempt)
    .where('fence', '=', fence)
    .where('outcome', 'is', null)
    .executeTakeFirst()
}

async function messagesOf(db: Database, runId: string, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('run_id', '=', runId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** What the task wants of its runs; triggers and mails want nothing. */
async function wishesOf(db: Database, taskId: string | null): Promise<Pick<TaskRow, 'expect' | 'deliver'>> {
  const task =
    taskId === null
      ? undefined
      : await db.selectFrom('tasks').select(['expect', 'deliver']).where('id', '=', taskId).executeTakeFirst()
  return task ?? { expect: 'any', deliver: 'none' }
}

async function recordAttempt(db: Database, { clock }: Parts, settled: Settled): Promise<void> {
  const { run, attempt, messagesSent, end, error, ending } = settled
  const { report } = ending
  await db
    .updateTable('attempts')
    .set({
      outcome: end.outcome,
      finished_at: clock.now(),
      exit_code: report?.exitCode ?? null,
      signal: report?.signal ?? null,
      error_class: errorClassOf(end),
      error: storableOrNull(error, errorTextMax),
      result: storableOrNull(report?.text, resultBytesMax),
      stderr_tail: storableOrNull(report?.stderrTail, resultBytesMax),
      session_id: storableOrNull(report?.sessionId, sessionIdLengthMax),
      tokens_in: report?.tokensIn ?? null,
      tokens_out: report?.tokensOut ?? null,
      cost_usd: report?.costUsd ?? null,
      messages_sent: messagesSent,
      tool_calls: report?.toolCalls ?? 0,
    })
    .where('run_id', '=', run.id)
    .where('n', '=', attempt)
    .execute()
}

async function recordEnd(db: Database, { clock }: Parts, settled: Settled): Promise<void> {
  const { run, attempt, startedAt, end, error, ending } = settled
  const isGood = end.outcome === 'ok' || end.outcome === 'empty'
  await recordActivity(db, {
    at: clock.now(),
    type: isGood ? 'agent_completed' : end.outcome === 'abandoned' ? 'run_abandoned' : 'agent_error',
    ...aboutRun(run),
    summary: `Attempt ${attempt} of ${run.id}: ${end.outcome}${error === undefined ? '' : `, ${error}`}`,
    details: {
      attempt,
      outcome: end.outcome,
      duration_ms: clock.now() - startedAt,
      ...(ending.report?.warnings?.length ? { warnings: ending.report.warnings } : {}),
    },
  })
}

async function follow(db: Database, parts: Parts, settled: Settled): Promise<void> {
  const { run, attempt, end, error } = settled
  const step = nextStep(end, run.id, attempt - run.attempts_before, parts.config.max_attempts)
  switch (step.kind) {
    case 'done':
      await endRun(db, parts, run, { outcome: end.outcome as RunOutcome })
      return end.outcome === 'ok' ? deliver(db, parts, settled) : undefined
    case 'retry': {
      if (!(await isPaused(db, run))) return retry(db, parts, settled, step.delayMs)
      const why = `${asSentence(error) ?? ''} Its task was paused meanwhile, so it is not tried again.`.trim()
      return endRun(db, parts, run, { outcome: 'failed', errorClass: errorClassOf(end) ?? 'unknown', error: why })
    }
    case 'dead': {
      const why = [asSentence(error), step.why].filter((text) => text !== undefined).join(' ')
      return endRun(db, parts, run, { outcome: 'dead', errorClass: errorClassOf(end) ?? 'unknown', error: why })
    }
    default:
      step satisfies never
  }
}

/** Then no retry waits, as none is left by whoever pauses; but what an operator has redriven goes on. */
async function isPaused(db: Database, { task_id, attempts_before }: RunRow): Promise<boolean> {
  if (task_id === null || attempts_before > 0) return false
  const task = await db.selectFrom('tasks').select('status').where('id', '=', task_id).executeTakeFirst()
  return task?.status === 'paused'
}

async function retry(db: Database, { clock }: Parts, { run, end, error }: Settled, delayMs: number): Promise<void> {
  const at = clock.now()
  await db
    .updateTable('runs')
    .set({
      state: 'waiting',
      retry_at: at + delayMs,
      fence: run.fence + 1,
      error_class: errorClassOf(end),
      error: storableOrNull(error, errorTextMax),
    })
    .where('id', '=', run.id)
    .execute()
  await recordActivity(db, {
    at,
    type: 'run_retry',
    ...aboutRun(run),
    summary: `${run.id} is tried again in ${Math.round(delayMs / 1000)} s.`,
    details: { retry_at: utcText(at + delayMs) },
  })
}

/** What a run says at its end is a message only where its task wants that. */
async function deliver(db: Database, { messages }: Parts, { run, ending, deliver }: Settled): Promise<void> {
  const text = ending.report?.text.trim() ?? ''
  if (deliver === 'none' || text === '') return
  await messages.post(db, { group: run.group_folder, runId: run.id, depth: run.depth, priority: deliver, text })
}

function aboutRun(run: RunRow): { group: string; runId: string; taskId?: string } {
  return { group: run.group_folder, runId: run.id, ...(run.task_id !== null && { taskId: run.task_id }) }
}

/** What a program said last need not end as one. */
function asSentence(text: string | undefined): string | undefined {
  return text === undefined || /[.!?…]$/.test(text) ? text : `${text}.`
}

function storableOrNull(text: string | undefined, lengthMax: number): string | null {
  return text === undefined ? null : storable(text, lengthMax)
}
