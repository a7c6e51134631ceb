import type { TaskRow } from '../tasks/task-row.js'
import type { AttemptEnd } from './retry-policy.js'
import type { Ending } from './settle-attempt.js'

interface Facts {
  readonly expect: TaskRow['expect']
  readonly repeatable: boolean
  readonly messagesSent: number
}

/** What an attempt came to. */
export function attemptEnd(ending: Ending, { expect, repeatable, messagesSent }: Facts): AttemptEnd {
  if (ending.kind !== 'report') return { outcome: ending.kind, repeatable }
  const { error, text } = ending.report
  // Like a silence: nobody knows whether it had its effect.
  if (error?.class === 'outcome_unknown') return { outcome: 'abandoned', repeatable: repeatable && error.transient }
  if (error !== undefined) return { outcome: 'failed', error }
  const isMet = expect === 'any' || (expect === 'output' ? text.trim() !== '' : messagesSent > 0)
  return { outcome: isMet ? 'ok' : 'empty' }
}

export function errorClassOf(end: AttemptEnd): string | null {
  if (end.outcome === 'ok' || end.outcome === 'empty') return null
  return end.outcome === 'failed' ? end.error.class : end.outcome
}

export function errorTextOf(end: AttemptEnd, ending: Ending): string | undefined {
  if (end.outcome === 'ok') return undefined
  if (end.outcome === 'empty') return 'It ended well, but without what its task expects.'
  if (ending.kind === 'timed_out') return `It ran longer than its limit of ${Math.round(ending.timeoutMs / 1000)} s.`
  if (ending.kind === 'abandoned') return ending.why
  return ending.report.error?.text
}
