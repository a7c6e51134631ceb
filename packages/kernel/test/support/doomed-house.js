// A kernel worker with its store in a process of its own, to be killed: the first cell runs, the others wait behind it. Built
// code: Node 20 cannot run TypeScript. `npm test` builds first.
import { createKernelWorker } from '../../dist/index.js'

const [dataDirectory, ...codes] = process.argv.slice(2)
const { pool } = await createKernelWorker({ dataDirectory, config: { sandbox: 'off' } })
const kernel = pool.kernelOf({ owner: 'agent:main', session: 'session-1' })
const runs = []
for (const [index, code] of codes.entries()) {
  const request = { code, timeoutMs: 60_000, resultMode: 'last', onBusy: 'queue', session: 'session-1' }
  const { run } = await kernel.submit({ ...request, idempotencyKey: `key ${index}` })
  runs.push(run)
}
if (runs[0].output.stdout.totalBytes === 0) await new Promise((resolve) => runs[0].watch(resolve))
process.stdout.write('running\n')
// The end of the input is the end of the test run.
process.stdin.resume().on('end', () => process.exit())
