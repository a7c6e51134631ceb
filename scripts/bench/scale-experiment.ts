import type { Check } from '../chaos/scenario.js'
import type { LineChart } from './chart.js'

/** One question about how the hub's cost grows. */
export interface Experiment {
  readonly name: string
  /** For the list of them. */
  readonly summary: string
  /** Opens its stages, and closes them. */
  play(settings: ScaleSettings): Promise<Outcome>
}

export interface ScaleSettings {
  /** Fewer and smaller steps, shorter windows: whether it works, not what it costs. */
  readonly isQuick: boolean
  readonly rounds: number
  readonly windowMs: number
  readonly idleMs: number
  /** For people, while it goes on. */
  readonly say: (line: string) => void
}

export interface Outcome {
  readonly rows: readonly Row[]
  readonly checks: readonly Check[]
  /** By the name of their file. */
  readonly charts: { readonly [name: string]: LineChart }
  /** What a limit stopped, in words. */
  readonly notes: readonly string[]
}

export interface Row {
  readonly what: string
  /** How many there are of what grows. */
  readonly count: number
  /** By the head of their column, with the unit. */
  readonly figures: { readonly [column: string]: number }
}

export function atMost(what: string, measured: number, goal: number, unit: string): Check {
  const digits = goal >= 10 ? 1 : 2
  return {
    what,
    goal: `≤ ${goal}${unit}`,
    measured: `${measured.toFixed(digits)}${unit}`,
    isMet: measured <= goal,
    about: 'time',
  }
}
