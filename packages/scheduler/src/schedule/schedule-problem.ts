import { shownValueMax } from '../limits.js'

/** Why a schedule is refused, for an agent: what is wrong, and in `hint` what to write instead. */
export interface ScheduleProblem {
  readonly parameter: 'schedule_value' | 'timezone'
  readonly reason: string
  readonly hint?: string
}

export function problemOf(reason: string, hint: string): ScheduleProblem {
  return { parameter: 'schedule_value', reason, hint }
}

/** In quotes, and no longer than one reads. */
export function shown(value: string): string {
  return JSON.stringify(value.length > shownValueMax ? `${value.slice(0, shownValueMax)}…` : value)
}
