import { expect, test } from 'vitest'
import { type SimulationReport, simulate } from '../src/index.js'

/** `SEED=<n> npx vitest run packages/testkit` replays one seed, with everything that happened. */
const wished = process.env['SEED']
const seedCount = 200

const reports = new Map<number, SimulationReport>()
function reportOf(seed: number): SimulationReport {
  const report = reports.get(seed) ?? simulate({ seed })
  reports.set(seed, report)
  return report
}

test.runIf(wished !== undefined)(`seed ${wished}`, () => {
  const report = simulate({ seed: Number(wished), onLine: (line) => process.stdout.write(`${line}\n`) })
  expect(report.failure?.message, `seed ${wished}, profile ${report.profile}`).toBeUndefined()
})

// In parts, so that a failing seed does not hide the rest and no test runs for long.
const partCount = 8
test.skipIf(wished !== undefined).each(Array.from({ length: partCount }, (_, part) => part))(
  'every call settles once, nothing crosses, nothing leaks: part %i',
  (part) => {
    const size = seedCount / partCount
    for (let seed = part * size + 1; seed <= (part + 1) * size; seed++) {
      const report = reportOf(seed)
      expect(report.failure, explain(report)).toBeUndefined()
    }
  },
  60_000,
)

test.skipIf(wished !== undefined)('a seed replays event for event', () => {
  const trace = (seed: number) => {
    const lines: string[] = []
    simulate({ seed, onLine: (line) => lines.push(line) })
    return lines
  }
  const lines = trace(7)
  expect(lines.length).toBeGreaterThan(1_000)
  expect(trace(7)).toEqual(lines)
  expect(trace(8)).not.toEqual(lines)
})

test.skipIf(wished !== undefined)(
  'the seeds together reach every way in which a turn can end, and every profile',
  () => {
    const ends = new Set<string>()
    const profiles = new Set<string>()
    for (let seed = 1; seed <= 40; seed++) {
      const { outcomes, profile } = reportOf(seed)
      profiles.add(profile)
      for (const name of Object.keys(outcomes)) ends.add(name)
    }
    expect([...profiles].sort()).toEqual(['calm', 'faulty', 'lossy', 'rolling'])
    expect(ends).toContain('result')
    expect([...ends]).toEqual(
      expect.arrayContaining([
        'result',
        'error',
        'input_required',
        'cancelled',
        'deadline_exceeded',
        'unavailable',
        'outcome_unknown',
      ]),
    )
  },
)

function explain({ seed, profile, failure }: SimulationReport): string {
  return [`SEED=${seed} (${profile}): ${failure?.message ?? 'passed'}`, ...(failure?.lines ?? [])].join('\n')
}
