// npm run bench: Callboard beside others, with the same tool in the same run. `--help` says how.
import { writeFileSync } from 'node:fs'
import { type BenchOptions, help, parseOptions } from './bench-options.js'
import { goalTable } from './report/goal-table.js'
import { judge, type OneFigure } from './report/goals.js'
import { describeMachine, machineText } from './report/machine.js'
import { scenarioTable } from './report/scenario-table.js'
import { partNames, select, takesPart } from './selection.js'
import { Scene } from './subjects/scene.js'
import type { Subject } from './subjects/subject.js'
import { Entrant } from './windows/entrant.js'
import { runScenario, type ScenarioResult } from './windows/run-scenario.js'

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const) {
  // Whatever was started is ended at the exit of this process.
  process.once(signal, () => process.exit(code))
}

const options = readOptions()
if (options === undefined) print(help)
else process.exitCode = await run(options)

async function run({ only, json, lenient, ...extent }: BenchOptions): Promise<number> {
  const machine = describeMachine()
  print(`${machineText(machine)}\n`)
  const selection = select(only)
  const results: ScenarioResult[] = []
  const figures: Partial<Record<OneFigure, number>> = {}
  await using scene = new Scene()
  const { entrants, absent } = await startAll(scene, selection.subjects)
  for (const scenario of selection.scenarios) {
    const present = entrants.filter((entrant) => entrant.problem === undefined && takesPart(entrant.subject, scenario))
    if (present.length === 0) continue
    const result = await runScenario(scenario, present, extent)
    results.push(result)
    print(`${scenarioTable(result)}\n`)
  }
  for (const { subject, problem } of entrants) if (problem !== undefined) absent.set(subject.name, problem)
  for (const [name, problem] of absent) print(`${name} was not measured: ${problem}\n`)
  const verdicts = judge(results, figures)
  print(goalTable(verdicts))
  if (json !== undefined) {
    writeFileSync(
      json,
      `${JSON.stringify({ machine, results, absent: Object.fromEntries(absent), figures, verdicts }, null, 2)}\n`,
    )
  }
  return !lenient && verdicts.some(({ verdict }) => verdict === 'NO') ? 1 : 0
}

/** All of them at once, so that the windows of all lie side by side. */
async function startAll(scene: Scene, subjects: readonly Subject[]) {
  const entrants: Entrant[] = []
  const absent = new Map<string, string>()
  for (const subject of subjects) {
    try {
      entrants.push(new Entrant(subject, await subject.start(scene)))
    } catch (error) {
      absent.set(subject.name, error instanceof Error ? error.message : `${error}`)
    }
  }
  return { entrants, absent }
}

function readOptions(): BenchOptions | undefined {
  try {
    return parseOptions(process.argv.slice(2), partNames)
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`)
    process.exit(2)
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
