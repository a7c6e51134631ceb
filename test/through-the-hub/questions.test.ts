import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Context, defineWorker, type SampleRequest, type Worker } from '@callboard/worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Answered, modernRequest, stateOf } from './modern-request.js'
import { agentKinds, Stage, type TestAgent, type Way, ways } from './stage.js'

/** What a handler asks of the person, the model and the program at the other end, with real clients of both generations. */

const choice = (value: string, title: string) => ({ const: value, title })

/** Every kind of field that a form may have. */
const form = {
  message: 'Who are you?',
  requestedSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name', description: 'd', minLength: 1, maxLength: 9, default: 'Ada' },
      mail: { type: 'string', format: 'email' },
      day: { type: 'string', format: 'date' },
      age: { type: 'integer', minimum: 0, maximum: 150, default: 30 },
      score: { type: 'number', default: 9.5 },
      sure: { type: 'boolean', default: true },
      plain: { type: 'string', enum: ['a', 'b'], default: 'a' },
      titled: { type: 'string', oneOf: [choice('a', 'A'), choice('b', 'B')] },
      named: { type: 'string', enum: ['a', 'b'], enumNames: ['A', 'B'] },
      several: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      titledSeveral: { type: 'array', items: { anyOf: [choice('a', 'A'), choice('b', 'B')] } },
    },
    required: ['name'],
  },
}
const filled = { name: 'Ada', age: 36, score: 0.5, sure: false, plain: 'b', several: ['a', 'b'] }

const sampling: SampleRequest = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Capital of France?' } }],
  modelPreferences: { hints: [{ name: 'small' }], speedPriority: 1 },
  systemPrompt: 'Be brief',
  temperature: 0.5,
  maxTokens: 5,
  stopSequences: ['.'],
  metadata: { x: 1 },
}
const sampled = { role: 'assistant', content: { type: 'text', text: 'Paris' }, model: 'm', stopReason: 'endTurn' }
const roots = [{ uri: 'file:///home/ada', name: 'Ada' }]

const input = z.looseObject({})

/** Why the handler of `waiting` ended, once it has. */
let endOfWaiting = deferred<string>()

function asker(): Worker {
  const worker = defineWorker({ service: 'asker', version: '1.0.0' })
  const tool = (name: string, act: (context: Context) => unknown) =>
    worker.tool(name, { description: name, input }, async (_, context) => JSON.stringify(await act(context)))
  tool('form', ({ elicit }) => elicit(form))
  tool('url', ({ elicit }) => elicit({ message: 'Log in', url: 'https://example.org/login' }))
  tool('sampling', ({ sample }) => sample(sampling))
  tool('sampling_with_tools', ({ sample }) => sample({ ...sampling, tools: [], toolChoice: { mode: 'auto' } }))
  tool('roots', (context) => context.roots())
  tool('at_once', ({ elicit, sample, roots: ask }) => Promise.all([elicit(form), sample(sampling), ask()]))
  tool('in_turn', async ({ elicit }) => [
    await elicit({ ...form, message: 'First?' }),
    await elicit({ ...form, message: 'Second?' }),
  ])
  tool('careful', ({ elicit }) => elicit(form).catch((error: { readonly code: string }) => error.code))
  tool('nested', async ({ call }) => (await call('form')).content)
  tool('waiting', ({ elicit, signal }) => {
    signal.addEventListener('abort', () => endOfWaiting.resolve(signal.reason.reason))
    return elicit(form)
  })
  tool('listening', async ({ elicit, progress, log }) => {
    progress(1)
    log('info', 'before')
    await nextTurn()
    await elicit(form)
    progress(2)
    log('info', 'after')
  })
  worker.prompt('asking', { description: 'Asks' }, async (_, { elicit }) => {
    const { content } = await elicit(form)
    return { messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(content) } }] }
  })
  worker.resource('ask://me', { name: 'asking' }, async (uri, _, { elicit }) => {
    const { content } = await elicit(form)
    return [{ uri, text: JSON.stringify(content) }]
  })
  return worker
}

