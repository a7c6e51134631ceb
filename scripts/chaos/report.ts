import { cpus } from 'node:os'
import type { Check, Play, Scenario, Settings } from './scenario.js'

export interface ReportOptions {
  /** Goals in time are shown and not judged. */
  readonly lenientTimes: boolean
}

export const isMissed = ({ isMet, about }: Check, { lenientTimes }: ReportOptions): boolean =>
  !isMet && !(lenientTimes && about === 'time')

/** A table for people, and below each miss what went wrong. */
export function tableOf({ checks }: Play, options: ReportOptions): string {
  const rows = checks.map((check) => [check.what, check.goal, check.measured, verdict(check, options)])
  const all = [['what', 'goal', 'measured', 'ok'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...all.map((row) => row[column]!.length)))
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  const misses = checks.filter((check) => isMissed(check, options))
  const examples = misses.flatMap(({ what, examples = [] }) => examples.map((example) => `${what}: ${example}`))
  return [...lines, ...examples].join('\n')
}

/** One line for programs. */
export function jsonOf(scenario: Scenario, settings: Settings, play: Play, options: ReportOptions): string {
  const { seconds, rate } = settings
  const machine = { cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`, node: process.version }
  const isMet = !play.checks.some((check) => isMissed(check, options))
  const checks = play.checks.map(({ examples, ...check }) => (check.isMet ? check : { ...check, examples }))
  return JSON.stringify({ scenario: scenario.name, seconds, rate, isMet, machine, checks, figures: play.figures })
}

function verdict(check: Check, options: ReportOptions): string {
  if (check.isMet) return 'yes'
  return isMissed(check, options) ? 'NO' : 'not judged'
}
