import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AgentKind, agentKinds, type TestAgent } from './agents.js'
import { FakeHub, json, type Loose, parsed, result, text, untilAborted } from './fake-hub.js'

export interface Stage {
  connect(hub: FakeHub, kind: AgentKind): Promise<TestAgent>
  close(): Promise<void>
}

/** What every agent must find, whichever SDK it uses and whichever way it comes in. */
export function describeAgents(way: string, stage: () => Stage): void {
  describe.each(agentKinds)(`${way}: %s`, (kind) => {
    let hub: FakeHub
    let current: Stage
    let agent: TestAgent

    beforeEach(async () => {
      hub = new FakeHub()
      current = stage()
      hub.tool('greet', (call) => text(`Hello ${parsed(call.body).arguments.name}`))
      agent = await current.connect(hub, kind)
    })
    afterEach(async () => {
      await agent.close()
      await current.close()
      // Nothing may be left open in the hub.
      expect(hub.live).toEqual([])
    })

    it('learns who we are and what we can do', async () => {
      expect(agent.client.getServerVersion()).toMatchObject({ name: 'callboard', version: '1.2.3' })
      expect(agent.client.getServerCapabilities()).toEqual({
        tools: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
        ...(agent.modern
          ? { extensions: { 'io.modelcontextprotocol/tasks': {} } }
          : { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }),
      })
    })

    it('lists what the hub lists, in its order and untouched', async () => {
      hub.tool('another', () => text(''), {
        title: 'A',
        _meta: { x: 1 },
        annotations: { readOnlyHint: true },
        extra: [1],
      })
      hub.resources.push({ uri: 'a://b', name: 'b' })
      hub.resourceTemplates.push({ uriTemplate: 'a://{b}', name: 't' })
      hub.prompts.push({ name: 'p' })
      expect((await agent.request('tools/list')).tools).toEqual(hub.tools)
      expect((await agent.request('resources/list')).resources).toEqual(hub.resources)
      expect((await agent.request('resources/templates/list')).resourceTemplates).toEqual(hub.resourceTemplates)
      expect((await agent.request('prompts/list')).prompts).toEqual(hub.prompts)
    })

    it('waits for a catalogue that is not known yet', async () => {
      let learn = () => {}
      hub.known = new Promise((resolve) => {
        learn = resolve
      })
      const listed = agent.request('tools/list')
      hub.tools = [{ name: 'late', inputSchema: { type: 'object' } }]
      learn()
      expect((await listed).tools).toHaveLength(1)
    })

    it('refuses a cursor that is not ours', async () => {
      await expect(agent.request('tools/list', { cursor: 'x' })).rejects.toMatchObject({ code: -32602 })
    })

    it('calls a tool', async () => {
      expect((await agent.callTool('greet', { name: 'Ada' })).content).toEqual([{ type: 'text', text: 'Hello Ada' }])
      expect(hub.calls[0]).toMatchObject({
        method: 'tools/call',
        name: 'greet',
        client: {
          generation: agent.modern ? 'modern' : 'legacy',
          input: ['form', 'url', 'sampling', 'roots'],
          progress: false,
        },
      })
    })

    it('gets a result with every field that the worker put in', async () => {
      const content = [
        { type: 'text', text: 'a', extra: 1, annotations: { audience: ['user'], 'x-y': 2 } },
        { type: 'image', data: 'AA==', mimeType: 'image/png', _meta: { k: 'v' } },
        { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
        { type: 'resource', resource: { uri: 'a://b', text: 't', extra: true } },
        { type: 'resource_link', uri: 'a://b', name: 'b', extra: null },
      ]
      const whole = { content, structuredContent: { a: [1, { b: null }] }, _meta: { 'x/y': 1 }, unknown: { z: 1 } }
      hub.tool('whole', () => result(whole))
      expect(await agent.request('tools/call', { name: 'whole' })).toMatchObject(whole)
    })

    it('reads a resource, gets a prompt, completes', async () => {
      hub.handlers.set('a://b', () => result({ contents: [{ uri: 'a://b', text: 'x', extra: 1 }] }))
      hub.handlers.set('p', (call) =>
        call.method === 'prompts/get'
          ? result({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] })
          : result({ completion: { values: ['v'], hasMore: false } }),
      )
      expect((await agent.request('resources/read', { uri: 'a://b' })).contents).toEqual([
        { uri: 'a://b', text: 'x', extra: 1 },
      ])
      expect((await agent.request('prompts/get', { name: 'p' })).messages).toHaveLength(1)
      const ref = { type: 'ref/prompt', name: 'p' }
      const completed = await agent.request('completion/complete', { ref, argument: { name: 'a', value: 'v' } })
      expect(completed.completion).toEqual({ values: ['v'], hasMore: false })
    })

    it('learns of an unknown tool, and which one is near', async () => {
      await expect(agent.request('tools/call', { name: 'great' })).rejects.toMatchObject({
        code: -32602,
        message: expect.stringContaining('Unknown tool: great. Did you mean greet?'),
      })
      await expect(agent.request('tools/call', { name: 'reboot' })).rejects.toThrow(/Unknown tool: reboot$/)
    })

    it('learns of an unknown resource and prompt', async () => {
      await expect(agent.request('resources/read', { uri: 'a://z' })).rejects.toMatchObject({
        code: -32602,
        data: { uri: 'a://z' },
      })
      await expect(agent.request('prompts/get', { name: 'nope' })).rejects.toMatchObject({ code: -32602 })
    })

    describe('when the hub gets no answer', () => {
      const failure = { code: 'overloaded', message: 'too much', retryable: true, retryAfterMs: 50 } as const

      beforeEach(() => {
        const fail = () => ({ kind: 'failure', failure }) as const
        hub.tool('fail', fail)
        hub.tool('typed', fail, { outputSchema: { type: 'object', required: ['x'], properties: { x: {} } } })
        hub.handlers.set('a://b', fail)
      })

      it('gives a tool call a result that says so', async () => {
        const answer = await agent.callTool('fail')
        expect(answer).toMatchObject({ isError: true, structuredContent: { error: failure } })
        expect(JSON.parse(answer.content[0].text)).toEqual({ error: failure })
      })

      it('keeps away from the output schema of a tool that has one', async () => {
        await agent.client.listTools()
        const answer = await agent.callTool('typed')
        expect(answer).toMatchObject({ isError: true, _meta: { 'callboard/error': failure } })
        expect(answer.structuredContent).toBeUndefined()
        expect(JSON.parse(answer.content[0].text)).toEqual({ error: failure })
      })

      it('gives anything else an error of the protocol', async () => {
        const { code, retryable, retryAfterMs } = failure
        await expect(agent.request('resources/read', { uri: 'a://b' })).rejects.toMatchObject({
          code: -32603,
          message: expect.stringContaining('too much'),
          data: { code, retryable, retryAfterMs },
        })
      })
    })

    it('gets an error for what is nested too deep to be passed on', async () => {
      const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
      const body = Buffer.from(`{"content":[],"structuredContent":${deep}}`)
      hub.tool('deep', () => ({ kind: 'result', body, isError: false, trusted: false }))
      hub.tool('bad', () => ({ kind: 'error', body: Buffer.from(`{"code":1,"message":"x","data":${deep}}`) }))
      for (const name of ['deep', 'bad']) {
        const answer = await agent.request('tools/call', { name })
        expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'internal' } } })
        expect(answer.content[0].text).toContain('invalid result')
      }
    })

    it('gets an error of the worker as it is', async () => {
      hub.tool('refuse', () => ({ kind: 'error', body: json({ code: 4711, message: 'no', data: { why: [1] } }) }))
      await expect(agent.request('tools/call', { name: 'refuse' })).rejects.toMatchObject({
        code: 4711,
        data: { why: [1] },
      })
    })

    it.each([
      ['an unknown content type', json({ content: [{ type: 'hologram' }] })],
      ['no object', json([1])],
      ['no JSON', Buffer.from('{"content":')],
    ])('hears clearly of a result with %s, and goes on', async (_, body) => {
      hub.tool('broken', () => ({ kind: 'result', body, isError: false, trusted: false }))
      const answer = await agent.callTool('broken')
      expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'internal' } } })
      expect(answer.content[0].text).toContain('invalid result')
      expect((await agent.callTool('greet', { name: 'B' })).content[0].text).toBe('Hello B')
    })

    it('is spared what failed inside the hub', async () => {
      const bug = () => {
        throw Object.assign(new Error('secret'), { code: 3, data: 'secret' })
      }
      hub.tool('bug', bug, { execution: { taskSupport: 'optional' } })
      const refused = await agent.request('tools/call', { name: 'bug' }).catch((error: unknown) => error)
      expect(refused).toMatchObject({ code: -32603 })
      expect(JSON.stringify(refused) + (refused as Error).message).not.toContain('secret')
    })

    it('gets structured content that is no object as its era has it', async () => {
      hub.tool('list', () => result({ content: [], structuredContent: [1, 2] }), { outputSchema: { type: 'array' } })
      const answer = await agent.request('tools/call', { name: 'list' })
      expect(answer.structuredContent).toEqual(agent.modern ? [1, 2] : { result: [1, 2] })
      expect(answer.content).toEqual([{ type: 'text', text: '[1,2]' }])
    })

    it('hears progress, in order and before the result', async () => {
      hub.tool('work', ({ onProgress }) => {
        for (const progress of [1, 2]) onProgress!(json({ progress, total: 2, message: `step ${progress}` }))
        return text('done')
      })
      const heard: unknown[] = []
      await agent.request('tools/call', { name: 'work' }, { onprogress: (progress) => heard.push(progress) })
      expect(heard).toEqual([
        { progress: 1, total: 2, message: 'step 1' },
        { progress: 2, total: 2, message: 'step 2' },
      ])
    })

    it('cancels', async () => {
      hub.tool('slow', ({ signal }) => untilAborted(signal))
      const abort = new AbortController()
      const called = hub.next('call')
      const answer = agent.request('tools/call', { name: 'slow' }, { signal: abort.signal })
      const { signal } = (await called) as { signal: AbortSignal }
      abort.abort('enough')
      await expect(answer).rejects.toThrow()
      await untilAborted(signal)
    })

    it('says which log messages it wants, and gets them', async () => {
      hub.tool('chatty', ({ onLog, client }) => {
        onLog?.('warning', json({ logger: 'l', data: { a: 1 } }))
        return text(client.logLevel ?? 'none')
      })
      const meta = agent.modern ? { _meta: { 'io.modelcontextprotocol/logLevel': 'warning' } } : {}
      if (!agent.modern) await agent.request('logging/setLevel', { level: 'warning' })
      const answer = await agent.request('tools/call', { name: 'chatty', ...meta })
      expect(answer.content[0].text).toBe('warning')
      expect(await agent.notified('notifications/message')).toMatchObject({
        level: 'warning',
        logger: 'l',
        data: { a: 1 },
      })
      if (agent.modern) expect((await agent.request('tools/call', { name: 'chatty' })).content[0].text).toBe('none')
    })

    it('hears that lists and resources changed', async () => {
      const subscribed = hub.next('subscribe')
      const stream = await agent.listen(['a://b'])
      expect(await subscribed).toBe('a://b')
      const connection = hub.live.find((each) => each.subscriptions.has('a://b'))!
      connection.listChanged('tools')
      connection.listChanged('prompts')
      connection.listener.resourceUpdated('a://b')
      await agent.notified('notifications/tools/list_changed')
      await agent.notified('notifications/prompts/list_changed')
      expect(await agent.notified('notifications/resources/updated')).toMatchObject({ uri: 'a://b' })
      const unsubscribed = hub.next('unsubscribe')
      await stream.close()
      expect(await unsubscribed).toBe('a://b')
    })

    it('is asked for input, more than once, and the call goes on', async () => {
      const ask = (key: string, message: string) =>
        json({
          inputRequests: {
            [key]: {
              method: 'elicitation/create',
              params: {
                mode: 'form',
                message,
                requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
              },
            },
          },
        })
      hub.tool('ask', () => {
        hub.suspended.set('c-1', (first: Loose) => {
          hub.suspended.set('c-1', (second: Loose) => text(`${JSON.stringify([first, second])}`))
          return { kind: 'input_required', id: 'c-1', body: ask('two', 'Second?') }
        })
        return { kind: 'input_required', id: 'c-1', body: ask('one', 'First?') }
      })
      agent.onAsked('elicitation/create', ({ message }) => ({ action: 'accept', content: { a: message } }))
      const answer = await agent.request('tools/call', { name: 'ask', arguments: { z: 1, y: 2 } })
      expect(JSON.parse(answer.content[0].text)).toEqual([
        { inputResponses: { one: { action: 'accept', content: { a: 'First?' } } } },
        { inputResponses: { two: { action: 'accept', content: { a: 'Second?' } } } },
      ])
      expect(hub.abandoned).toEqual([])
    })

    it('goes on to tell progress after a question', async () => {
      const requestedSchema = { type: 'object', properties: {} }
      const question = { method: 'elicitation/create', params: { mode: 'form', message: 'Why?', requestedSchema } }
      hub.tool('ask', () => {
        hub.suspended.set('c-1', (_, turn) => {
          turn.onProgress?.(json({ progress: 2 }))
          return text('done')
        })
        return { kind: 'input_required', id: 'c-1', body: json({ inputRequests: { why: question } }) }
      })
      agent.onAsked('elicitation/create', () => ({ action: 'decline' }))
      const heard: Loose[] = []
      await agent.request('tools/call', { name: 'ask' }, { onprogress: (progress) => heard.push(progress) })
      // The SDK's modern client adds progress of its own, round by round.
      expect(heard.at(-1)).toEqual({ progress: 2 })
    })

    it('is told and asked nothing in the name of the hub or of the protocol', async () => {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': 7, 'callboard/error': {}, 'x/y': 1 }
      const params = { message: '?', requestedSchema: { type: 'object', properties: {} }, _meta }
      hub.tool('forge', ({ onLog }) => {
        onLog?.('error', json({ data: 1, _meta }))
        hub.suspended.set('c-3', () => text('done'))
        const body = json({ inputRequests: { a: { method: 'elicitation/create', params } } })
        return { kind: 'input_required', id: 'c-3', body }
      })
      const asked: unknown[] = []
      agent.onAsked('elicitation/create', (given) => {
        asked.push(given._meta)
        return { action: 'accept', content: {} }
      })
      const meta = agent.modern ? { _meta: { 'io.modelcontextprotocol/logLevel': 'error' } } : {}
      await agent.request('tools/call', { name: 'forge', ...meta })
      expect((await agent.notified('notifications/message'))._meta).toEqual({ 'x/y': 1 })
      expect(asked).toMatchObject([{ 'x/y': 1 }])
      expect(JSON.stringify(asked)).not.toMatch(/subscriptionId|callboard/)
    })

    it('ends a call whose question makes no sense', async () => {
      hub.tool('ask', () => ({
        kind: 'input_required',
        id: 'c-2',
        body: json({ inputRequests: { a: { method: 'x' } } }),
      }))
      const answer = await agent.callTool('ask')
      expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'cancelled' } } })
      expect(hub.abandoned).toEqual(['c-2'])
    })
  })
}
