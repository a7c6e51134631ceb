// Calls that end only when they are cancelled, and a tool that tells of it.
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

const worker = defineWorker({ service: 'waiting', version: '1.0.0', concurrency: 512 })
const input = z.object({ canary: z.string() })
const cancelled = new Map()

worker.tool('wait', { description: 'Waits to be cancelled', input }, ({ canary }, { signal, progress }) => {
  const { promise, resolve } = withResolvers()
  cancelled.set(canary, promise)
  signal.addEventListener('abort', () => resolve(canary))
  progress(1, 1, canary)
  return promise
})
worker.tool('waited', { description: 'Answers when "wait" was cancelled', input }, async ({ canary }) => ({
  canary: await cancelled.get(canary),
}))

function withResolvers() {
  let resolve
  const promise = new Promise((done) => {
    resolve = done
  })
  return { promise, resolve }
}

process.on('disconnect', () => process.exit())
const running = await worker.start()
process.send?.('ready')
await running.closed
