// Workers of many tools in one process: `node scale-workers-program.js SERVICE FIRST COUNT TOOLS CONCURRENCY [SECRET_FILE]` makes
// the services SERVICE-FIRST and on, or SERVICE alone where COUNT is 0, with a tool of large results. Tells its parent when all are welcomed.
import { readFileSync } from 'node:fs'
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

const [prefix = 'scale', first = '0', count = '0', tools = '1', concurrency = '16', secretFile] = process.argv.slice(2)
const secret = secretFile === undefined ? {} : { secret: readFileSync(secretFile, 'utf8').trim() }
/** About as much as a tool of a real server has to say. */
const input = z.object({
  text: z.string().describe('What to say back, word by word; anything that can be written'),
  repeat: z.int().min(1).max(1_000).default(1).describe('How often; once if not said'),
})
const services =
  count === '0' ? [prefix] : Array.from({ length: Number(count) }, (_, index) => `${prefix}-${Number(first) + index}`)
process.on('disconnect', () => process.exit())
await Promise.all(services.map(start))
process.send?.('ready')

async function start(service: string): Promise<void> {
  const worker = defineWorker({ service, version: '1.0.0', concurrency: Number(concurrency) })
  const name = service.replaceAll('-', '_')
  for (let index = 0; index < Number(tools); index += 1) {
    const description = `Says back what it is told, as often as asked, as tool ${index} of ${service}; and says nothing else.`
    worker.tool(
      `${name}_say_${index}`,
      { description, input, annotations: { readOnlyHint: true } },
      ({ text, repeat }) => text.repeat(repeat),
    )
  }
  if (service !== prefix) return void (await worker.start(secret))
  const large = z.object({ bytes: z.int() })
  worker.tool(`${name}_large`, { description: 'Says much.', input: large }, ({ bytes }) => 'x'.repeat(bytes))
  await worker.start(secret)
}
