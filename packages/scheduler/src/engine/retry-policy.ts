import { createHash } from 'node:crypto'
import type { RunError } from '../runners/runner.js'

/** How an attempt ended, as far as it matters for what comes next. */
export type AttemptEnd =
  | { readonly outcome: 'ok' }
  | { readonly outcome: 'empty' }
  | { readonly outcome: 'failed'; readonly error: RunError }
  /** What it was doing may have happened. */
  | Silence

interface Silence {
  readonly outcome: 'timed_out' | 'abandoned'
  readonly repeatable: boolean
}

export type NextStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'dead'; readonly why: string }

const delaysMs = [30_000, 60_000, 300_000, 900_000, 3_600_000]

/** `attempt` counts from 1 since the run was queued or redriven. */
export function nextStep(end: AttemptEnd, runId: string, attempt: number, attemptsMax: number): NextStep {
  if (end.outcome === 'ok' || end.outcome === 'empty') return { kind: 'done' }
  const verdict = 'error' in end ? verdictOfError(end.error) : verdictOfSilence(end)
  if (verdict !== undefined) return { kind: 'dead', why: verdict }
  if (attempt >= attemptsMax)
    return { kind: 'dead', why: attemptsMax === 1 ? 'The one attempt failed.' : `All ${attemptsMax} attempts failed.` }
  const retryAfterMs = 'error' in end ? (end.error.retryAfterMs ?? 0) : 0
  return { kind: 'retry', delayMs: Math.max(retryAfterMs, spreadDelay(runId, attempt)) }
}

/** 30 s, then 1, 5, 15, 60 min, each ± 20 % by the run: what failed together does not come back together. */
function spreadDelay(runId: string, attempt: number): number {
  const base = delaysMs[Math.min(attempt, delaysMs.length) - 1]!
  const unit = createHash('sha256').update(`${runId} ${attempt}`).digest().readUInt32BE() / 2 ** 32
  return Math.round(base * (0.8 + 0.4 * unit))
}

function verdictOfError({ transient }: RunError): string | undefined {
  return transient ? undefined : 'Another attempt would fail in the same way.'
}

function verdictOfSilence({ repeatable }: Silence): string | undefined {
  return repeatable ? undefined : 'Its call may have had its effect, and its tool is not declared idempotent.'
}
