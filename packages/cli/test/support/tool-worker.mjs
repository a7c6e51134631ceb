// One tool, `a1`, that answers with the worker's service: `tool-worker.mjs SERVICE`.
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

const service = process.argv[2]
const worker = defineWorker({ service, version: '1.0.0' })
worker.tool('a1', { description: 'Answers with its service', input: z.object({}) }, () => service)
await worker.start()
process.send('ready')
