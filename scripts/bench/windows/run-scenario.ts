import { warmUpCalls, warmUpInFlight, warmUpMs, warmUpQuickMs, warmUpWindowsMax, windowQuickMs } from '../limits.js'
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
  /** Of all its processes; what they share is counted for each. */
  readonly mebibytes: number
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
  for (const entrant of entrants) {
    await entrant.start()
    await warmUp(entrant, scenario, extent)
  }
  const pids = entrants.flatMap((entrant) => [...entrant.processes(), ...entrant.clients()])
  const pinned = scenario.pinned && extent.pin && (await runOn(firstCpu(), pids))
  const windows = new Map(entrants.map((entrant) => [entrant, [] as MeasuredWindow[]]))
  const measured = extent.quick ? { ...scenario, ms: windowQuickMs } : scenario
  try {
    // What is compiled for many calls at once is not yet what one at a time needs: a round that does not count.
    for (const entrant of entrants) await measure(entrant, measured)
    for (let round = 0; round < extent.rounds; round += 1) {
      for (const entrant of rotated(entrants, round)) {
        const window = await measure(entrant, measured)
        if (window !== undefined) windows.get(entrant)!.push(window)
      }
    }
  } finally {
    if (pinned) await runOn(allCpus(), pids)
  }
  const subjects = [...windows].flatMap(([entrant, measured]) => {
    if (entrant.running === undefined) return []
    const { name, title } = entrant.subject
    const mebibytes = entrant.processes().reduce((all, pid) => all + residentMebibytesOf(pid), 0)
    return [{ name, title, ...figuresOf(measured), hubMebibytes: residentMebibytesOf(entrant.running.hub), mebibytes }]
  })
  return { scenario, pinned, subjects }
}

async function warmUp(entrant: Entrant, scenario: Scenario, { quick }: Extent): Promise<void> {
  const inFlight = Math.max(scenario.inFlight, warmUpInFlight)
  const window = { ...scenario, inFlight, ms: quick ? warmUpQuickMs : warmUpMs }
  for (let left = quick ? 1 : warmUpWindowsMax; left > 0; left -= 1) {
    await measure(entrant, window)
    if (entrant.running === undefined || entrant.answered >= warmUpCalls) return
  }
}

/** Undefined for a subject that can't, or can no more. */
async function measure(entrant: Entrant, scenario: Scenario): Promise<MeasuredWindow | undefined> {
  const { running } = entrant
  if (running === undefined) return undefined
  const { inFlight, payload, ms, name } = scenario
  const pids = entrant.processes()
  const before = pids.map(cpuMsOf)
  try {
    const report = await running.client.window({ inFlight, payload, ms })
    entrant.answered += report.calls
    const used = pids.map((pid, index) => Math.max(0, cpuMsOf(pid) - before[index]!))
    const cpuMs = used.reduce((all, one) => all + one, 0)
    return { ...report, cpuMs, hubCpuMs: used[pids.indexOf(running.hub)]! }
  } catch (error) {
    await entrant.fail(name, error)
    return undefined
  }
}
