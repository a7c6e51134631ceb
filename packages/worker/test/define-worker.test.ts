import { deadlineMsMax } from '@callboard/protocol'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { z as z3 } from 'zod/v3'
import {
  CallFailure,
  type Context,
  defineWorker,
  type PromptReturn,
  type ResourceReturn,
  result,
  ToolError,
  text,
  type Worker,
  type WorkerOptions,
} from '../src/index.js'
import { connectForTest, RpcError, type TestLink, type TestLinkOptions, textOf } from '../src/testing/index.js'

const anything = { description: 'x', input: z.object({}) }

let open: TestLink | undefined

afterEach(async () => {
  await open?.close()
  open = undefined
})

function greeter(options: Partial<WorkerOptions> = {}): Worker {
  return defineWorker({ service: 'greeter', version: '1.0.0', ...options }).tool(
    'greet',
    { description: 'Greets', input: z.object({ name: z.string(), times: z.number().int().optional() }) },
    ({ name }) => ({ greeting: `Hello ${name}` }),
  )
}

/** A worker with one tool `act` that does what the test says. */
function acting(act: (context: Context) => unknown, options: Partial<WorkerOptions> = {}): Worker {
  const worker = defineWorker({ service: 'actor', version: '1.0.0', ...options })
  return worker.tool('act', { description: 'Acts', input: z.object({}) }, (_, context) => act(context))
}

async function connect(worker: Worker, options?: TestLinkOptions): Promise<TestLink> {
  open = await connectForTest(worker, options)
  return open
}

