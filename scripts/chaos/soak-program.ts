// What the visitors of a soak use, and what changes while they do: `node soak-program.js`. Tells its parent when it is welcomed.
import { setTimeout as delay } from 'node:timers/promises'
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'
import { clockUri } from './visitor.js'

/** The resource changes, and its readers are told. */
const tickMs = 1_000
/** Another set of tools is offered. */
const updateMs = 10_000
const extraTools = 5

const worker = defineWorker({ service: 'soak', version: '1.0.0', concurrency: 64 })
const input = z.object({ steps: z.int().min(1).max(1_000), eachMs: z.number().min(0).max(1_000) })

worker.tool(
  'soak_steps',
  { description: 'Goes step by step, and says so', input },
  async ({ steps, eachMs }, context) => {
    for (let step = 1; step <= steps; step += 1) {
      await delay(eachMs, undefined, { signal: context.signal })
      context.progress(step, steps)
    }
    return { steps }
  },
)
worker.resource(clockUri, { name: 'clock', mimeType: 'text/plain' }, async () => new Date().toISOString())

process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit())
const running = await worker.start()
setInterval(() => worker.resourceUpdated(clockUri), tickMs)
let generation = 0
offerExtra()
setInterval(() => {
  for (let index = 0; index < extraTools; index += 1) worker.remove('tool', extraName(index))
  generation += 1
  offerExtra()
}, updateMs)
process.send?.(running.instance)
await running.closed

function offerExtra(): void {
  const spec = { description: 'Comes and goes', input: z.object({}) }
  for (let index = 0; index < extraTools; index += 1) worker.tool(extraName(index), spec, () => 0)
}

/** Never the same again: what a hub would keep of names that are gone would show. */
function extraName(index: number): string {
  return `soak_extra_${generation}_${index}`
}
