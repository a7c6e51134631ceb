// The echo tool as a worker's author would write it: `node echo-worker.js SERVICE`. Tells its parent when it is welcomed.
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'
import { concurrency } from '../limits.js'
import { endWithParent } from './end-with-parent.js'

const [service = 'bench', tool = 'echo'] = process.argv.slice(2)
const worker = defineWorker({ service, version: '1.0.0', concurrency })
const input = z.object({ text: z.string(), repeat: z.int().min(1).max(1_000).default(1) })

worker.tool(tool, { description: 'Gives the text back, as often as asked', input }, ({ text, repeat }) =>
  text.repeat(repeat),
)

endWithParent()
const running = await worker.start()
process.send?.({ welcomed: true })
await running.closed
