import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'vitest'
import type { TestAgent } from '../../../hub/test/mcp/agents.js'
import type { Loose } from '../../../hub/test/mcp/fake-hub.js'

/** Something a client can do with a hub whose worker is `everything-worker.mjs`. */
export interface Feature {
  readonly name: string
  readonly run: (agent: TestAgent) => Promise<void>
  /** Where the protocol has no such thing: why, and what happens instead. */
  readonly without?: {
    readonly era: 'legacy' | 'modern'
    readonly because: string
    readonly instead: (agent: TestAgent) => Promise<void>
  }
}

const revision = '2026-07-28'
const isModern = (agent: TestAgent) => agent.kind === 'sdk 2 modern'
/** Names that no other client of the shared worker uses. */
let serial = 0
const unique = (word: string) => `${word}-${process.pid}-${++serial}`

/** An answer of the client to a request of the server. */
function answering(agent: TestAgent, method: keyof typeof schemas, answer: (params: Loose) => Loose): void {
  const handler = (request: Loose) => answer(request.params)
  agent.client.setRequestHandler(agent.kind === 'sdk 1' ? schemas[method] : method, handler)
}

const schemas = {
  'elicitation/create': ElicitRequestSchema,
  'sampling/createMessage': CreateMessageRequestSchema,
  'roots/list': ListRootsRequestSchema,
}

/** Modern HTTP says it by the status, too, and then the SDK's client has the error as text only. */
const isUnknownMethod = (error: Loose) =>
  expect(`${error.code} ${error.data?.status} ${error.message}`).toMatch(/-32601/)
const refused = (asked: Promise<unknown>) => asked.then(() => expect.fail('it was answered'), isUnknownMethod)

