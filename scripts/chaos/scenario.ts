import type { Finding } from './check-calls.js'
import type { LoadReport } from './load-options.js'

export interface Scenario {
  readonly name: string
  /** For the list of them. */
  readonly summary: string
  /** Of load, unless said otherwise. */
  readonly seconds: number
  /** Calls per second, unless said otherwise. */
  readonly rate: number
  /** Opens its stage, and closes it. */
  play(settings: Settings): Promise<Play>
}

export interface Settings {
  readonly seconds: number
  readonly rate: number
  /** For people, while it goes on. */
  readonly say: (line: string) => void
}

/** What came out. */
export interface Play {
  readonly checks: readonly Check[]
  /** For the record, without a goal. */
  readonly figures: { readonly [name: string]: unknown }
}

export interface Check {
  readonly what: string
  readonly goal: string
  readonly measured: string
  readonly isMet: boolean
  /** Goals in time, and what a run brings about, depend on what else the machine does; correctness never. */
  readonly about: 'correctness' | 'time'
  /** What went wrong, in words. */
  readonly examples?: readonly string[]
}

/** Promises that must be kept every time. */
export function checksOf(findings: readonly Finding[]): Check[] {
  return findings.map(({ what, count, examples }) => none(what, count, examples))
}

export function none(what: string, count: number, examples: readonly string[] = []): Check {
  return { what, goal: '0', measured: `${count}`, isMet: count === 0, about: 'correctness', examples }
}

/** Holds whenever it is looked at. */
export function holds(what: string, isMet: boolean, measured = isMet ? 'yes' : 'no'): Check {
  return { what, goal: 'yes', measured, isMet, about: 'correctness' }
}

/** What a run must bring about, or it shows nothing; whether it does is a matter of the moment. */
export function comesAbout(what: string, isMet: boolean, measured: string): Check {
  return { ...holds(what, isMet, measured), about: 'time' }
}

export function within(what: string, ms: number, goalMs: number): Check {
  return { what, goal: `≤ ${goalMs} ms`, measured: `${ms.toFixed(1)} ms`, isMet: ms <= goalMs, about: 'time' }
}

/** Else the figures say more of the generator than of the hub. */
export function onTime({ lagMs }: LoadReport): Check {
  return within('how late the generator was (p99)', lagMs.p99, generatorGoalMs)
}

const generatorGoalMs = 50
