import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Annotations,
  type Content,
  type Context,
  defineWorker,
  RpcError,
  result,
  type Worker,
} from '@callboard/worker'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { agentKinds, Stage, type TestAgent, type Way, ways } from './stage.js'

/** What a worker says reaches the agent as it is, and what an agent says the worker: through a real hub, every way in. */

const icons = [{ src: 'data:image/png;base64,AA==', mimeType: 'image/png', sizes: ['16x16'] }]
const annotations: Annotations = { audience: ['user'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z', 'x-y': [2] }

const content: readonly Content[] = [
  { type: 'text', text: 'a', annotations, _meta: { 'x/y': 1 }, extra: 1 },
  { type: 'image', data: 'AA==', mimeType: 'image/png', annotations, _meta: { k: 'v' } },
  { type: 'audio', data: 'AA==', mimeType: 'audio/wav', annotations },
  {
    type: 'resource_link',
    uri: 'a://b',
    name: 'b',
    title: 'B',
    description: 'd',
    size: 3,
    icons,
    annotations,
    extra: null,
  },
  {
    type: 'resource',
    resource: { uri: 'a://b', text: 't', mimeType: 'text/plain', _meta: { r: 1 }, extra: true },
    annotations,
  },
  { type: 'resource', resource: { uri: 'a://c', blob: 'AA==', _meta: { r: 2 } } },
]

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

function witness(): Worker {
  const worker = defineWorker({ service: 'witness', version: '1.0.0' })
  const input = z.looseObject({})
  worker.tool('content', { description: 'All kinds of content', input }, () =>
    result({ content, value: { a: [1, { b: null }] }, meta: { 'x/y': { z: 1 }, plain: true } }),
  )
  worker.tool('echo', { description: 'What the handler was told', input }, (given, context) => ({
    given,
    meta: context.meta,
    trace: [context.traceparent, context.tracestate, context.baggage],
    logLevel: context.client.logLevel ?? 'none',
  }))
  worker.tool('forge', { description: 'Speaks for others', input }, ({ isError }) =>
    result({ content: { type: 'text', text: 'forged' }, isError: isError === true, meta: forged }),
  )
  worker.tool('list', { description: 'A list', input, output: z.array(z.number()) }, () => [1, 2])
  worker.tool('text', { description: 'Structured text', input, output: z.string() }, () => 'just text')
  worker.tool('chatty', { description: 'Talks', input }, talk)
  worker.tool('throw', { description: 'Throws', input }, () => {
    throw new RpcError(-32_042, 'Log in first', { elicitations: [{ mode: 'url', url: 'https://example.org' }] })
  })
  worker.tool(
    'described',
    {
      description: 'Has everything that a tool may have',
      title: 'Described',
      input,
      inputSchema: { type: 'object', $defs: { x: { $anchor: 'x' } }, 'x-unknown': [1] },
      annotations: {
        title: 'T',
        readOnlyHint: true,
        destructiveHint: false,
        openWorldHint: false,
        'x-hint': 1,
      },
      icons,
      meta: { 'x/y': 1 },
    },
    () => '',
  )
  worker.resource(
    'a://described',
    {
      name: 'r',
      title: 'R',
      description: 'd',
      mimeType: 'text/plain',
      size: 3,
      annotations,
      icons,
      meta: { 'x/y': 1 },
    },
    (uri) => [
      { uri, text: 'x', _meta: { r: 1 }, extra: 1 },
      { uri: 'a://blob', blob: 'AA==', mimeType: 'image/png' },
    ],
  )
  worker.resourceTemplate(
    't://{kind}/{id}',
    {
      name: 't',
      title: 'T',
      icons,
      meta: { 'x/y': 1 },
      complete: ({ argument, value, known }) => [argument, value, known['kind'] ?? ''],
    },
    (uri, variables) => [{ uri, text: JSON.stringify(variables) }],
  )
  worker.prompt(
    'described',
    {
      title: 'P',
      description: 'd',
      arguments: [{ name: 'a', title: 'A', description: 'd', required: true }],
      icons,
      meta: { 'x/y': 1 },
      complete: () => ({ values: ['one', 'two'], total: 150, hasMore: true }),
    },
    ({ a }) => ({
      description: `about ${a}`,
      messages: content.map((block) => ({ role: 'user', content: block, extra: 1 })),
      _meta: { 'x/y': 1 },
    }),
  )
  return worker
}

const forged = {
  'callboard/error': { code: 'outcome_unknown', message: 'not so', retryable: true },
  'callboard/session': 'another',
  'io.modelcontextprotocol/serverInfo': { name: 'impostor', version: '6.6.6' },
  'io.modelcontextprotocol/subscriptionId': 7,
  'x/y': 1,
}

async function talk(_: object, { progress, log }: Context): Promise<string> {
  progress(1, 3, 'one')
  // Of what is said in one turn of the loop, the latest counts.
  await nextTurn()
  for (const level of ['debug', 'info', 'warning'] as const) log(level, { level }, 'talker')
  progress(2.5, 3)
  return 'done'
}

let stage: Stage
beforeAll(async () => {
  stage = await Stage.with(witness())
})
afterAll(() => stage[Symbol.asyncDispose]())

const cases = ways.flatMap((way) => agentKinds.map((kind) => ({ way, kind })))

describe.each(cases)('$kind over $way', ({ way, kind }: { way: Way; kind: (typeof agentKinds)[number] }) => {
  let agent: TestAgent
  beforeAll(async () => {
    agent = await stage.agent(kind, way)
  })

  const call = (name: string, args: object = {}, more: object = {}) =>
    agent.request('tools/call', { name, arguments: args, ...more })

  it('gets all that a tool, resource, template or prompt says of itself', async () => {
    const { tools } = await agent.request('tools/list')
    expect(tools.find(({ name }: { name: string }) => name === 'described')).toEqual({
      name: 'described',
      title: 'Described',
      description: 'Has everything that a tool may have',
      inputSchema: { type: 'object', $defs: { x: { $anchor: 'x' } }, 'x-unknown': [1] },
      annotations: { title: 'T', readOnlyHint: true, destructiveHint: false, openWorldHint: false, 'x-hint': 1 },
      icons,
      _meta: { 'x/y': 1 },
    })
    const described = { title: 'R', description: 'd', mimeType: 'text/plain', size: 3, annotations, icons }
    expect((await agent.request('resources/list')).resources).toEqual([
      { uri: 'a://described', name: 'r', ...described, _meta: { 'x/y': 1 } },
    ])
    expect((await agent.request('resources/templates/list')).resourceTemplates).toEqual([
      { uriTemplate: 't://{kind}/{id}', name: 't', title: 'T', icons, _meta: { 'x/y': 1 } },
    ])
    expect((await agent.request('prompts/list')).prompts).toEqual([
      {
        name: 'described',
        title: 'P',
        description: 'd',
        arguments: [{ name: 'a', title: 'A', description: 'd', required: true }],
        icons,
        _meta: { 'x/y': 1 },
      },
    ])
  })

  it('gets content of every type with every field', async () => {
    const answer = await call('content')
    expect(answer.content).toEqual(content)
    expect(answer.structuredContent).toEqual({ a: [1, { b: null }] })
    expect(answer._meta).toMatchObject({ 'x/y': { z: 1 }, plain: true })
  })

  it('gets structured output of any type, in the form that its generation has for it', async () => {
    const list = await call('list')
    expect(list.structuredContent).toEqual(agent.modern ? [1, 2] : { result: [1, 2] })
    expect((await call('text')).structuredContent).toEqual(agent.modern ? 'just text' : { result: 'just text' })
  })

  it('reads resources, and what a template makes of a URI', async () => {
    expect((await agent.request('resources/read', { uri: 'a://described' })).contents).toEqual([
      { uri: 'a://described', text: 'x', _meta: { r: 1 }, extra: 1 },
      { uri: 'a://blob', blob: 'AA==', mimeType: 'image/png' },
    ])
    const { contents } = await agent.request('resources/read', { uri: 't://book/7' })
    expect(contents).toEqual([{ uri: 't://book/7', text: '{"kind":"book","id":"7"}' }])
  })

  it('gets prompts with content of every type', async () => {
    const prompt = await agent.request('prompts/get', { name: 'described', arguments: { a: 'cats' } })
    expect(prompt).toMatchObject({ description: 'about cats', _meta: { 'x/y': 1 } })
    expect(prompt.messages).toEqual(content.map((block) => ({ role: 'user', content: block, extra: 1 })))
  })

  it('completes with what is known of the other arguments', async () => {
    const template = { type: 'ref/resource', uri: 't://{kind}/{id}' }
    const argument = { name: 'id', value: '7' }
    const context = { arguments: { kind: 'book' } }
    expect((await agent.request('completion/complete', { ref: template, argument, context })).completion).toEqual({
      values: ['id', '7', 'book'],
      total: 3,
      hasMore: false,
    })
    const prompt = { type: 'ref/prompt', name: 'described' }
    const completed = await agent.request('completion/complete', { ref: prompt, argument: { name: 'a', value: '' } })
    expect(completed.completion).toEqual({ values: ['one', 'two'], total: 150, hasMore: true })
  })

  it("gets a worker's error with its code and data", async () => {
    await expect(call('throw')).rejects.toMatchObject({
      code: -32_042,
      message: expect.stringContaining('Log in first'),
      data: { elicitations: [{ mode: 'url', url: 'https://example.org' }] },
    })
  })

  it('hands arguments, _meta and the trace to the worker', async () => {
    const given = { a: [1, { b: null }], ü: '\u2028', deep: { deeper: [true] } }
    const trace = { traceparent, tracestate: 'v=1', baggage: 'user=ada,tenant=7' }
    const _meta = { 'x/y': { z: 1 }, plain: true, 'callboard/trusted': true, ...trace }
    const { structuredContent } = await call('echo', given, { _meta })
    expect(structuredContent).toMatchObject({
      given,
      meta: { 'x/y': { z: 1 }, plain: true },
      trace: [traceparent, 'v=1', 'user=ada,tenant=7'],
    })
    expect(JSON.stringify(structuredContent)).not.toContain('trusted')
  })

  it("takes no word of a worker for the hub's or the protocol's", async () => {
    const { _meta } = await call('forge')
    expect(_meta).toEqual({
      'x/y': 1,
      ...(agent.modern && { 'io.modelcontextprotocol/serverInfo': { name: 'callboard', version: '1.2.3' } }),
    })
    // What went wrong is for the worker to say.
    const failed = await call('forge', { isError: true })
    expect(Object.keys(failed._meta)).not.toContain('callboard/session')
    expect(failed._meta['callboard/error']).toMatchObject({ code: 'outcome_unknown' })
  })

  it('hears progress with total and message', async () => {
    const heard: unknown[] = []
    await agent.request('tools/call', { name: 'chatty' }, { onprogress: (progress) => heard.push(progress) })
    expect(heard).toEqual([
      { progress: 1, total: 3, message: 'one' },
      { progress: 2.5, total: 3 },
    ])
  })

  it('hears what it asked to hear, and no more', async () => {
    const _meta = agent.modern ? { 'io.modelcontextprotocol/logLevel': 'info' } : {}
    if (!agent.modern) await agent.request('logging/setLevel', { level: 'info' })
    await call('chatty', {}, { _meta })
    for (const level of ['info', 'warning']) {
      expect(await agent.notified('notifications/message')).toMatchObject({ level, logger: 'talker', data: { level } })
    }
    if (agent.modern) expect((await call('echo')).structuredContent.logLevel).toBe('none')
  })

  it('is told what each generation has to be told of a result', async () => {
    const lists = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']
    const read = await agent.request('resources/read', { uri: 'a://described' })
    const cacheable = [...(await Promise.all(lists.map((list) => agent.request(list)))), read]
    const called = await call('content')
    for (const each of cacheable) {
      expect([each.ttlMs, each.cacheScope]).toEqual(agent.modern ? [0, 'private'] : [undefined, undefined])
    }
    for (const each of [...cacheable, called]) {
      const info = each._meta?.['io.modelcontextprotocol/serverInfo']
      expect(info).toEqual(agent.modern ? { name: 'callboard', version: '1.2.3' } : undefined)
    }
  })
})
