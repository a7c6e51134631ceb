import type { ToolDefinition } from '@callboard/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { tokensOf } from '../../../src/mcp/tool-search/matches.js'
import { withToolSearch } from '../../../src/mcp/tool-search/searching-hub.js'
import { ToolIndex } from '../../../src/mcp/tool-search/tool-index.js'
import type { CatalogueView } from '../../../src/port.js'
import { agentKinds, type TestAgent } from '../agents.js'
import { FakeHub, frontOf, identity, json, type Loose, parsed, result, text, untilAborted } from '../fake-hub.js'
import { agentOnLines } from '../line-peer.js'
import { catalogue } from './catalogue.js'

const searching: CatalogueView = { filters: [], mode: 'search', searchAboveTokens: 0, pinned: [] }

describe.each(agentKinds)('an agent that finds its tools by search: %s', (kind) => {
  let hub: FakeHub
  let agent: TestAgent

  const connect = async (view: Partial<CatalogueView> = {}) => {
    agent = await agentOnLines(frontOf(hub), kind, { ...identity, view: { ...searching, ...view } })
  }
  const listed = async () => (await agent.request('tools/list')).tools.map(({ name }: Loose) => name)
  const search = async (args: object) => JSON.parse((await agent.callTool('search_tools', args)).content[0].text)
  const call = (name: string, args: object = {}, options = {}) =>
    agent.request('tools/call', { name: 'call_tool', arguments: { name, arguments: args } }, options)
  const names = (found: Loose) => found.tools.map(({ name }: Loose) => name)

  beforeEach(() => {
    hub = new FakeHub()
    hub.tool('greet', ({ body }) => text(`Hello ${parsed(body).arguments.name}`), { description: 'Says hello.' })
    hub.tool('weave_eval', () => text('2'), { description: 'Runs Python code.' })
  })
  afterEach(() => agent.close())

  it('lists two tools, whatever there is', async () => {
    await connect()
    const { tools } = await agent.request('tools/list')
    expect(tools.map(({ name }: Loose) => name)).toEqual(['search_tools', 'call_tool'])
    expect(tools[0].description).toContain('fake')
    for (const tool of tools) expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
  })

  it('lists beside them what the configuration pins', async () => {
    await connect({ pinned: ['weave_*'] })
    expect(await listed()).toEqual(['search_tools', 'call_tool', 'weave_eval'])
  })

  it('finds a tool by what it does, and calls it', async () => {
    await connect()
    expect(await search({ query: 'say hello to somebody' })).toEqual({
      tools: [{ name: 'greet', description: 'Says hello.', inputSchema: { type: 'object' } }],
    })
    expect((await call('greet', { name: 'Ada' })).content).toEqual([{ type: 'text', text: 'Hello Ada' }])
    expect(hub.calls[0]).toMatchObject({ method: 'tools/call', name: 'greet' })
    expect(parsed(hub.calls[0]!.body)).toMatchObject({ name: 'greet', arguments: { name: 'Ada' } })
  })

  it('may call by its own name a tool that it knows', async () => {
    await connect()
    expect((await agent.callTool('greet', { name: 'Ada' })).content[0].text).toBe('Hello Ada')
  })

  it('gets definitions whole by name, and hears which are none', async () => {
    await connect()
    hub.tool('long', () => text(''), { description: 'x'.repeat(30_000), title: 'Long' })
    const { tools, unknown } = await search({ names: ['long', 'great', 'nothing-alike'] })
    expect(tools).toEqual([hub.tools.find(({ name }) => name === 'long')])
    expect(unknown).toEqual(['great (did you mean greet?)', 'nothing-alike'])
  })

  it('reads what a service offers', async () => {
    await connect()
    expect(names(await search({ service: 'fake' }))).toEqual(['greet', 'weave_eval'])
    expect(await search({ service: 'fake', limit: 1 })).toMatchObject({ more: 1 })
  })

  it('is told what to do where nothing fits', async () => {
    await connect()
    expect(await search({ query: 'xyzzyplugh' })).toEqual({ tools: [], hint: expect.stringContaining('fake') })
  })

  it.each([
    ['search_tools', {}, 'query, names or service'],
    ['search_tools', { query: 'x'.repeat(401) }, 'query must have at most 400 characters'],
    ['search_tools', { query: 7 }, 'query must be text'],
    ['search_tools', { query: 'x', limit: 1000 }, 'limit must be at most 50'],
    ['search_tools', { names: Array(21).fill('x') }, 'names must have at most 20 names'],
    ['call_tool', {}, 'name must be a tool name'],
    ['call_tool', { name: 'greet', arguments: 'x' }, 'arguments must be an object'],
    ['call_tool', { name: 'weave_eval', code: '1' }, 'unknown argument code'],
  ])('hears what is wrong with what it gave %s: %j', async (name, args, problem) => {
    await connect()
    const answer = await agent.request('tools/call', { name, arguments: args })
    expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(problem) }] })
    expect(hub.calls).toEqual([])
  })

  describe('through call_tool, as if called directly', () => {
    it('gets a result with every field', async () => {
      const whole = { content: [], structuredContent: { a: [1, { b: null }] }, _meta: { 'x/y': 1 }, unknown: { z: 1 } }
      hub.tool('whole', () => result(whole))
      await connect()
      expect(await call('whole')).toMatchObject(whole)
    })

    it('hears progress', async () => {
      hub.tool('work', ({ onProgress }) => {
        for (const progress of [1, 2]) onProgress!(json({ progress, total: 2 }))
        return text('done')
      })
      await connect()
      const heard: unknown[] = []
      await call('work', {}, { onprogress: (progress: Loose) => heard.push(progress) })
      expect(heard).toMatchObject([{ progress: 1 }, { progress: 2 }])
    })

    it('hears log messages', async () => {
      hub.tool('chatty', ({ onLog, client }) => {
        onLog?.('warning', json({ data: 'careful' }))
        return text(client.logLevel ?? 'none')
      })
      await connect()
      const _meta = { 'io.modelcontextprotocol/logLevel': 'info' }
      await agent.request('tools/call', {
        name: 'call_tool',
        arguments: { name: 'chatty' },
        ...(agent.modern && { _meta }),
      })
      expect(await agent.notified('notifications/message')).toMatchObject({ level: 'warning', data: 'careful' })
    })

    it('cancels', async () => {
      hub.tool('slow', ({ signal }) => untilAborted(signal))
      await connect()
      const abort = new AbortController()
      const called = hub.next('call')
      const answer = call('slow', {}, { signal: abort.signal })
      const { signal } = (await called) as { signal: AbortSignal }
      abort.abort('enough')
      await expect(answer).rejects.toThrow()
      await untilAborted(signal)
    })

    it('is asked what a worker wants to know', async () => {
      const inputRequests = {
        age: {
          method: 'elicitation/create',
          params: { message: 'Age?', requestedSchema: { type: 'object', properties: {} } },
        },
      }
      hub.tool('ask', () => ({ kind: 'input_required', id: 'call-1', body: json({ inputRequests }) }))
      hub.suspended.set('call-1', (input: Loose) => text(`age ${input.inputResponses.age.content.age}`))
      await connect()
      agent.onAsked('elicitation/create', () => ({ action: 'accept', content: { age: 7 } }))
      const answer = await agent.callTool('call_tool', { name: 'ask' })
      expect(answer.content[0].text).toBe('age 7')
    })

    it('gets the failure of the hub and the error of the worker', async () => {
      const failure = { code: 'overloaded', message: 'too much', retryable: true, retryAfterMs: 50 } as const
      hub.tool('busy', () => ({ kind: 'failure', failure }))
      hub.tool('refuse', () => ({ kind: 'error', body: json({ code: 4711, message: 'no', data: { why: [1] } }) }))
      await connect()
      expect(await call('busy')).toMatchObject({ isError: true, structuredContent: { error: failure } })
      await expect(call('refuse')).rejects.toMatchObject({ code: 4711, data: { why: [1] } })
    })

    it('learns of an unknown tool, and which one is near, also of those that are not listed', async () => {
      await connect()
      for (const ask of [() => call('great'), () => agent.request('tools/call', { name: 'great' })]) {
        await expect(ask()).rejects.toMatchObject({
          code: -32602,
          message: expect.stringContaining('Unknown tool: great. Did you mean greet?'),
        })
      }
    })

    it("reaches a worker's tool that has the name of one of ours", async () => {
      hub.tool('search_tools', () => text("the worker's"))
      await connect()
      expect(await listed()).toEqual(['search_tools', 'call_tool'])
      expect(names(await search({ names: ['search_tools'] }))).toEqual(['search_tools'])
      expect((await call('search_tools')).content[0].text).toBe("the worker's")
    })
  })

  describe('when the list changes', () => {
    it('finds what is new, and hears of what is pinned', async () => {
      await connect({ pinned: ['pinned_*'] })
      if (agent.modern) await agent.listen()
      await listed()
      hub.tool('juggle', () => text(''), { description: 'Keeps balls in the air.' })
      hub.live[0]!.listChanged('tools')
      expect(names(await search({ query: 'balls' }))).toEqual(['juggle'])
      hub.tool('pinned_one', () => text(''))
      hub.live[0]!.listChanged('tools')
      await agent.notified('notifications/tools/list_changed')
      expect(await listed()).toEqual(['search_tools', 'call_tool', 'pinned_one'])
    })

    it('gets the whole list as long as that is small, and a search when it is not', async () => {
      await connect({ mode: 'auto', searchAboveTokens: 60 })
      if (agent.modern) await agent.listen()
      expect(await listed()).toEqual(['greet', 'weave_eval'])
      hub.tool('large', () => text(''), { description: 'x'.repeat(300) })
      hub.live[0]!.listChanged('tools')
      await agent.notified('notifications/tools/list_changed')
      expect(await listed()).toEqual(['search_tools', 'call_tool'])
      hub.tools = hub.tools.slice(0, 2)
      // Who still has the two tools may use them.
      expect((await call('greet', { name: 'B' })).content[0].text).toBe('Hello B')
      hub.live[0]!.listChanged('tools')
      await agent.notified('notifications/tools/list_changed')
      expect(await listed()).toEqual(['greet', 'weave_eval'])
    })
  })

  describe('with 1,000 tools', () => {
    const many = (index: number): ToolDefinition => {
      const { definition } = catalogue[index % catalogue.length]!
      const properties = Object.fromEntries(
        ['first', 'second', 'third'].map((name) => [name, { type: 'string', description: 'What it is. '.repeat(20) }]),
      )
      const description = `${definition.description} ${'More about it. '.repeat(40)}`
      return {
        ...definition,
        name: `${definition.name}_${index}`,
        description,
        inputSchema: { type: 'object', properties },
      }
    }

    beforeEach(() => {
      hub.tools = Array.from({ length: 1_000 }, (_, index) => many(index))
    })

    it('has a list of less than 600 tokens', async () => {
      await connect()
      const { tools } = await agent.request('tools/list')
      expect(tokensOf(hub.tools)).toBeGreaterThan(300_000)
      expect(tokensOf(tools)).toBeLessThan(600)
    })

    it('gets answers of less than 4,100 tokens, however many it asks for, the best ones in them', async () => {
      await connect()
      for (const args of [{ query: 'create' }, { query: 'list', limit: 50 }, { service: 'fake', limit: 50 }]) {
        const { content } = await agent.callTool('search_tools', args)
        expect(content[0].text.length / 4).toBeLessThan(4_100)
        expect(JSON.parse(content[0].text).tools.length).toBeGreaterThanOrEqual(8)
      }
      const { tools } = await search({ query: 'refund', limit: 3 })
      expect(tools[0].name).toMatch(/^refund_payment_/)
      expect(tools[0].inputSchema.properties).toMatchObject({ first: { type: 'string' } })
    })
  })
})

