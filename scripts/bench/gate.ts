// npm run bench:gate: whether a call costs more than it did, in ratios and counts that hold on a busy machine.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measureGate } from './gate-measures.js'
import { calibration, judged } from './gate-report.js'

const options = {
  calibrate: { type: 'boolean' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const
const help = `Usage: npm run bench:gate -- [--calibrate] [--json FILE]

Measures what a call costs the hub, and ends with 1 where that is more than gate-thresholds.ts allows.

  --calibrate  prints what the thresholds would be for this build, and judges nothing
  --json FILE  what was measured, as JSON

After a change that makes the hub cheaper, put what --calibrate prints into scripts/bench/gate-thresholds.ts: the highest of
three runs. Examples:
  npm run bench:gate
  npm run bench:gate -- --calibrate
  npm run bench:gate -- --json gate.json`
/** What hangs must not hold up what comes after it. */
const wholeRunMsMax = 180_000

process.setMaxListeners(0)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
const values = readWords()
setTimeout(() => leave(1, `bench:gate: not done after ${wholeRunMsMax / 1_000} s`), wholeRunMsMax).unref()
const measured = await measureGate()
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(measured)}\n`)
if (values.calibrate) leave(0, calibration(measured))
const { text, failed } = judged(measured)
leave(failed === 0 ? 0 : 1, text)

function readWords() {
  try {
    const { values } = parseArgs({ options })
    return values.help ? leave(0, help) : values
  } catch (error) {
    return leave(2, `${(error as Error).message}\n\n${help}`)
  }
}

/** Bad words are the caller's fault: 2. */
function leave(code: 0 | 1 | 2, text: string): never {
  const stream = code === 2 ? process.stderr : process.stdout
  stream.write(`${text}\n`)
  process.exit(code)
}
