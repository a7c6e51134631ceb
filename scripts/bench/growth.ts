import type { Series } from './chart.js'
import type { Probe } from './probe.js'
import { atMost, type Row } from './scale-experiment.js'

/** A hub of some size that can be called. */
export interface Subject {
  /** Which line of a chart it is a point of. */
  readonly series: string
  /** How many there are of what grows. */
  readonly count: number
  readonly probe: Probe
  /** Of a window in which the CPU is measured. */
  readonly inFlight: number
  /** Keeps so many calls open until `isOver`; resolves with how long each took, in ms. */
  run(inFlight: number, isOver: () => boolean): Promise<readonly number[]>
}

export interface Growth {
  readonly series: string
  readonly count: number
  /** Of the hub's process per call, medians. */
  readonly cpuMicros: number
  /** One call at a time. */
  readonly p50Ms: number
  /** Of CPU to the smallest of its series: the median of what each round had. */
  readonly ratio: number
}

export interface Windows {
  readonly rounds: number
  readonly windowMs: number
}

/**
 * All subjects are there at the same time and are measured in turns, in alternating order, so that what else the machine does
 * falls on all of them; growth is what they show within one round.
 */
export async function measureGrowth(subjects: readonly Subject[], { rounds, windowMs }: Windows): Promise<Growth[]> {
  const windows = subjects.map(() => ({ cpu: [] as number[], p50: [] as number[] }))
  for (const subject of subjects) await cpuPerCall(subject, windowMs)
  for (let round = 0; round < rounds; round += 1) {
    const order = subjects.map((_, index) => (round % 2 === 0 ? index : subjects.length - 1 - index))
    for (const index of order) {
      windows[index]!.cpu.push(await cpuPerCall(subjects[index]!, windowMs))
      windows[index]!.p50.push(median(await subjects[index]!.run(1, until(windowMs / 3))))
    }
  }
  return subjects.map(({ series, count }, index) => {
    const { cpu, p50 } = windows[index]!
    const base = windows[subjects.findIndex((other) => other.series === series)]!.cpu
    const ratio = median(cpu.map((micros, round) => micros / base[round]!))
    return { series, count, cpuMicros: median(cpu), p50Ms: median(p50), ratio }
  })
}

export function rowsOf(growth: readonly Growth[]): Row[] {
  return growth.map(({ series, count, cpuMicros, p50Ms, ratio }) => ({
    what: series,
    count,
    figures: { 'CPU µs/call': cpuMicros, '× smallest': ratio, 'p50 ms': p50Ms },
  }))
}

export function seriesOf(growth: readonly Growth[]): Series[] {
  const names = [...new Set(growth.map(({ series }) => series))]
  return names.map((name) => ({
    name,
    points: growth.filter(({ series }) => series === name).map(({ count, cpuMicros }) => [count, cpuMicros] as const),
  }))
}

/** The largest of a series against its smallest. */
export function staysFlat(growth: readonly Growth[], series: string, of: string) {
  const { count, ratio } = growth.filter((point) => point.series === series).at(-1)!
  return atMost(`CPU per call with ${count} ${of}, ${series}`, ratio, flatnessMax, ' × the smallest')
}

/** The median of so many rounds moves by less than this on a busy machine. */
const flatnessMax = 1.2

export const cpuLabel = 'µs of CPU of the hub’s process per call'

async function cpuPerCall({ probe, inFlight, run }: Subject, windowMs: number): Promise<number> {
  const before = await probe.cpuMicros()
  const times = await run(inFlight, until(windowMs))
  return ((await probe.cpuMicros()) - before) / times.length
}

export function until(ms: number): () => boolean {
  const endsAt = performance.now() + ms
  return () => performance.now() >= endsAt
}

/** Zero of none. */
export function median(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2
}
