// One tool of one version of a service: `versioned-worker.mjs VERSION TOOL [ROLE]`.
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

const [version, tool, role] = process.argv.slice(2)
const worker = defineWorker({ service: 'versioned', version })
const roles = role === undefined ? {} : { roles: [role] }
worker.tool(tool, { description: `In ${version}`, input: z.object({}), ...roles }, () => version)

process.on('disconnect', () => process.exit())
const running = await worker.start()
process.send?.('ready')
await running.closed
