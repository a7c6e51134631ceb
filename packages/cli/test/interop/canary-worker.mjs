// Says back what it is told, in an order of its own: `canary-worker.mjs SEED`. Every answer, message and question holds the
// canary of the call it belongs to.
import { setTimeout as pause } from 'node:timers/promises'
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

let state = Number(process.argv[2])
/** How long a call takes, so that those which came first are not the first to be done. */
function someMs() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state % 8
}

const worker = defineWorker({ service: 'canary', version: '1.0.0', concurrency: 96 })
const input = z.object({ canary: z.string() })

worker.tool('work', { description: 'Reports, logs and answers', input }, async ({ canary }, { progress, log }) => {
  await pause(someMs())
  progress(1, 1, canary)
  log('info', { canary })
  await pause(someMs())
  return { canary }
})
worker.tool('ask', { description: 'Answers with the answer', input }, async ({ canary }, { elicit }) => {
  await pause(someMs())
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } }
  const { content } = await elicit({ message: canary, requestedSchema })
  await pause(someMs())
  return { canary, answer: content.name }
})
worker.tool('touch', { description: 'Changes a resource', input: z.object({ uri: z.string() }) }, async ({ uri }) => {
  await pause(someMs())
  worker.resourceUpdated(uri)
  return 'touched'
})
worker.resourceTemplate(
  'canary://{canary}',
  { name: 'canary', complete: ({ value }) => [`${value}!`] },
  async (uri, { canary }) => {
    await pause(someMs())
    return [{ uri, text: canary }]
  },
)
worker.prompt('say', { arguments: [{ name: 'canary' }] }, async ({ canary }) => {
  await pause(someMs())
  return { messages: [{ role: 'user', content: { type: 'text', text: canary } }] }
})

process.on('disconnect', () => process.exit())
const running = await worker.start()
process.send?.('ready')
await running.closed