describe('definitions', () => {
  test('are what MCP expects, with what steers the hub in _meta', async () => {
    const icons = [{ src: 'https://example.org/i.png', mimeType: 'image/png', sizes: ['48x48'] }]
    const annotations = { audience: ['user' as const], priority: 0.5 }
    const shown = { annotations, icons, meta: { a: 1 } }
    const topic = { name: 'topic', title: 'Topic', required: true }
    const worker = defineWorker({ service: 'full', version: '1.0.0' })
      .tool(
        'full',
        {
          title: 'Full',
          description: 'Everything',
          input: z.object({ name: z.string().describe('whom'), limit: z.number().default(3) }),
          output: z.object({ ok: z.boolean() }),
          annotations: { readOnlyHint: true },
          execution: { taskSupport: 'optional' },
          timeoutMs: 5_000,
          roles: ['operator'],
          icons,
          meta: { 'example.org/x': 1 },
        },
        () => ({ ok: true }),
      )
      .resource('notes://today', { name: 'today', mimeType: 'text/plain', size: 3, ...shown }, (uri) => [
        { uri, text: '' },
      ])
      .resourceTemplate('notes://{day}', { name: 'day', complete: () => [], ...shown }, (uri) => [{ uri, text: '' }])
      .prompt('plan', { title: 'Plan', arguments: [topic], complete: () => [], icons, meta: { a: 1 } }, () => ({
        messages: [],
      }))
    const link = await connect(worker)
    expect(link.definitions).toEqual({
      tools: [
        {
          name: 'full',
          title: 'Full',
          description: 'Everything',
          inputSchema: {
            type: 'object',
            properties: { name: { type: 'string', description: 'whom' }, limit: { type: 'number', default: 3 } },
            required: ['name'],
            additionalProperties: false,
          },
          outputSchema: {
            type: 'object',
            properties: { ok: { type: 'boolean' } },
            required: ['ok'],
            additionalProperties: false,
          },
          annotations: { readOnlyHint: true },
          execution: { taskSupport: 'optional' },
          icons,
          _meta: { 'example.org/x': 1, 'callboard/timeoutMs': 5_000, 'callboard/roles': ['operator'] },
        },
      ],
      resources: [
        { uri: 'notes://today', name: 'today', mimeType: 'text/plain', size: 3, annotations, icons, _meta: { a: 1 } },
      ],
      resourceTemplates: [{ uriTemplate: 'notes://{day}', name: 'day', annotations, icons, _meta: { a: 1 } }],
      prompts: [{ name: 'plan', title: 'Plan', arguments: [topic], icons, _meta: { a: 1 } }],
      completions: ['plan', 'notes://{day}'],
    })
  })

  test('take a JSON Schema that a contract prescribes', async () => {
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } } } as const
    const worker = defineWorker({ service: 'exact', version: '1' })
    worker.tool('exact', { description: 'x', input: z.looseObject({}), inputSchema }, (input) => input)
    const link = await connect(worker)
    expect(link.definitions.tools?.[0]?.inputSchema).toEqual(inputSchema)
    expect((await link.callTool('exact', { anything: 1 })).structuredContent).toEqual({ anything: 1 })
  })

  test('may change while the worker runs; the changes of one turn go out together', async () => {
    const worker = greeter()
    const link = await connect(worker)
    worker.remove('tool', 'greet').remove('tool', 'unknown')
    worker.tool('wave', { description: 'Waves', input: z.object({}) }, () => 'waves')
    await link.settled()
    expect(link.definitions.tools?.map(({ name }) => name)).toEqual(['wave'])
    await expect(link.callTool('greet', { name: 'x' })).rejects.toMatchObject({
      code: -32_602,
      message: 'Unknown tool: greet',
    })
    expect(textOf(await link.callTool('wave'))).toBe('waves')
  })

  test('that no hub would take are a TypeError at once', () => {
    const spec = anything
    const reader = () => []
    const worker = greeter()
    const wrong: (() => unknown)[] = [
      () => greeter({ service: 'Greeter' }),
      () => greeter({ version: 'one two' }),
      () => greeter({ concurrency: 0 }),
      () => greeter({ drainMs: -1 }),
      () => greeter({ affinity: 'sticky' as 'none' }),
      () => greeter({ replicas: 'two' as 'one' }),
      () => worker.tool('a b', spec, () => 1),
      () => worker.tool('', spec, () => 1),
      () => worker.tool('a', { ...spec, description: '' }, () => 1),
      () => worker.tool('a', { ...spec, timeoutMs: deadlineMsMax + 1 }, () => 1),
      () => worker.tool('a', { ...spec, input: z.string() as unknown as z.ZodObject }, () => 1),
      () => worker.tool('a', { ...spec, input: z.object({ when: z.date() }) }, () => 1),
      () => worker.tool('a', spec, undefined as unknown as () => 1),
      () => worker.resource('no uri', { name: 'x' }, reader),
      () => worker.resource('a://b', { name: '' }, reader),
      () => worker.resourceTemplate('a://{b', { name: 'x' }, reader),
      () => worker.prompt('a b', {}, () => ({ messages: [] })),
      () => worker.onSessionClosed(undefined as unknown as () => void),
      () => worker.onConnection(undefined as unknown as () => void),
    ]
    for (const attempt of wrong) expect(attempt, String(attempt)).toThrow(TypeError)
  })

  test('name an option that there is not, and the one that was meant', () => {
    const wrong: [() => unknown, string][] = [
      [
        () => greeter({ concurency: 2 } as object),
        'defineWorker: unknown option "concurency" (did you mean concurrency?)',
      ],
      [
        () => greeter().tool('a', { ...anything, annotation: {} } as typeof anything, () => 1),
        'did you mean annotations?',
      ],
      [() => greeter().tool('a', { ...anything, timeout: 5 } as typeof anything, () => 1), 'did you mean timeoutMs?'],
      [() => greeter().resource('a://b', { name: 'b', mimetype: 'x' } as { name: string }, () => ''), 'mimeType'],
      [
        () => greeter().resource('a://b', { name: 'b', complete: () => [] } as { name: string }, () => ''),
        '"complete"',
      ],
      [() => greeter().resourceTemplate('a://{b}', { name: 'b', titel: 'x' } as { name: string }, () => ''), 'title'],
      [() => greeter().prompt('p', { args: [] } as object, () => ''), 'prompt p: unknown option "args" (there are: '],
      [
        () => greeter().prompt('p', { arguments: [{ name: 'a', requird: true } as { name: string }] }, () => ''),
        'required',
      ],
      [() => greeter().prompt('p', undefined as never, () => ''), 'prompt p: its options must be an object'],
    ]
    for (const [attempt, message] of wrong) {
      expect(attempt).toThrow(TypeError)
      expect(attempt).toThrow(message)
    }
  })

  test('say which generation of zod they are written in', () => {
    const old = z3.object({}) as unknown as z.ZodObject
    expect(() => greeter().tool('a', { ...anything, input: old }, () => 1)).toThrow(
      'input must be a z.object() of zod 4',
    )
    expect(() => greeter().tool('a', { ...anything, output: old }, () => ({}))).toThrow(
      'output must be a schema of zod 4',
    )
  })

  test('name a schema that JSON Schema has no words for', () => {
    const make = () => greeter().tool('when', { description: 'x', input: z.object({ at: z.date() }) }, () => 1)
    expect(make).toThrow(/tool when: input has no JSON Schema: /)
  })
})

