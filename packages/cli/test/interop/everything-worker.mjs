// A worker that offers everything a worker can offer, for clients to try it all through a hub. Says so when it is ready.
import { defineWorker, result, ToolError } from '@callboard/worker'
import { z } from 'zod'

const worker = defineWorker({ service: 'everything', version: '1.0.0', concurrency: 64 })
const annotations = { readOnlyHint: true }
const none = z.object({})

worker.tool(
  'echo',
  {
    title: 'Echo',
    description: 'Says it again',
    input: z.object({ text: z.string() }),
    annotations,
    meta: { 'x/y': 1 },
  },
  ({ text }) => text,
)
worker.tool(
  'add',
  { description: 'Adds', input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
  ({ a, b }) => ({ sum: a + b }),
)
worker.tool('every_content', { description: 'One of each kind', input: none }, () =>
  result({
    content: [
      { type: 'text', text: 'text', annotations: { audience: ['user'], priority: 0.5 } },
      { type: 'image', data: 'AAEC', mimeType: 'image/png' },
      { type: 'audio', data: 'AwQF', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'everything://text', name: 'text' },
      { type: 'resource', resource: { uri: 'everything://text', mimeType: 'text/plain', text: 'inside' } },
    ],
    meta: { 'x/of-the-result': true },
  }),
)
worker.tool('refuse', { description: 'Refuses', input: none }, () => {
  throw new ToolError('no_luck', 'Try something else.', { details: { hint: 'echo' } })
})

/** By key: what one call waits for and another one brings about. */
const events = new Map()
function eventOf(key) {
  const known = events.get(key)
  if (known !== undefined) return known
  const event = {}
  event.happened = new Promise((resolve) => {
    event.happen = resolve
  })
  events.set(key, event)
  return event
}

worker.tool(
  'steps',
  { description: 'Reports two steps, and waits for "heard" after each', input: z.object({ key: z.string() }) },
  async ({ key }, { progress }) => {
    for (const step of [1, 2]) {
      progress(step, 2, `step ${step}`)
      await eventOf(`heard ${step} ${key}`).happened
    }
    return 'done'
  },
)
worker.tool(
  'heard',
  { description: 'Lets "steps" go on', input: z.object({ key: z.string(), step: z.number() }) },
  ({ key, step }) => {
    eventOf(`heard ${step} ${key}`).happen()
    return 'go on'
  },
)
worker.tool(
  'wait',
  { description: 'Waits until it is cancelled', input: z.object({ key: z.string() }) },
  async ({ key }, { signal, progress }) => {
    signal.addEventListener('abort', () => eventOf(`cancelled ${key}`).happen(signal.reason.message))
    progress(1, 2, 'waiting')
    await eventOf(`cancelled ${key}`).happened
  },
)
worker.tool(
  'cancelled',
  { description: 'Tells when "wait" was cancelled', input: z.object({ key: z.string() }) },
  ({ key }) => eventOf(`cancelled ${key}`).happened,
)
worker.tool('chatty', { description: 'Logs on four levels', input: none }, (_, { log }) => {
  for (const level of ['debug', 'info', 'warning', 'error']) log(level, { said: level }, 'everything')
  return 'said'
})

const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }
worker.tool('ask', { description: 'Asks for a name', input: none }, async (_, { elicit }) => ({
  answer: await elicit({ message: 'Your name?', requestedSchema }),
}))
worker.tool('ask_twice', { description: 'Asks for two names', input: none }, async (_, { elicit }) => {
  const first = await elicit({ message: 'First name?', requestedSchema })
  const last = await elicit({ message: `${first.content.name}, and your last name?`, requestedSchema })
  return `${first.content.name} ${last.content.name}`
})
worker.tool('ask_by_url', { description: 'Asks on a page', input: none }, async (_, { elicit }) => ({
  answer: await elicit({ message: 'Please sign', url: 'https://example.com/sign', elicitationId: 'e-1' }),
}))
worker.tool('sample', { description: "Asks the client's model", input: none }, async (_, { sample }) => ({
  answer: await sample({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say hello' } }],
    maxTokens: 10,
  }),
}))
worker.tool('roots', { description: "Asks for the client's roots", input: none }, async (_, { roots }) => ({
  roots: await roots(),
}))
worker.onRootsChanged((session) => eventOf(`roots ${session}`).happen('changed'))
worker.tool(
  'roots_changed',
  { description: "Tells when the client's roots have changed", input: none },
  (_, { caller }) => eventOf(`roots ${caller.session}`).happened,
)

worker.resource('everything://text', { name: 'text', mimeType: 'text/plain' }, (uri) => [{ uri, text: 'some text' }])
worker.resource('everything://blob', { name: 'blob', mimeType: 'image/png' }, (uri) => [
  { uri, mimeType: 'image/png', blob: 'AAEC' },
])
worker.resourceTemplate(
  'everything://items/{id}',
  { name: 'items', complete: ({ value }) => ['apple', 'apricot', 'pear'].filter((each) => each.startsWith(value)) },
  (uri, { id }) => [{ uri, text: `item ${id}` }],
)
worker.tool('touch', { description: 'Changes a resource', input: z.object({ uri: z.string() }) }, ({ uri }) => {
  worker.resourceUpdated(uri)
  return 'touched'
})

worker.prompt(
  'greeting',
  {
    description: 'A greeting',
    arguments: [{ name: 'name', required: true }, { name: 'tone' }],
    complete: ({ argument, value, known }) => [`${value}-${argument}-${known.name ?? ''}`],
  },
  ({ name }) => ({
    description: 'Greets',
    messages: [
      { role: 'user', content: { type: 'text', text: `Greet ${name}` } },
      { role: 'assistant', content: { type: 'image', data: 'AAEC', mimeType: 'image/png' } },
    ],
  }),
)
/** More than one page of them. */
for (let index = 0; index < 1_100; index += 1) {
  worker.prompt(`filler-${index}`, {}, () => ({ messages: [] }))
}

worker.tool('offer', { description: 'Offers one more of each', input: z.object({ name: z.string() }) }, ({ name }) => {
  worker.tool(name, { description: 'New', input: none }, () => 'new')
  worker.resource(`everything://new/${name}`, { name }, (uri) => [{ uri, text: 'new' }])
  worker.prompt(name, {}, () => ({ messages: [] }))
  return 'offered'
})
worker.tool('withdraw', { description: 'Takes "offer" back', input: z.object({ name: z.string() }) }, ({ name }) => {
  worker.remove('tool', name).remove('resource', `everything://new/${name}`).remove('prompt', name)
  return 'withdrawn'
})

process.on('disconnect', () => process.exit())
const running = await worker.start()
process.send?.('ready')
await running.closed
