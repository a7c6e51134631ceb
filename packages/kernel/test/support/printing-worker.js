// A worker's output path in a process of its own, so that its memory can be measured. Built code: Node 20 cannot run
// TypeScript. `npm test` builds first. Prints JSON: what a reply shows, and the growth of resident memory at its peak.
import { tmpdir } from 'node:os'
import { RunOutput } from '../../dist/output/run-output.js'
import { RunOutputs } from '../../dist/output/run-outputs.js'
import { Spool } from '../../dist/output/spool.js'
import { PythonRuntime } from '../../dist/runtime/python/python-runtime.js'

const [directory, code] = process.argv.slice(2)
const spool = await Spool.open({ directory, bytesMax: 2 ** 30 })
const outputs = new RunOutputs({ onLate: () => {}, recall: async () => undefined })
const kernel = await PythonRuntime.start({
  python: 'python3',
  workingDirectory: tmpdir(),
  limits: { memoryBytes: 2 ** 32, fileBytes: 2 ** 34, openFiles: 1024, coreBytes: 0 },
  onOutput: (run, stream, bytes) => outputs.push(run, stream, bytes),
  onDisplay: () => {},
  onRequest: () => {},
  onNotice: () => {},
})

async function execute(run, source) {
  const output = new RunOutput(() => {}, spool.run('owner', run))
  outputs.add(run, output)
  const end = await kernel.execute({ run, code: source, resultMode: 'last' })
  outputs.end(run)
  return { end, output }
}

// As a worker that has been at work for a while.
await execute(1, 'import sys\nfor i in range(1000): print(i)')
const before = process.memoryUsage().rss
const { end, output } = await execute(2, code)
const grown = process.resourceUsage().maxRSS * 1024 - before
const { text, omittedBytes } = output.stdout.read()
const reply = { text, omittedBytes, totalBytes: output.stdout.totalBytes, outcome: end.outcome, losses: output.losses }
await kernel.kill('stopping')
process.stdout.write(JSON.stringify({ ...reply, grown }))
