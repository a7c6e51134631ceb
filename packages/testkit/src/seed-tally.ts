import type { Provocation } from './provocation.js'
import type { SimulationReport } from './simulation.js'

export interface SeedRange {
  readonly from: number
  readonly count: number
  readonly stopsAtFailure: boolean
  readonly provocation: Provocation | undefined
}

export interface FailedSeed {
  readonly seed: number
  readonly profile: string
  readonly message: string
}

/** What one process tells another. */
export interface SeedTallyData {
  readonly seeds: number
  readonly totals: readonly (readonly [name: string, total: number])[]
  readonly profiles: readonly (readonly [name: string, seeds: number])[]
  readonly failures: readonly FailedSeed[]
}

/** What many seeds came to. */
export class SeedTally {
  readonly #totals = new Map<string, number>()
  readonly #profiles = new Map<string, number>()
  readonly #failures: FailedSeed[] = []
  #seeds = 0

  get seeds(): number {
    return this.#seeds
  }

  get failures(): readonly FailedSeed[] {
    return this.#failures.sort((one, other) => one.seed - other.seed)
  }

  get data(): SeedTallyData {
    return {
      seeds: this.#seeds,
      totals: [...this.#totals],
      profiles: [...this.#profiles],
      failures: this.#failures,
    }
  }

  add({ seed, profile, calls, virtualMs, outcomes, failure }: SimulationReport): void {
    this.#seeds += 1
    sum(this.#profiles, profile, 1)
    sum(this.#totals, 'turns', calls)
    sum(this.#totals, 'virtual hours', virtualMs / 3_600_000)
    for (const [name, count] of Object.entries(outcomes)) sum(this.#totals, name, count)
    if (failure !== undefined) this.#failures.push({ seed, profile, message: failure.message.split('\n', 1)[0]! })
  }

  merge({ seeds, totals, profiles, failures }: SeedTallyData): void {
    this.#seeds += seeds
    for (const [name, count] of totals) sum(this.#totals, name, count)
    for (const [name, count] of profiles) sum(this.#profiles, name, count)
    this.#failures.push(...failures)
  }

  /** For people: profiles, then outcomes, the most frequent first. */
  lines(): string[] {
    return [`profiles: ${inWords(this.#profiles)}`, `reached: ${inWords(this.#totals)}`]
  }
}

function sum(totals: Map<string, number>, name: string, count: number): void {
  totals.set(name, (totals.get(name) ?? 0) + count)
}

function inWords(totals: ReadonlyMap<string, number>): string {
  const sorted = [...totals].sort(([, one], [, other]) => other - one)
  return sorted.map(([name, count]) => `${name} ${Math.round(count * 10) / 10}`).join(', ')
}
