// node packages/kernel/bench/latency.js [off]: cold start, warm eval and throughput of one kernel, without a hub around it;
// `off`: without a sandbox.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKernelWorker } from '../dist/index.js'

const directory = await mkdtemp(join(tmpdir(), 'callboard-bench-'))
const worker = await createKernelWorker({ dataDirectory: directory, config: { sandbox: process.argv[2] ?? 'auto' } })
const { pool } = worker
let keys = 0
const submit = async (session, code) => {
  const kernel = pool.kernelOf({ owner: 'agent:bench', session })
  const idempotencyKey = `key-${++keys}`
  const { run } = await kernel.submit({
    code,
    timeoutMs: 60_000,
    resultMode: 'last',
    idempotencyKey,
    onBusy: 'queue',
    session,
  })
  return { kernel, run }
}
const run = async (session, code) => (await submit(session, code)).run.ended

async function times(count, work) {
  const milliseconds = []
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now()
    await work(index)
    milliseconds.push(performance.now() - startedAt)
  }
  milliseconds.sort((a, b) => a - b)
  const at = (share) => milliseconds[Math.min(count - 1, Math.floor(count * share))].toFixed(2)
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms (n = ${count})`
}

const print = (line) => process.stdout.write(`${line}\n`)
// Asked once per worker, before its first kernel.
const { sandbox } = await worker.containment.find()
print(sandbox.description)
print(`cold start with 1 + 1: ${await times(20, (index) => run(`cold-${index}`, '1 + 1'))}`)
await times(200, () => run('warm', '1 + 1'))
print(`warm 1 + 1:            ${await times(2_000, () => run('warm', '1 + 1'))}`)
print(`print of 100 MB:       ${await times(3, () => run('warm', 'print("x" * 100_000_000)'))}`)
print(`100,000 prints:        ${await times(3, () => run('warm', 'for i in range(100_000): print(i)'))}`)
print(
  `interrupt of a sleep:  ${await times(10, async () => {
    const { kernel, run: sleeping } = await submit('warm', 'import time; print(1); time.sleep(60)')
    await new Promise((resolve) => sleeping.watch(resolve))
    await kernel.interrupt(sleeping, false)
    await sleeping.ended
  })}`,
)
print(`worker: ${Math.round(process.memoryUsage().rss / 1024 / 1024)} MiB resident with 21 kernels`)
await worker.close()
await rm(directory, { recursive: true, force: true })
