// A worker of one of several services: `node service-program.js SERVICE LABEL DIRECTORY`. Tells its parent when it is
// welcomed. It lives for as long as its parent, whatever becomes of the hub.
import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'
import { now } from '../hub-process.js'

const [service = 'service', label = 'worker', directory = '.'] = process.argv.slice(2)
const journal = openSync(join(directory, `${label}.runs`), 'a')
const worker = defineWorker({ service, version: '1.0.0', concurrency: 32 })
const input = z.object({ canary: z.string(), workMs: z.number().min(0).max(60_000) })

worker.tool(`${service}_record`, { description: 'Takes its time', input }, async ({ canary, workMs }) => {
  writeSync(journal, `start ${canary} record ${now()}\n`)
  await delay(workMs)
  writeSync(journal, `end ${canary} record ${now()}\n`)
  return { canary, process: label }
})

process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit())
const running = await worker.start()
process.send?.(running.instance)
await running.closed