describe('input', () => {
  test('is parsed before the handler sees it', async () => {
    const worker = defineWorker({ service: 'parser', version: '1' })
    const input = z.object({ n: z.number().default(7), s: z.string().transform((s) => s.length) })
    worker.tool('parse', { description: 'x', input }, (parsed) => parsed)
    const link = await connect(worker)
    expect((await link.callTool('parse', { s: 'four' })).structuredContent).toEqual({ n: 7, s: 4 })
  })

  test('that fails names each bad field and suggests the nearest name', async () => {
    const link = await connect(greeter())
    const answer = await link.callTool<{ error: unknown }>('greet', { nmae: 'x', times: 'two' })
    expect(answer.isError).toBe(true)
    const message =
      'name: required; times: Invalid input: expected number, received string; nmae: unknown field, did you mean "name"?'
    expect(answer.structuredContent?.error).toEqual({ code: 'invalid_argument', message, retryable: false })
    expect(textOf(answer)).toBe(JSON.stringify({ code: 'invalid_argument', message, retryable: false }))
  })
})

describe('results', () => {
  const returning = async (value: unknown) => (await connect(acting(() => value))).callTool('act')

  test.each([
    ['an object', { a: 1 }, { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } }],
    ['a string', 'plain', { content: [{ type: 'text', text: 'plain' }] }],
    ['a number', 3, { content: [{ type: 'text', text: '3' }] }],
    ['null', null, { content: [{ type: 'text', text: 'null' }] }],
    ['nothing', undefined, { content: [] }],
    ['a list', [1, 2], { content: [{ type: 'text', text: '[1,2]' }] }],
    ['an empty list', [], { content: [{ type: 'text', text: '[]' }] }],
    ['content', text('hello'), { content: [{ type: 'text', text: 'hello' }] }],
    ['contents', [text('a'), text('b')], { content: [text('a'), text('b')] }],
    [
      'an object that only looks like content',
      { type: 'text' },
      { content: [text('{"type":"text"}')], structuredContent: { type: 'text' } },
    ],
    [
      'both',
      result({ value: { a: 1 }, content: text('one') }),
      { content: [text('one')], structuredContent: { a: 1 } },
    ],
    [
      'an own error',
      result({ content: text('no'), isError: true, meta: { m: 1 } }),
      { content: [text('no')], isError: true, _meta: { m: 1 } },
    ],
  ])('%s', async (_, value, expected) => {
    expect(await returning(value)).toEqual(expected)
  })

  test('are checked against the output schema, whatever they look like', async () => {
    const worker = defineWorker({ service: 'checked', version: '1' })
    let value: unknown
    const output = z.object({ type: z.string(), text: z.string() })
    worker.tool('act', { description: 'x', input: z.object({}), output }, () => value as z.output<typeof output>)
    const link = await connect(worker)
    value = { type: 'text', text: 'a value, not content' }
    expect((await link.callTool('act')).structuredContent).toEqual(value)
    value = { type: 'text' }
    const refused = await link.callTool('act')
    expect(refused.isError).toBe(true)
    expect(refused.structuredContent).toBeUndefined()
    expect(JSON.parse(textOf(refused))).toMatchObject({ code: 'internal' })
    expect(refused._meta?.['callboard/error']).toMatchObject({ code: 'internal' })
    expect(String(link.internalErrors[0])).toMatch(/output schema refuses: text: required/)
    value = result({ isError: true, content: text('own') })
    expect(await link.callTool('act')).toEqual({ content: [text('own')], isError: true })
  })

  test('that are no JSON are internal', async () => {
    expect(await returning({ n: 1n })).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'internal' } },
    })
  })
})