/** Another service, whose question has to find the agent at the root. */
function middleman(): Worker {
  return defineWorker({ service: 'middleman', version: '1.0.0' }).tool(
    'through_another',
    { description: 'Calls the one that asks', input },
    async (_, { call }) => JSON.stringify((await call('form')).content),
  )
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

let stage: Stage
beforeAll(async () => {
  stage = await Stage.with(asker(), middleman())
})
afterAll(() => stage[Symbol.asyncDispose]())

const cases = ways.flatMap((way) => agentKinds.map((kind) => ({ way, kind })))

describe.each(cases)('$kind over $way', ({ way, kind }: { way: Way; kind: (typeof agentKinds)[number] }) => {
  let agent: TestAgent
  let asked: unknown[]

  beforeAll(async () => {
    agent = await stage.agent(kind, way)
  })

  /** What the client was asked, and what came of it. */
  async function call(name: string, answer: unknown = { action: 'accept', content: filled }): Promise<unknown> {
    asked = []
    const listen = (given: unknown) => (params: unknown) => {
      asked.push(params)
      return given
    }
    agent.onAsked('elicitation/create', listen(answer))
    agent.onAsked('sampling/createMessage', listen(sampled))
    agent.onAsked('roots/list', listen({ roots }))
    const { content } = await agent.request('tools/call', { name, arguments: {} })
    return JSON.parse(content[0].text)
  }

  it.each([{ action: 'accept', content: filled }, { action: 'decline' }, { action: 'cancel' }])(
    'fills a form of every kind of field: $action',
    async (answer) => {
      expect(await call('form', answer)).toEqual(answer)
      expect(asked).toMatchObject([form])
    },
  )

  it('opens a page', async () => {
    expect(await call('url', { action: 'accept' })).toEqual({ action: 'accept' })
    const page = { mode: 'url', message: 'Log in', url: 'https://example.org/login' }
    expect(asked).toEqual([agent.modern ? page : { ...page, elicitationId: expect.any(String) }])
  })

  it('lends its model, and says which roots it has', async () => {
    expect(await call('sampling')).toMatchObject(sampled)
    expect(asked).toMatchObject([sampling])
    expect(await call('roots')).toEqual(roots)
  })

  it('is asked several things at once, and one after the other', async () => {
    expect(await call('at_once')).toMatchObject([{ content: filled }, sampled, roots])
    expect(asked).toHaveLength(3)
    expect(await call('in_turn')).toHaveLength(2)
    expect(asked).toMatchObject([{ message: 'First?' }, { message: 'Second?' }])
  })

  it('is asked for a prompt and for a resource', async () => {
    await call('form')
    const prompt = await agent.request('prompts/get', { name: 'asking' })
    expect(JSON.parse(prompt.messages[0].content.text)).toEqual(filled)
    const { contents } = await agent.request('resources/read', { uri: 'ask://me' })
    expect(JSON.parse(contents[0].text)).toEqual(filled)
  })

  it('is asked by a worker that another worker called for it', async () => {
    const content = (await call('through_another')) as { readonly text: string }[]
    expect(JSON.parse(content[0]!.text)).toEqual({ action: 'accept', content: filled })
    expect(asked).toHaveLength(1)
  })

  it('that can do nothing of it is not asked, and the handler knows at once', async () => {
    const mute = await stage.agent(kind, way, {})
    for (const [name, requiredCapabilities] of [
      ['form', { elicitation: { form: {} } }],
      ['url', { elicitation: { url: {} } }],
      ['sampling', { sampling: {} }],
      ['roots', { roots: {} }],
      ['through_another', { elicitation: { form: {} } }],
    ] as const) {
      const called = mute.request('tools/call', { name, arguments: {} })
      if (agent.modern) await expect(called).rejects.toMatchObject({ code: -32_021, data: { requiredCapabilities } })
      else expect(JSON.stringify(await called)).toContain('input_unsupported')
    }
    const { content } = await mute.request('tools/call', { name: 'careful', arguments: {} })
    expect(content[0].text).toBe('"input_unsupported"')
  })

  it('is not asked for a model that uses tools unless it has one', async () => {
    const called = agent.request('tools/call', { name: 'sampling_with_tools', arguments: {} })
    const requiredCapabilities = { sampling: { tools: {} } }
    if (agent.modern) await expect(called).rejects.toMatchObject({ code: -32_021, data: { requiredCapabilities } })
    else expect(await called).toMatchObject({ isError: true, structuredContent: { error: { code: 'cancelled' } } })

    const able = await stage.agent(kind, way, { sampling: { tools: {} } })
    able.onAsked('sampling/createMessage', () => sampled)
    const { content } = await able.request('tools/call', { name: 'sampling_with_tools', arguments: {} })
    expect(JSON.parse(content[0].text)).toMatchObject(sampled)
  })

  it('that answers by an error ends the call, and the handler', async () => {
    endOfWaiting = deferred()
    agent.onAsked('elicitation/create', () => {
      throw new Error('nobody at home')
    })
    const called = agent.request('tools/call', { name: 'waiting', arguments: {} })
    // A modern client has no way to say so: it never comes back, and the hub gives the call up in time.
    if (agent.modern) return expect(called).rejects.toThrow('nobody at home')
    const answer = await called
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'cancelled' } } })
    expect(answer.content[0].text).toContain('nobody at home')
    expect(await endOfWaiting.promise).toBe('cancelled')
  })

  it('that gives up while it is asked has the answer ignored', async () => {
    endOfWaiting = deferred()
    const abort = new AbortController()
    const begun = deferred<void>()
    const late = deferred<unknown>()
    agent.onAsked('elicitation/create', () => {
      begun.resolve()
      return late.promise
    })
    const called = agent.request('tools/call', { name: 'waiting', arguments: {} }, { signal: abort.signal })
    await begun.promise
    const gaveUp = expect(called).rejects.toThrow()
    abort.abort('enough')
    // A modern client that is asked has no request open: the hub learns of its change of mind by its silence.
    if (!agent.modern) expect(await endOfWaiting.promise).toBe('cancelled')
    late.resolve({ action: 'accept', content: filled })
    await gaveUp
    expect(await call('form')).toMatchObject({ content: filled })
  })
})

