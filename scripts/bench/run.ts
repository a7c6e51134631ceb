// npm run bench: Callboard beside others, with the same tool in the same run. `--help` says how.
import { writeFileSync } from 'node:fs'
import { type BenchOptions, help, parseOptions } from './bench-options.js'
import { writeCharts } from './report/charts.js'
import { exitCode } from './report/exit-code.js'
import { goalTable } from './report/goal-table.js'
import { judge } from './report/goals.js'
import { describeMachine, machineText } from './report/machine.js'
import { oneFiguresOf, otherTable } from './report/other-table.js'
import { scenarioTable } from './report/scenario-table.js'
import { type OtherPart, partNames, type Selection, select, takesPart } from './selection.js'
import { Scene } from './subjects/scene.js'
import { Entrant } from './windows/entrant.js'
import { measureIdleHub } from './windows/idle.js'
import { type Extent, runScenario, type ScenarioResult } from './windows/run-scenario.js'
import { measureStartUp } from './windows/start-up.js'

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

async function run({ only, json, charts, lenient, ...extent }: BenchOptions): Promise<number> {
  const machine = describeMachine()
  print(`${machineText(machine)}\n`)
  const selection = select(only)
  const absent: Absent = {}
  const part = async <Result>(name: OtherPart, work: (quick: boolean) => Promise<Result>) => {
    if (!selection.others.includes(name)) return undefined
    try {
      return await work(extent.quick)
    } catch (error) {
      absent[name] = [`${error}`]
      return undefined
    }
  }
  const startUp = await part('start', measureStartUp)
  const idle = await part('idle', measureIdleHub)
  print(otherTable({ startUp, idle }))
  const results = await runScenarios(selection, extent, absent)
  for (const [name, problems] of Object.entries(absent)) print(`${name} was left out: ${problems.join('; ')}\n`)
  const verdicts = judge(results, oneFiguresOf({ startUp, idle }), extent.quick)
  print(goalTable(verdicts))
  if (charts !== undefined) writeCharts(charts, results)
  if (json !== undefined) {
    writeFileSync(json, `${JSON.stringify({ machine, startUp, idle, results, absent, verdicts }, null, 2)}\n`)
  }
  return lenient ? 0 : exitCode(verdicts, Object.keys(absent))
}

/** What was to be measured and could not be, and why. */
type Absent = Record<string, readonly string[]>

/** All subjects live at once, so that the windows of all lie side by side. */
async function runScenarios({ scenarios, subjects }: Selection, extent: Extent, absent: Absent) {
  await using scene = new Scene()
  const entrants = subjects.map((subject) => new Entrant(subject, scene))
  const results: ScenarioResult[] = []
  for (const scenario of scenarios) {
    const present = entrants.filter(({ subject }) => takesPart(subject, scenario))
    if (present.length === 0) continue
    const result = await runScenario(scenario, present, extent)
    results.push(result)
    print(`${scenarioTable(result)}\n`)
  }
  for (const { subject, problems } of entrants) if (problems.length > 0) absent[subject.name] = problems
  return results
}

function readOptions(): BenchOptions | undefined {
  try {
    if (process.platform !== 'linux') throw new Error('what processes use is read from /proc: run it on Linux')
    return parseOptions(process.argv.slice(2), partNames)
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`)
    process.exit(2)
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