describe('errors', () => {
  test('say in the log that what a handler returned is no JSON', async () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    for (const [returned, why] of [
      [{ id: 1n }, 'BigInt'],
      [cycle, 'circular'],
      [() => 1, 'a function has no JSON'],
      [result({ value: 'x', meta: { n: 1n } }), 'BigInt'],
    ] as const) {
      const link = await connect(acting(() => returned))
      expect(await link.callTool('act')).toMatchObject({ structuredContent: { error: { code: 'internal' } } })
      const [logged] = link.internalErrors as [Error]
      expect(logged.message).toMatch(new RegExp(`^act returned what can't be written as JSON: .*${why}`, 's'))
      await link.close()
    }
  })

  const throwing = (error: unknown, options: Partial<WorkerOptions> = {}) =>
    acting(() => {
      throw error
    }, options)

  test('of the worker travel with code, message and details', async () => {
    const error = new ToolError('busy', 'Try later', { retryable: true, retryAfterMs: 50, details: { hint: 'h' } })
    const link = await connect(throwing(error))
    const shape = { code: 'busy', message: 'Try later', retryable: true, retryAfterMs: 50, hint: 'h' }
    expect(await link.callTool('act')).toEqual({
      content: [{ type: 'text', text: JSON.stringify(shape) }],
      structuredContent: { error: shape },
      isError: true,
      _meta: { 'callboard/error': shape },
    })
    expect(link.internalErrors).toEqual([])
  })

  test('that nobody foresaw tell the agent nothing and the log everything', async () => {
    const error = new Error('password=1234')
    const link = await connect(throwing(error))
    const answer = await link.callTool('act')
    expect(answer).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'internal', retryable: false } },
    })
    expect(JSON.stringify(answer)).not.toContain('1234')
    expect(link.internalErrors).toEqual([error])
  })

  test('have the shape that the worker gives them', async () => {
    const formatError: NonNullable<WorkerOptions['formatError']> = (error, tool) => ({
      content: [text(`${tool.name}: ${error.message}`)],
      isError: true,
    })
    const link = await connect(throwing(new ToolError('no', 'No'), { formatError }))
    expect(await link.callTool('act')).toEqual({ content: [text('act: No')], isError: true })
    expect(await link.callTool('act', { extra: 1 })).toEqual({
      content: [text('act: extra: unknown field')],
      isError: true,
    })
  })

  test('keep the common shape when formatError fails or details are no JSON', async () => {
    const failing = throwing(new ToolError('no', 'No', { details: { n: 1n } }), {
      formatError: () => {
        throw new Error('broken')
      },
    })
    const link = await connect(failing)
    expect(await link.callTool('act')).toMatchObject({ structuredContent: { error: { code: 'no', message: 'No' } } })
    expect(link.internalErrors).toHaveLength(1)
  })

  test('of nested calls pass with their own code', async () => {
    const link = await connect(throwing(new CallFailure('overloaded', 'busy', { retryable: true, retryAfterMs: 9 })))
    const error = { code: 'overloaded', message: 'busy', retryable: true, retryAfterMs: 9 }
    expect((await link.callTool('act')).structuredContent).toEqual({ error })
  })
})

