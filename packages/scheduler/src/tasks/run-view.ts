import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import type { ListedAttempt, ListedRun } from './list-runs.js'
import { durationOf } from './task-view.js'

const time = z.string().nullable().describe('UTC; null: not yet, or never.')
const text = z.string().nullable()
const count = z.int().nullable()

export const attemptViewShape = z.object({
  attempt: z.int(),
  outcome: text.describe('null while it runs.'),
  started_at: time,
  finished_at: time,
  duration_ms: count,
  exit_code: count,
  signal: text,
  error_class: text,
  error: text,
  result: text.describe('The final text.'),
  stderr_tail: text,
  session_id: text,
  tokens_in: count,
  tokens_out: count,
  cost_usd: z.number().nullable(),
  messages_sent: z.int(),
  tool_calls: z.int(),
})

/** What list_runs shows of a run. */
export const runViewShape = z.object({
  run_id: z.string(),
  task_id: text,
  trigger_id: text,
  mail_id: text,
  name: text.describe('Of the task.'),
  group: z.string(),
  scheduled_for: z.string(),
  state: z.string(),
  outcome: text,
  attempts: z.int(),
  slots: z.int().describe('Above 1: this row stands for that many missed slots.'),
  started_at: time,
  finished_at: time,
  duration_ms: count,
  error_class: text,
  error: text,
})

export function viewOfRun(run: ListedRun): z.output<typeof runViewShape> {
  return {
    run_id: run.id,
    task_id: run.task_id,
    trigger_id: run.trigger_id,
    mail_id: run.mail_id,
    name: run.task_name,
    group: run.group_folder,
    scheduled_for: utcText(run.scheduled_for),
    state: run.state,
    outcome: run.outcome,
    attempts: run.attempts,
    slots: run.slots,
    started_at: timeOf(run.started_at),
    finished_at: timeOf(run.finished_at),
    duration_ms: durationOf(run),
    error_class: run.error_class,
    error: run.error,
  }
}

/** Without what belongs to the engine: owner, lease, process, token. */
export function viewOfAttempt(attempt: ListedAttempt): z.output<typeof attemptViewShape> {
  const { exit_code, signal, error_class, error, result, stderr_tail, session_id } = attempt
  const { tokens_in, tokens_out, cost_usd, messages_sent, tool_calls } = attempt
  return {
    attempt: attempt.n,
    outcome: attempt.outcome,
    started_at: timeOf(attempt.started_at),
    finished_at: timeOf(attempt.finished_at),
    duration_ms: durationOf(attempt),
    exit_code,
    signal,
    error_class,
    error,
    result,
    stderr_tail,
    session_id,
    tokens_in,
    tokens_out,
    cost_usd,
    messages_sent,
    tool_calls,
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : utcText(ms)
}
