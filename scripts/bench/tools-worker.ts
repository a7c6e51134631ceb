// A worker of many tools: `node tools-worker.js SERVICE VERSION COUNT [ROLE]`. Tells its parent when it was welcomed, in UTC ms.
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

const [service = 'bench', version = '1.0.0', count = '1', role] = process.argv.slice(2)
const worker = defineWorker({ service, version })
/** About as much as a tool of a real server has to say. */
const input = z.object({
  query: z.string().describe('What to look for, in the words that a person would use; quotes keep words together'),
  limit: z.int().min(1).max(100).default(20).describe('How many results at most'),
  order: z.enum(['newest', 'oldest', 'best']).optional().describe('In which order they come'),
})
for (let index = 0; index < Number(count); index += 1) {
  const description = `Looks for entries of collection ${index} of ${service}. Returns the title, the author and the first lines of each, and says how many more there are.`
  const roles = role === 'operator' ? { roles: ['operator'] as const } : {}
  worker.tool(
    `${service}_search_${index}`,
    { description, input, annotations: { readOnlyHint: true }, ...roles },
    () => 0,
  )
}
process.on('disconnect', () => process.exit())
const running = await worker.start()
process.once('SIGTERM', () => void running.stop())
process.send?.(performance.timeOrigin + performance.now())
await running.closed