describe('resources', () => {
  const notes = () =>
    defineWorker({ service: 'notes', version: '1' })
      .resource('notes://today', { name: 'today' }, (uri) => [{ uri, text: 'now' }])
      .resourceTemplate(
        'notes://{day}/{n}',
        { name: 'day', complete: ({ argument, value, known }) => [`${argument}:${value}:${known['day'] ?? ''}`] },
        (uri, { day, n }) => {
          if (n === '0') throw new ToolError('not_found', 'There is no note 0')
          if (n === 'x') throw new ToolError('forbidden', 'Not yours')
          return [{ uri, text: `${day} ${n}` }]
        },
      )

  test('are read by URI or template', async () => {
    const link = await connect(notes())
    expect(await link.readResource('notes://today')).toEqual([{ uri: 'notes://today', text: 'now' }])
    expect(await link.readResource('notes://may%201/2')).toEqual([{ uri: 'notes://may%201/2', text: 'may 1 2' }])
  })

  const page = (returned: ResourceReturn) =>
    defineWorker({ service: 'notes', version: '1' }).resource(
      'a://b',
      { name: 'b', mimeType: 'text/csv' },
      () => returned,
    )
  const asked = { uri: 'a://b', mimeType: 'text/csv' }

  test.each<[string, ResourceReturn, unknown]>([
    ['a text', '1,2', [{ ...asked, text: '1,2' }]],
    ['a text with more', { text: '1,2', mimeType: 'text/plain' }, [{ ...asked, text: '1,2', mimeType: 'text/plain' }]],
    ['bytes', { blob: 'AAA=' }, [{ ...asked, blob: 'AAA=' }]],
    [
      'several',
      ['1', { uri: 'a://c', text: '2' }],
      [
        { ...asked, text: '1' },
        { uri: 'a://c', text: '2' },
      ],
    ],
    ["MCP's result", { contents: [{ text: '1' }] }, [{ ...asked, text: '1' }]],
    ['nothing', [], []],
  ])('may be returned as %s', async (_, returned, contents) => {
    const link = await connect(page(returned))
    expect(await link.readResource('a://b')).toEqual(contents)
  })

  test.each<[unknown, string]>([
    [undefined, 'returned undefined'],
    [42, 'returned a number'],
    [{ name: 'x' }, 'returned an object with name'],
    [['1', null], 'returned an array of 2'],
    [{ blob: new Uint8Array(1) }, 'returned an object with blob'],
    [{ uri: 5, text: 'x' }, 'returned an object with uri, text'],
    [{ contents: 'x' }, 'returned an object with contents'],
  ])('that return %j are internal to the agent, and named with what is allowed in the log', async (returned, why) => {
    const link = await connect(page(returned as ResourceReturn))
    await expect(link.readResource('a://b')).rejects.toMatchObject({ data: { error: { code: 'internal' } } })
    const [logged] = link.internalErrors as [Error]
    expect(logged.message).toContain(`resource a://b ${why}`)
    expect(logged.message).toContain('a reader returns a text, { text }, { blob } with base64')
  })

  test('that are missing are invalid params with the URI', async () => {
    const link = await connect(notes())
    for (const uri of ['notes://nowhere', 'notes://may/0']) {
      await expect(link.readResource(uri)).rejects.toMatchObject({ code: -32_602, data: { uri } })
    }
    const refused = link.readResource('notes://may/x')
    await expect(refused).rejects.toMatchObject({ code: -32_000, data: { error: { code: 'forbidden' } } })
    await expect(refused).rejects.toBeInstanceOf(RpcError)
  })

  test('complete the variables of their templates', async () => {
    const link = await connect(notes())
    const values = await link.complete('notes://{day}/{n}', { argument: 'n', value: '1', known: { day: 'may' } })
    expect(values).toEqual(['n:1:may'])
    await expect(link.complete('notes://today', { argument: 'n', value: '' })).rejects.toMatchObject({ code: -32_602 })
  })

  test('tell when they changed', async () => {
    const worker = notes()
    const link = await connect(worker)
    worker.resourceUpdated('notes://today')
    worker.resourceUpdated('notes://today', 'session-1')
    expect(link.events.map(({ uri, session }) => [uri, session])).toEqual([
      ['notes://today', undefined],
      ['notes://today', 'session-1'],
    ])
  })
})

describe('prompts', () => {
  const planner = () =>
    defineWorker({ service: 'planner', version: '1' }).prompt(
      'plan',
      {
        arguments: [{ name: 'topic', required: true }, { name: 'tone' }],
        complete: ({ value }) => Array.from({ length: 150 }, (_, index) => `${value}${index}`),
      },
      ({ topic, tone }) => ({ messages: [{ role: 'user', content: text(`${topic} ${tone ?? 'plain'}`) }] }),
    )

  test('get their arguments', async () => {
    const link = await connect(planner())
    expect(await link.getPrompt('plan', { topic: 'spring' })).toEqual({
      messages: [{ role: 'user', content: text('spring plain') }],
    })
  })

  const saying = (returned: PromptReturn) =>
    defineWorker({ service: 's', version: '1' }).prompt('p', {}, () => returned)
  const hello = { role: 'user', content: text('hello') } as const

  test.each<[string, PromptReturn, unknown]>([
    ['a text', 'hello', { messages: [hello] }],
    ['messages', [hello, { ...hello, role: 'assistant' }], { messages: [hello, { ...hello, role: 'assistant' }] }],
    ["MCP's result", { description: 'd', messages: [hello] }, { description: 'd', messages: [hello] }],
  ])('may return %s', async (_, returned, expected) => {
    const link = await connect(saying(returned))
    expect(await link.getPrompt('p')).toEqual(expected)
  })

  test.each<[unknown, string]>([
    [undefined, 'returned undefined'],
    [{ role: 'user', content: 'hello' }, 'returned an object with role, content'],
    [[{ role: 'system', content: text('x') }], 'returned an array of 1'],
    [{ messages: ['hello'] }, 'returned an object with messages'],
  ])('that return %j are internal to the agent, and named with what is allowed in the log', async (returned, why) => {
    const link = await connect(saying(returned as PromptReturn))
    await expect(link.getPrompt('p')).rejects.toMatchObject({ data: { error: { code: 'internal' } } })
    const [logged] = link.internalErrors as [Error]
    expect(logged.message).toContain(`prompt p ${why}`)
    expect(logged.message).toContain('a handler returns a text, { messages }')
  })

  test('miss a required argument or are unknown: invalid params', async () => {
    const link = await connect(planner())
    await expect(link.getPrompt('plan')).rejects.toMatchObject({ code: -32_602, message: 'topic: required' })
    await expect(link.getPrompt('other')).rejects.toMatchObject({ code: -32_602 })
  })

  test('complete with a hundred values at most', async () => {
    const link = await connect(planner())
    expect(await link.complete('plan', { argument: 'topic', value: 'v' })).toHaveLength(100)
  })
})

