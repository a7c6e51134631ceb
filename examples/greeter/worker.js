// A worker of its own: start a hub with "npx callboard up", then "node examples/greeter/worker.js".
// Try it: npx callboard call greet name=Ada
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

const worker = defineWorker({ service: 'greeter', version: '1.0.0' })

worker.tool(
  'greet',
  {
    description: 'Greets somebody.',
    input: z.object({ name: z.string().min(1).describe('Who is greeted') }),
    output: z.object({ greeting: z.string() }),
    annotations: { readOnlyHint: true },
  },
  ({ name }) => ({ greeting: `Hello ${name}` }),
)

await worker.run()
