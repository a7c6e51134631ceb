// Tools that tell what is left of a caller when its hub was killed: `whoami`, `ask`, `wait`, which never ends, and `begun`.
import { defineWorker } from '@callboard/worker'
import { z } from 'zod'

const worker = defineWorker({ service: 'witness', version: '1.0.0', concurrency: 64 })
const input = z.object({})

worker.tool('whoami', { description: 'Tells who calls, in which session', input }, (_, { caller }) => ({
  principal: caller.principal,
  session: caller.session,
}))
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
worker.tool('ask', { description: 'Asks for a name', input }, async (_, { elicit }) => ({
  answer: await elicit({ message: 'Your name?', requestedSchema }),
}))
let begin
const begun = new Promise((resolve) => {
  begin = resolve
})
worker.tool('wait', { description: 'Waits for ever', input }, (_, { signal, progress }) => {
  begin('begun')
  progress(1, 2, 'waiting')
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve('given up')))
})
worker.tool('begun', { description: 'Answers when "wait" was called', input }, () => begun)

process.on('disconnect', () => process.exit())
const running = await worker.start()
process.send?.('ready')
await running.closed