describe('sessions', () => {
  test('close, change roots and subscribe', async () => {
    const worker = greeter()
    const seen: unknown[] = []
    worker
      .onSessionClosed((session) => seen.push(['closed', session]))
      .onRootsChanged((session) => seen.push(['roots', session]))
      .onSubscription((uri, session, subscribed) => seen.push([uri, session, subscribed]))
    const link = await connect(worker)
    await link.subscribe('a://b', 's')
    await link.changeRoots('s')
    await link.closeSession('s')
    expect(seen).toEqual([
      ['a://b', 's', true],
      ['roots', 's'],
      ['a://b', 's', false],
      ['closed', 's'],
    ])
  })

  test('that a restarted hub no longer has are closed', async () => {
    const closed: string[] = []
    const worker = greeter().onSessionClosed((session) => closed.push(session))
    const link = await connect(worker)
    for (const session of ['a', 'b']) await link.callTool('greet', { name: 'x' }, { session })
    await link.reconnect({ sessions: ['b'] })
    expect(closed).toEqual(['a'])
    await link.callTool('greet', { name: 'x' })
  })

  test('the connection itself: ready, lost, ready again, and draining', async () => {
    const states: string[] = []
    const worker = greeter()
      .onConnection(() => {
        throw new Error('keeps nobody else from hearing')
      })
      .onConnection((state) => states.push(state))
    const link = await connect(worker)
    expect(states).toEqual(['ready'])
    await link.reconnect({ sessions: [] })
    expect(states).toEqual(['ready', 'lost', 'ready'])
    await link.close()
    expect(states).toEqual(['ready', 'lost', 'ready', 'draining'])
    expect(link.internalErrors).toHaveLength(4)
  })

  test('what a listener does waits until the step that called it is done', async () => {
    const worker = greeter()
    const sentBefore: number[] = []
    worker.onSubscription((uri, _, subscribed) => {
      if (subscribed) return
      sentBefore.push(link.events.length)
      worker.resourceUpdated(uri)
    })
    const link = await connect(worker)
    await link.subscribe('a://1')
    await link.subscribe('a://2')
    await link.closeSession()
    expect(sentBefore).toEqual([0, 0])
    expect(link.events).toHaveLength(2)
  })

  test('a listener that throws or rejects stops nothing', async () => {
    const closed: string[] = []
    const worker = greeter()
      .onSessionClosed(() => {
        throw new Error('broken listener')
      })
      .onSessionClosed(async () => {
        throw new Error('broken promise')
      })
      .onSessionClosed((session) => closed.push(session))
    const link = await connect(worker)
    await link.closeSession('s')
    expect(link.internalErrors.map(String)).toEqual(['Error: broken listener', 'Error: broken promise'])
    expect(closed).toEqual(['s'])
    await link.callTool('greet', { name: 'x' })
  })
})

describe('a worker', () => {
  test('runs once at a time, and again after it was closed', async () => {
    const worker = greeter()
    const link = await connect(worker)
    await expect(connectForTest(worker)).rejects.toThrow('runs already')
    await link.close()
    await connect(worker)
  })

  test('makes no calls before it runs', async () => {
    const failure = { code: 'unavailable', retryable: true }
    await expect(greeter().callAs('token', 'other')).rejects.toMatchObject(failure)
  })

  test('asks holdUntil at each heartbeat, and survives when it throws', async () => {
    let until: () => number | undefined = () => 2_000_000_000_000
    const link = await connect(greeter({ holdUntil: () => until() }), { heartbeatMs: 100 })
    while (link.holdUntil === undefined) await link.settled()
    // By the hub's clock, of which the worker knows as much as a heartbeat's way tells.
    expect(Math.abs(link.holdUntil - 2_000_000_000_000)).toBeLessThan(100)
    until = () => {
      throw new Error('broken')
    }
    while (link.holdUntil !== undefined) await link.settled()
    expect(link.internalErrors.length).toBeGreaterThan(0)
  })
})
