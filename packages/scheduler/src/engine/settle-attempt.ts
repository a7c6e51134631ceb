import { recordActivity } from '../activity/record-activity.js'
import { resultBytesMax } from '../limits.js'
import type { Database, RunOutcome } from '../records/schema.js'
import { storable } from '../records/storable.js'
import type { RunReport } from '../runners/runner.js'
import { utcText } from '../utc-text.js'
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

/**
 * Records how an attempt ended and what follows: a retry, the end of the run, a pause of its task. Part of the caller's
 * transaction. False: the run is no longer this attempt's, and nothing was written.
 */
export async function settleAttempt(db: Database, parts: Parts, key: AttemptKey, ending: Ending): Promise<boolean> {
  const run = await ownRun(db, key)
  if (run === undefined) return false
  const attempt = await db
    .selectFrom('attempts')
    .select(['started_at', 'repeatable'])
    .where('run_id', '=', key.runId)
    .where('n', '=', key.attempt)
    .where('fence', '=', key.fence)
    .where('outcome', 'is', null)
    .executeTakeFirst()
  if (attempt === undefined) return false
  const sent = await messagesOf(db, run.id, attempt.started_at)
  const end = await judge(db, run, ending, { repeatable: attempt.repeatable === 1, messagesSent: sent })
  await recordAttempt(db, parts, key, end, ending, sent)
  await recordEnd(db, parts, run, key.attempt, end, ending, attempt.started_at)
  await follow(db, parts, run, key.attempt, end, ending)
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

async function messagesOf(db: Database, runId: string, since: number): Promise<number> {
  const { count } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('run_id', '=', runId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow()
  return Number(count)
}

interface Facts {
  readonly repeatable: boolean
  readonly messagesSent: number
}

async function judge(db: Database, run: RunRow, ending: Ending, facts: Facts): Promise<AttemptEnd> {
  if (ending.kind !== 'report') return { outcome: ending.kind, repeatable: facts.repeatable }
  const { error, text } = ending.report
  if (error !== undefined) {
    // Like a silence: nobody knows whether it had its effect.
    if (error.class === 'outcome_unknown')
      return { outcome: 'abandoned', repeatable: facts.repeatable && error.transient }
    return { outcome: 'failed', error }
  }
  const expected = run.task_id === null ? 'any' : await expectedOf(db, run.task_id)
  const isMet = expected === 'any' || (expected === 'output' ? text.trim() !== '' : facts.messagesSent > 0)
  return { outcome: isMet ? 'ok' : 'empty' }
}

async function expectedOf(db: Database, taskId: string): Promise<string> {
  const task = await db.selectFrom('tasks').select('expect').where('id', '=', taskId).executeTakeFirst()
  return task?.expect ?? 'any'
}

async function recordAttempt(
  db: Database,
  { clock }: Parts,
  { runId, attempt }: AttemptKey,
  end: AttemptEnd,
  ending: Ending,
  messagesSent: number,
): Promise<void> {
  const { report } = ending
  await db
    .updateTable('attempts')
    .set({
      outcome: end.outcome,
      finished_at: clock.now(),
      exit_code: report?.exitCode ?? null,
      signal: report?.signal ?? null,
      error_class: errorClassOf(end),
      error: storableOrNull(errorTextOf(end, ending), 2_000),
      result: storableOrNull(report?.text, resultBytesMax),
      stderr_tail: storableOrNull(report?.stderrTail, resultBytesMax),
      session_id: storableOrNull(report?.sessionId, 256),
      tokens_in: report?.tokensIn ?? null,
      tokens_out: report?.tokensOut ?? null,
      cost_usd: report?.costUsd ?? null,
      messages_sent: messagesSent,
      tool_calls: report?.toolCalls ?? 0,
    })
    .where('run_id', '=', runId)
    .where('n', '=', attempt)
    .execute()
}

async function recordEnd(
  db: Database,
  { clock }: Parts,
  run: RunRow,
  attempt: number,
  end: AttemptEnd,
  ending: Ending,
  startedAt: number,
): Promise<void> {
  const isGood = end.outcome === 'ok' || end.outcome === 'empty'
  const error = errorTextOf(end, ending)
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

async function follow(
  db: Database,
  parts: Parts,
  run: RunRow,
  attempt: number,
  end: AttemptEnd,
  ending: Ending,
): Promise<void> {
  const step = nextStep(end, run.id, attempt - run.attempts_before, parts.config.max_attempts)
  switch (step.kind) {
    case 'done':
      await endRun(db, parts, run, { outcome: end.outcome as RunOutcome })
      return end.outcome === 'ok' ? deliver(db, parts, run, ending.report?.text ?? '') : undefined
    case 'retry': {
      if (await isPaused(db, run)) {
        const error =
          `${errorTextOf(end, ending) ?? ''} Its task was paused meanwhile, so it is not tried again.`.trim()
        return endRun(db, parts, run, { outcome: 'failed', errorClass: errorClassOf(end) ?? 'unknown', error })
      }
      return retry(db, parts, run, step.delayMs, end, ending)
    }
    case 'dead': {
      const error = [errorTextOf(end, ending), step.why].filter((text) => text !== undefined).join(' ')
      return endRun(db, parts, run, { outcome: 'dead', errorClass: errorClassOf(end) ?? 'unknown', error })
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

async function retry(
  db: Database,
  { clock }: Parts,
  run: RunRow,
  delayMs: number,
  end: AttemptEnd,
  ending: Ending,
): Promise<void> {
  const at = clock.now()
  const error = errorTextOf(end, ending)
  await db
    .updateTable('runs')
    .set({
      state: 'waiting',
      retry_at: at + delayMs,
      fence: run.fence + 1,
      error_class: errorClassOf(end),
      error: storableOrNull(error, 2_000),
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
async function deliver(db: Database, { messages }: Parts, run: RunRow, text: string): Promise<void> {
  if (run.task_id === null || text.trim() === '') return
  const task = await db.selectFrom('tasks').select('deliver').where('id', '=', run.task_id).executeTakeFirst()
  if (task === undefined || task.deliver === 'none') return
  await messages.post(db, {
    group: run.group_folder,
    runId: run.id,
    depth: run.depth,
    priority: task.deliver,
    text: text.trim(),
  })
}

function aboutRun(run: RunRow): { group: string; runId: string; taskId?: string } {
  return { group: run.group_folder, runId: run.id, ...(run.task_id !== null && { taskId: run.task_id }) }
}

function errorClassOf(end: AttemptEnd): string | null {
  if (end.outcome === 'ok' || end.outcome === 'empty') return null
  return end.outcome === 'failed' ? end.error.class : end.outcome
}

function errorTextOf(end: AttemptEnd, ending: Ending): string | undefined {
  if (end.outcome === 'ok') return undefined
  if (end.outcome === 'empty') return 'It ended well, but without what its task expects.'
  if (ending.kind === 'timed_out') return `It ran longer than its limit of ${Math.round(ending.timeoutMs / 1000)} s.`
  if (ending.kind === 'abandoned') return ending.why
  return ending.report.error?.text
}

function storableOrNull(text: string | undefined, lengthMax: number): string | null {
  return text === undefined ? null : storable(text, lengthMax)
}
