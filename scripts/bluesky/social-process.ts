// One social worker in a process of its own, with its tools behind a test's hub; told what to do by its parent, a line of
// JSON each way. Arguments: the options of openSocial as JSON, and by how many ms its clock is ahead.
import { createInterface } from 'node:readline'
import { defineWorker } from '@callboard/worker'
import { type Clock, systemClock } from '@callboard/worker/clock'
import { connectForTest } from '@callboard/worker/testing'

const built = (path: string) => new URL(`../../../packages/social/dist/${path}`, import.meta.url).href
const { openSocial } = (await import(
  built('open-social.js')
)) as typeof import('../../packages/social/src/open-social.js')

const aheadMs = Number(process.argv[3] ?? 0)
const clock: Clock = {
  now: () => systemClock.now() + aheadMs,
  monotonic: systemClock.monotonic,
  sleepUntil: (time, signal) => systemClock.sleepUntil(time - aheadMs, signal),
}

const worker = defineWorker({ service: 'social', version: '0.1.0' })
const social = await openSocial(worker, JSON.parse(process.argv[2]!), { clock })
await social.start()
const link = await connectForTest(worker)

for await (const line of createInterface({ input: process.stdin })) {
  const { tool, args, caller, key } = JSON.parse(line)
  const { structuredContent } = await link.callTool(tool, args, { ...caller, idempotencyKey: key })
  process.stdout.write(`${JSON.stringify(structuredContent)}\n`)
}
await link.close()
await social.close()
