// One tool, named and described by its words: `changing-worker.mjs SERVICE VERSION NAME DESCRIPTION`.
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

const [service, version, name, description] = process.argv.slice(2)
const worker = defineWorker({ service, version })
worker.tool(name, { description, input: z.object({}) }, () => description)
worker.tool('steady', { description: 'Never changes', input: z.object({}) }, () => 'steady')
await worker.start()
process.send('ready')