describe('the state that a modern client brings back', () => {
  const call = (params: object, meta?: object): Promise<Answered> =>
    modernRequest(stage.url, 'tools/call', { name: 'form', arguments: { a: 1 }, ...params }, meta)
  const accepted = { action: 'accept', content: filled }
  const refused = { error: { code: -32_602, data: { reason: 'invalid_request_state' } } }

  async function asked() {
    const { inputRequests, requestState } = stateOf(await call({}))
    return { requestState, inputResponses: { [Object.keys(inputRequests)[0]!]: accepted } }
  }

  it('is good for one retry', async () => {
    const retry = await asked()
    expect((await call(retry)).message.result.content[0].text).toBe(JSON.stringify(accepted))
    expect((await call(retry)).message).toMatchObject(refused)
  })

  it('is refused when it is forged', async () => {
    const { requestState, inputResponses } = await asked()
    for (const forged of ['', 'x', `${requestState}x`, requestState.slice(1), 7, null, {}]) {
      expect((await call({ requestState: forged, inputResponses })).message).toMatchObject({ error: { code: -32_602 } })
    }
    expect((await call({ requestState, inputResponses })).message.result).toBeDefined()
  })

  it('is refused for anything else than the same request', async () => {
    const retry = await asked()
    expect((await call({ ...retry, arguments: { a: 2 } })).message).toMatchObject(refused)
    expect((await call({ ...retry, name: 'careful' })).message).toMatchObject(refused)
    expect((await call(retry)).message.result).toBeDefined()
  })

  it('is refused from anybody else', async () => {
    const retry = await asked()
    const thief = await stage.agent('sdk 2 modern', 'mcp.sock')
    const theft = thief.request('tools/call', { name: 'form', arguments: { a: 1 }, ...retry })
    await expect(theft).rejects.toMatchObject({ code: -32_602 })
    expect((await call(retry)).message.result).toBeDefined()
  })

  it('lets the retry say anew what it wants to hear', async () => {
    const listening = (params: object, meta?: object) =>
      modernRequest(stage.url, 'tools/call', { name: 'listening', arguments: {}, ...params }, meta)
    const loud = { progressToken: 'second', 'io.modelcontextprotocol/logLevel': 'info' }
    const quiet = await listening({})
    expect(quiet.notifications).toEqual([])
    const { inputRequests, requestState } = stateOf(quiet)
    const inputResponses = { [Object.keys(inputRequests)[0]!]: accepted }
    const heard = (await listening({ requestState, inputResponses }, loud)).notifications
    expect(heard).toMatchObject([
      { method: 'notifications/progress', params: { progressToken: 'second', progress: 2 } },
      { method: 'notifications/message', params: { level: 'info', data: 'after' } },
    ])

    const first = await listening({}, { ...loud, progressToken: 'first' })
    expect(first.notifications).toMatchObject([
      { params: { progressToken: 'first', progress: 1 } },
      { params: { data: 'before' } },
    ])
    const again = stateOf(first).requestState
    expect((await listening({ requestState: again, inputResponses })).notifications).toEqual([])
  })

  it('may come with fewer capabilities: what is asked next is then refused', async () => {
    const inTurn = (params: object, meta?: object) =>
      modernRequest(stage.url, 'tools/call', { name: 'in_turn', arguments: {}, ...params }, meta)
    const { inputRequests, requestState } = stateOf(await inTurn({}))
    const inputResponses = { [Object.keys(inputRequests)[0]!]: accepted }
    const capabilities = { 'io.modelcontextprotocol/clientCapabilities': {} }
    const { message } = await inTurn({ requestState, inputResponses }, capabilities)
    expect(message).toMatchObject({ error: { code: -32_021 } })
  })
})