describe('a change of the whole list', () => {
  const opened = (view: Partial<CatalogueView> = {}) => {
    const hub = new FakeHub()
    hub.tool('greet', () => text(''))
    const heard: string[] = []
    const connection = withToolSearch(hub).open(
      { ...identity, view: { ...searching, ...view } },
      {
        listChanged: (kind, scope) => heard.push(`${kind} of ${scope}`),
        resourceUpdated: (uri) => heard.push(uri),
        ended: () => heard.push('ended'),
      },
    )
    return { hub, heard, connection, tell: hub.live[0]!.listener.listChanged.bind(hub.live[0]!.listener) }
  }

  it('is one thing that a listener hears of; that the hub lets it go is another', () => {
    const { hub, heard } = opened()
    hub.live[0]!.listener.ended()
    expect(heard).toEqual(['ended'])
  })

  it('is no news to those who see nothing of it', () => {
    const { hub, heard, connection, tell } = opened()
    connection.tools('session')
    hub.tool('wave', () => text(''))
    tell('tools', 'session')
    tell('resources', 'session')
    expect(heard).toEqual(['resources of session'])
  })

  it('is news when it brings a service or a pinned tool', () => {
    const { hub, heard, connection, tell } = opened({ pinned: ['w*'] })
    connection.tools('principal')
    hub.tool('wave', () => text(''))
    tell('tools', 'principal')
    tell('tools', 'principal')
    expect(heard).toEqual(['tools of principal'])
  })

  it('is news to the one who read the old list, also when another has read the new one since', () => {
    const { hub, heard, connection, tell } = opened({ pinned: ['w*'] })
    connection.tools('principal')
    hub.tool('wave', () => text(''))
    connection.tools('principal')
    tell('tools', 'principal')
    expect(heard).toEqual(['tools of principal'])
  })

  it('is news, to be on the safe side, while nobody has read any', () => {
    const { heard, tell } = opened()
    tell('tools', 'session')
    expect(heard).toEqual(['tools of session'])
  })

  it('is always news to who has the whole list', () => {
    const { heard, connection, tell } = opened({ mode: 'auto', searchAboveTokens: 1_000 })
    connection.tools('session')
    tell('tools', 'session')
    tell('tools', 'session')
    expect(heard).toEqual(['tools of session', 'tools of session'])
  })

  it('leaves a connection without such a view as it is', () => {
    const hub = new FakeHub()
    const listener = { listChanged: () => undefined, resourceUpdated: () => undefined, ended: () => undefined }
    expect(withToolSearch(hub).open(identity, listener)).toBe(hub.live[0])
  })
})

it('an index is made once for a list, whoever asks', async () => {
  const hub = new FakeHub()
  hub.tools = catalogue.map(({ definition }) => definition)
  const port = withToolSearch(hub)
  const listener = { listChanged: () => undefined, resourceUpdated: () => undefined, ended: () => undefined }
  const made = vi.spyOn(ToolIndex, 'of')
  const ask = (connection: ReturnType<typeof port.open>) =>
    connection.call({
      method: 'tools/call',
      name: 'search_tools',
      body: json({ arguments: { query: 'refund' } }),
      client: { generation: 'modern', input: [], progress: false },
    })
  const connections = [1, 2, 3].map(() => port.open({ ...identity, view: searching }, listener))
  await Promise.all(connections.map(ask))
  await Promise.all(connections.map(ask))
  expect(made).toHaveBeenCalledOnce()
  hub.tool('new', () => text(''))
  await ask(connections[0]!)
  expect(made).toHaveBeenCalledTimes(2)
})
