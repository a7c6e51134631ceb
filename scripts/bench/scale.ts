// npm run bench:scale: how the hub's cost per call grows with tools, workers, sessions, calls in flight, and the size of others' results.
import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { isMissed, tableOf } from '../chaos/report.js'
import { lineChart } from './chart.js'
import { readScaleCommand } from './scale-command-line.js'
import type { Experiment, Outcome, ScaleSettings } from './scale-experiment.js'
import { scaleInFlight } from './scale-in-flight.js'
import { scaleLargeResults } from './scale-large-results.js'
import { outcomeJson, rowsTable } from './scale-report.js'
import { scaleHttpSessions, scaleSessions } from './scale-sessions.js'
import { scaleTools } from './scale-tools.js'
import { scaleWorkerCount } from './scale-worker-count.js'

const experiments = [scaleTools, scaleWorkerCount, scaleSessions, scaleHttpSessions, scaleInFlight, scaleLargeResults]
/** What hangs must not hang for ever: longer than all of it takes on a busy machine. */
const wholeRunMsMax = 15 * 60_000
const full = { rounds: 7, windowMs: 400, idleMs: 5_000 }
const quick = { rounds: 2, windowMs: 150, idleMs: 1_000 }

// Every hub ends with us, each by a listener of its own.
process.setMaxListeners(0)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
const read = readScaleCommand(process.argv.slice(2), experiments)
if (read.kind === 'leave') {
  const stream = read.code === 0 ? process.stdout : process.stderr
  stream.write(`${read.text}\n`)
  process.exit(read.code)
}
const { command } = read
setTimeout(() => {
  process.stderr.write(`bench:scale: not done after ${wholeRunMsMax / 60_000} minutes\n`)
  process.exit(1)
}, wholeRunMsMax).unref()
const settings: ScaleSettings = {
  isQuick: command.isQuick,
  ...(command.isQuick ? quick : full),
  say: (line) => process.stderr.isTTY && process.stderr.write(`\r\x1b[K${line}`),
}
const machine = { cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`, node: process.version }
print(`machine: ${machine.cpu}, node ${machine.node}`)
const outcomes: [name: string, outcome: Outcome][] = []
for (const experiment of command.experiments) outcomes.push([experiment.name, await played(experiment)])
const json = { machine, ...Object.fromEntries(outcomes.map(([name, outcome]) => [name, outcomeJson(outcome)])) }
if (command.json !== undefined) writeFileSync(command.json, `${JSON.stringify(json, undefined, 1)}\n`)
const checks = outcomes.flatMap(([, outcome]) => outcome.checks)
print(`\nGoals\n\n${tableOf({ checks, figures: {} }, judging())}`)
process.exit(checks.some((check) => isMissed(check, judging())) ? 1 : 0)

async function played(experiment: Experiment): Promise<Outcome> {
  const outcome = await experiment.play(settings)
  settings.say('')
  print(`\n${experiment.name}: ${experiment.summary}\n\n${rowsTable(outcome.rows)}`)
  for (const note of outcome.notes) print(`  ${note}`)
  for (const [name, chart] of Object.entries(outcome.charts)) {
    if (command.charts !== undefined) writeFileSync(join(command.charts, `${name}.svg`), lineChart(chart))
  }
  return outcome
}

/** Windows of a quick run are too short for any goal. */
function judging() {
  return { lenientTimes: command.isQuick }
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}
