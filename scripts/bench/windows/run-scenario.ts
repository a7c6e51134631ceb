import { warmUpMs, warmUpQuickMs, windowQuickMs } from '../limits.js'
import type { Scenario } from '../scenarios.js'
import { allCpus, firstCpu, runOn } from './affinity.js'
import type { Entrant } from './entrant.js'
import { type Figures, figuresOf, type MeasuredWindow } from './figures.js'
import { cpuMsOf, residentMebibytesOf } from './process-cpu.js'
import { rotated } from './rotation.js'

export interface Extent {
  readonly rounds: number
  readonly quick: boolean
  readonly pin: boolean
}

export interface SubjectFigures extends Figures {
  readonly name: string
  readonly title: string
  readonly hubMebibytes: number
}

export interface ScenarioResult {
  readonly scenario: Scenario
  /** Asked for, and possible here. */
  readonly pinned: boolean
  readonly subjects: readonly SubjectFigures[]
}

/** Short windows in alternating order: what disturbs one subject disturbs its neighbours in the same round. */
export async function runScenario(
  scenario: Scenario,
  entrants: readonly Entrant[],
  extent: Extent,
): Promise<ScenarioResult> {
  const pids = entrants.flatMap((entrant) => [...entrant.pids, entrant.running.client.pid])
  const pinned = scenario.pinned && extent.pin && (await runOn(firstCpu, pids))
  const windows = new Map(entrants.map((entrant) => [entrant, [] as MeasuredWindow[]]))
  const ms = extent.quick ? windowQuickMs : scenario.ms
  try {
    for (const entrant of entrants) await measure(entrant, scenario, extent.quick ? warmUpQuickMs : warmUpMs)
    for (let round = 0; round < extent.rounds; round += 1) {
      for (const entrant of rotated(entrants, round)) {
        const window = await measure(entrant, scenario, ms)
        if (window !== undefined) windows.get(entrant)!.push(window)
      }
    }
  } finally {
    if (pinned) await runOn(allCpus, pids)
  }
  const subjects = [...windows].flatMap(([entrant, measured]) => {
    if (entrant.problem !== undefined) return []
    const { name, title } = entrant.subject
    return [{ name, title, ...figuresOf(measured), hubMebibytes: residentMebibytesOf(entrant.running.hub) }]
  })
  return { scenario, pinned, subjects }
}

/** Undefined for a subject that has failed, now or before. */
async function measure(entrant: Entrant, scenario: Scenario, ms: number): Promise<MeasuredWindow | undefined> {
  if (entrant.problem !== undefined) return undefined
  const { client, hub } = entrant.running
  const { inFlight, payload } = scenario
  try {
    const before = entrant.pids.map(cpuMsOf)
    const report = await client.window({ inFlight, payload, ms })
    const used = entrant.pids.map((pid, index) => cpuMsOf(pid) - before[index]!)
    const cpuMs = used.reduce((all, one) => all + one, 0)
    return { ...report, cpuMs, hubCpuMs: used[entrant.pids.indexOf(hub)]! }
  } catch (error) {
    entrant.fail(`${scenario.name}: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}