export const features: readonly Feature[] = [
  {
    name: 'server and capabilities',
    run: async ({ client }) => {
      expect(client.getServerVersion()).toMatchObject({ name: 'callboard' })
      expect(client.getServerCapabilities()).toMatchObject({
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        logging: {},
      })
    },
  },
  {
    name: 'ping',
    run: async (agent) => {
      await agent.request('ping')
    },
    without: {
      era: 'modern',
      because: `${revision} has no ping`,
      // The SDK's own client refuses to send it.
      instead: async (agent) => expect(agent.client.ping()).rejects.toThrow(),
    },
  },
  {
    name: 'unknown method',
    run: (agent) => refused(agent.request('no/such_method')),
  },
  {
    name: 'tools: list',
    run: async (agent) => {
      const { tools } = await agent.request('tools/list')
      const find = (name: string) => tools.find((tool: Loose) => tool.name === name)
      expect(find('echo')).toEqual({
        name: 'echo',
        title: 'Echo',
        description: 'Says it again',
        inputSchema: expect.objectContaining({ type: 'object', required: ['text'] }),
        annotations: { readOnlyHint: true },
        _meta: { 'x/y': 1 },
      })
      expect(find('add').outputSchema).toMatchObject({ type: 'object', required: ['sum'] })
    },
  },
  {
    name: 'tools: every kind of content',
    run: async (agent) => {
      const answer = await agent.callTool('every_content')
      expect(answer.content).toMatchObject([
        { type: 'text', text: 'text', annotations: { audience: ['user'], priority: 0.5 } },
        { type: 'image', data: 'AAEC', mimeType: 'image/png' },
        { type: 'audio', data: 'AwQF', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'everything://text', name: 'text' },
        { type: 'resource', resource: { uri: 'everything://text', mimeType: 'text/plain', text: 'inside' } },
      ])
      expect(answer._meta).toMatchObject({ 'x/of-the-result': true })
    },
  },
  {
    name: 'tools: structured result, checked by the client against the schema',
    run: async (agent) => {
      await agent.client.listTools()
      const answer = await agent.callTool('add', { a: 1, b: 2 })
      expect(answer.structuredContent).toEqual({ sum: 3 })
      expect(JSON.parse(answer.content[0].text)).toEqual({ sum: 3 })
    },
  },
  {
    name: 'tools: refusal',
    run: async (agent) => {
      const error = { code: 'no_luck', message: 'Try something else.', hint: 'echo' }
      expect(await agent.callTool('refuse')).toMatchObject({ isError: true, structuredContent: { error } })
    },
  },
  {
    name: 'tools: input that fails the schema',
    run: async (agent) => {
      const answer = await agent.callTool('add', { a: 'one', b: 2 })
      expect(answer.isError).toBe(true)
      expect(JSON.stringify(answer)).toContain('a: ')
    },
  },
  {
    name: 'tools: unknown',
    run: async (agent) => {
      const asked = agent.request('tools/call', { name: 'ecco' })
      await expect(asked).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('Did you mean echo?'),
      })
    },
  },
  {
    name: 'resources: list and read',
    run: async (agent) => {
      const { resources } = await agent.request('resources/list')
      expect(resources).toContainEqual({ uri: 'everything://text', name: 'text', mimeType: 'text/plain' })
      const read = async (uri: string) => (await agent.request('resources/read', { uri })).contents
      expect(await read('everything://text')).toEqual([{ uri: 'everything://text', text: 'some text' }])
      expect(await read('everything://blob')).toEqual([
        { uri: 'everything://blob', mimeType: 'image/png', blob: 'AAEC' },
      ])
    },
  },
  {
    name: 'resources: templates',
    run: async (agent) => {
      const { resourceTemplates } = await agent.request('resources/templates/list')
      expect(resourceTemplates).toContainEqual({ uriTemplate: 'everything://items/{id}', name: 'items' })
      const { contents } = await agent.request('resources/read', { uri: 'everything://items/7' })
      expect(contents).toEqual([{ uri: 'everything://items/7', text: 'item 7' }])
    },
  },
  {
    name: 'resources: unknown',
    run: async (agent) => {
      const asked = agent.request('resources/read', { uri: 'nothing://here' })
      await expect(asked).rejects.toMatchObject({ code: -32602, data: { uri: 'nothing://here' } })
    },
  },
  {
    name: 'resources: updates of what is subscribed to',
    run: async (agent) => {
      const mine = `everything://items/${unique('mine')}`
      const subscription = await agent.listen([mine])
      await agent.callTool('touch', { uri: `everything://items/${unique('other')}` })
      await agent.callTool('touch', { uri: mine })
      expect(await agent.notified('notifications/resources/updated')).toMatchObject({ uri: mine })
      await subscription.close()
    },
  },
  {
    name: 'prompts: get',
    run: async (agent) => {
      const answer = await agent.request('prompts/get', { name: 'greeting', arguments: { name: 'Ada' } })
      expect(answer).toMatchObject({
        description: 'Greets',
        messages: [
          { role: 'user', content: { type: 'text', text: 'Greet Ada' } },
          { role: 'assistant', content: { type: 'image', data: 'AAEC', mimeType: 'image/png' } },
        ],
      })
    },
  },
  {
    name: 'prompts: list in pages',
    run: async (agent) => {
      const names: string[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const page = await agent.request('prompts/list', cursor === undefined ? {} : { cursor })
        names.push(...page.prompts.map(({ name }: Loose) => name))
        cursor = page.nextCursor
        pages += 1
      } while (cursor !== undefined)
      expect(pages).toBe(2)
      expect(new Set(names).size).toBe(names.length)
      expect(names).toEqual(expect.arrayContaining(['greeting', 'filler-0', 'filler-1099']))
    },
  },
  {
    name: 'completion: of a prompt and of a template',
    run: async (agent) => {
      const complete = async (ref: object, argument: object, context?: object) =>
        (await agent.request('completion/complete', { ref, argument, ...(context && { context }) })).completion.values
      const prompt = { type: 'ref/prompt', name: 'greeting' }
      const known = { arguments: { name: 'Ada' } }
      expect(await complete(prompt, { name: 'tone', value: 'war' }, known)).toEqual(['war-tone-Ada'])
      const template = { type: 'ref/resource', uri: 'everything://items/{id}' }
      expect(await complete(template, { name: 'id', value: 'ap' })).toEqual(['apple', 'apricot'])
    },
  },
  {
    name: 'progress',
    run: async (agent) => {
      const key = unique('steps')
      const heard: unknown[] = []
      const onprogress = (progress: Loose) => {
        heard.push(progress)
        void agent.callTool('heard', { key, step: progress.progress })
      }
      const answer = await agent.request('tools/call', { name: 'steps', arguments: { key } }, { onprogress })
      expect(answer.content).toEqual([{ type: 'text', text: 'done' }])
      expect(heard).toEqual([
        { progress: 1, total: 2, message: 'step 1' },
        { progress: 2, total: 2, message: 'step 2' },
      ])
    },
  },
  {
    name: 'cancel',
    run: async (agent) => {
      const key = unique('wait')
      const abort = new AbortController()
      const options = { signal: abort.signal, onprogress: () => abort.abort('enough') }
      await expect(agent.request('tools/call', { name: 'wait', arguments: { key } }, options)).rejects.toThrow()
      expect((await agent.callTool('cancelled', { key })).content[0].text).toMatch(/cancel/i)
    },
  },
  {
    name: 'logging: what the level asks for and nothing below',
    run: async (agent) => {
      const at = (level: string) =>
        isModern(agent) ? { _meta: { 'io.modelcontextprotocol/logLevel': level } } : undefined
      if (!isModern(agent)) await agent.request('logging/setLevel', { level: 'warning' })
      await agent.request('tools/call', { name: 'chatty', ...at('warning') })
      const levels = []
      for (let count = 0; count < 2; count += 1) levels.push(await agent.notified('notifications/message'))
      expect(levels).toMatchObject([
        { level: 'warning', logger: 'everything', data: { said: 'warning' } },
        { level: 'error', logger: 'everything', data: { said: 'error' } },
      ])
    },
  },
  {
    name: 'logging: a level for the session',
    run: async (agent) => {
      await agent.request('logging/setLevel', { level: 'error' })
      await agent.callTool('chatty')
      expect(await agent.notified('notifications/message')).toMatchObject({ level: 'error' })
    },
    without: {
      era: 'modern',
      because: `${revision} has a level per request, and none means no messages`,
      instead: async (agent) => {
        await agent.callTool('chatty')
        await agent.request('tools/call', { name: 'chatty', _meta: { 'io.modelcontextprotocol/logLevel': 'error' } })
        expect(await agent.notified('notifications/message')).toMatchObject({ level: 'error' })
      },
    },
  },
  {
    name: 'list_changed, of every kind',
    run: async (agent) => {
      const name = unique('offered')
      const offered = async () => [
        (await agent.request('tools/list')).tools.some((tool: Loose) => tool.name === name),
        (await agent.request('resources/list')).resources.some((resource: Loose) => resource.name === name),
      ]
      const told = () =>
        Promise.all(
          ['tools', 'prompts', 'resources'].map((kind) => agent.notified(`notifications/${kind}/list_changed`)),
        )
      const subscription = await agent.listen()
      await agent.callTool('offer', { name })
      await told()
      expect(await offered()).toEqual([true, true])
      await agent.callTool('withdraw', { name })
      await told()
      expect(await offered()).toEqual([false, false])
      await subscription.close()
    },
  },
  {
    name: 'elicitation: accepted, declined, cancelled',
    run: async (agent) => {
      for (const answer of [
        { action: 'accept', content: { name: 'Ada' } },
        { action: 'decline' },
        { action: 'cancel' },
      ]) {
        answering(agent, 'elicitation/create', ({ message, requestedSchema }) => {
          expect({ message, required: requestedSchema.required }).toEqual({ message: 'Your name?', required: ['name'] })
          return answer
        })
        expect((await agent.callTool('ask')).structuredContent).toEqual({ answer })
      }
    },
  },
  {
    name: 'elicitation: one question after the other',
    run: async (agent) => {
      answering(agent, 'elicitation/create', ({ message }) => ({
        action: 'accept',
        content: { name: message.startsWith('Ada') ? 'Lovelace' : 'Ada' },
      }))
      expect((await agent.callTool('ask_twice')).content[0].text).toBe('Ada Lovelace')
    },
  },
  {
    name: 'elicitation: by URL',
    run: async (agent) => {
      answering(agent, 'elicitation/create', ({ mode, url }) => {
        expect({ mode, url }).toEqual({ mode: 'url', url: 'https://example.com/sign' })
        return { action: 'accept' }
      })
      expect((await agent.callTool('ask_by_url')).structuredContent).toEqual({ answer: { action: 'accept' } })
    },
  },
  {
    name: 'sampling',
    run: async (agent) => {
      const answer = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } }
      answering(agent, 'sampling/createMessage', ({ messages, maxTokens }) => {
        expect({ messages, maxTokens }).toEqual({
          messages: [{ role: 'user', content: { type: 'text', text: 'Say hello' } }],
          maxTokens: 10,
        })
        return answer
      })
      expect((await agent.callTool('sample')).structuredContent).toEqual({ answer })
    },
  },
  {
    name: 'roots',
    run: async (agent) => {
      const roots = [{ uri: 'file:///home/ada', name: 'home' }]
      answering(agent, 'roots/list', () => ({ roots }))
      expect((await agent.callTool('roots')).structuredContent).toEqual({ roots })
    },
  },
  {
    name: 'roots: a change of them',
    run: async (agent) => {
      await agent.callTool('roots')
      await agent.notify('notifications/roots/list_changed')
      expect((await agent.callTool('roots_changed')).content[0].text).toBe('changed')
    },
    without: {
      era: 'modern',
      because: `${revision} has no such notification: a worker asks when it needs them`,
      instead: async (agent) => {
        await expect(agent.notify('notifications/roots/list_changed')).rejects.toThrow()
      },
    },
  },
]
