import { CallFailure, type ToolResult } from '@callboard/worker'
import { afterEach, describe, expect, it } from 'vitest'
import type { HubTool } from '../../src/hub/hub.js'
import { ChatRunner } from '../../src/runners/chat-runner.js'
import { Conversations } from '../../src/runners/conversations.js'
import type { RunReport, RunRequest } from '../../src/runners/runner.js'
import { openTestFoundation, type TestFoundation } from '../support/test-foundation.js'
import { ChatServer, says, wants } from './support/chat-server.js'
import { runRequest, runToken } from './support/run-request.js'

interface Call {
  readonly tool: string
  readonly args: object
  readonly key: string | undefined
}

/** A chat endpoint over HTTP, a hub that notes its calls, a group with a conversation. */
class Bench {
  readonly calls: Call[] = []
  tools: HubTool[] = [{ name: 'send_message', description: 'Sends.', inputSchema: { type: 'object' } }]
  answer: (call: Call) => Promise<ToolResult> | ToolResult = () => ({ content: [{ type: 'text', text: 'sent' }] })
  environment: Record<string, string> = { CHAT_KEY: 'sk-secret' }
  readonly conversations: Conversations

  readonly foundation: TestFoundation
  readonly server: ChatServer

  constructor(foundation: TestFoundation, server: ChatServer) {
    this.foundation = foundation
    this.server = server
    this.conversations = new Conversations(foundation.store, foundation.clock)
  }

  run(overrides: Partial<RunRequest> = {}, signal = new AbortController().signal): Promise<RunReport> {
    const { foundation, conversations, environment, server } = this
    const hub = {
      tools: async () => this.tools,
      call: async (_token: string, tool: string, args: object, options?: { readonly idempotencyKey?: string }) => {
        const call = { tool, args, key: options?.idempotencyKey }
        this.calls.push(call)
        return this.answer(call)
      },
    }
    const runner = new ChatRunner({ clock: foundation.clock, hub, conversations, environment, log: foundation.log })
    const config = { kind: 'http', baseUrl: server.url, model: 'small', keyEnv: 'CHAT_KEY' } as const
    return runner.run(runRequest({ runner: config, ...overrides }), signal)
  }
}

let open: AsyncDisposable[] = []

afterEach(async () => {
  for (const resource of open.reverse()) await resource[Symbol.asyncDispose]()
  open = []
})

async function bench(...answers: readonly object[]): Promise<Bench> {
  const foundation = await openTestFoundation()
  const server = await ChatServer.start(answers)
  open.push(foundation, server)
  return new Bench(foundation, server)
}

describe('a chat', () => {
  it('is one request in the OpenAI form, and its answer the result', async () => {
    const stage = await bench(says('All is well.', { prompt_tokens: 12, completion_tokens: 3 }))
    expect(await stage.run()).toEqual({ text: 'All is well.', tokensIn: 12, tokensOut: 3, toolCalls: 0 })
    const [request] = stage.server.requests
    expect(request).toMatchObject({ path: '/v1/chat/completions', authorization: 'Bearer sk-secret' })
    expect(request!.body).toEqual({
      model: 'small',
      messages: [{ role: 'user', content: 'Look after the lab.' }],
      tools: [
        {
          type: 'function',
          function: { name: 'send_message', description: 'Sends.', parameters: { type: 'object' } },
        },
      ],
      stream: false,
    })
  })

  it('calls the tools that the model asks for, through the hub, in order', async () => {
    const stage = await bench(
      wants(['send_message', '{"text":"a"}'], ['send_message', '{"text":"b"}']),
      wants(['send_message', '']),
      says('Done.'),
    )
    stage.answer = ({ args }) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] })
    expect(await stage.run()).toEqual({ text: 'Done.', toolCalls: 3 })
    expect(stage.calls.map(({ args }) => args)).toEqual([{ text: 'a' }, { text: 'b' }, {}])
    expect(stage.server.requests[2]!.body.messages.slice(1)).toEqual([
      expect.objectContaining({ role: 'assistant', tool_calls: [expect.anything(), expect.anything()] }),
      { role: 'tool', tool_call_id: 'call_0', content: '{"text":"a"}' },
      { role: 'tool', tool_call_id: 'call_1', content: '{"text":"b"}' },
      expect.objectContaining({ role: 'assistant' }),
      { role: 'tool', tool_call_id: 'call_0', content: '{}' },
    ])
  })

  it('repeats no effect when a model repeats itself in another attempt', async () => {
    const answers = [wants(['send_message', '{"text":"a"}'], ['send_message', '{"text":"a"}']), says('Done.')]
    const stage = await bench(...answers, ...answers, wants(['send_message', '{"text":"c"}']), says('Done.'))
    for (const attempt of [1, 2, 3]) await stage.run({ attempt, contextMode: 'isolated' })
    const keys = stage.calls.map(({ key }) => key!)
    expect(keys.slice(2, 4)).toEqual(keys.slice(0, 2))
    expect(new Set(keys).size).toBe(3)
    for (const key of keys) expect(key.length).toBeLessThanOrEqual(128)
  })

  it('ends after ten requests, in the last of which the model is asked for an answer', async () => {
    const stage = await bench(...Array.from({ length: 20 }, () => wants(['send_message', '{}'])))
    expect(await stage.run()).toMatchObject({ error: { class: 'upstream', transient: false }, toolCalls: 9 })
    expect(stage.server.requests.map(({ body }) => body.tool_choice)).toEqual([...Array(9).fill(undefined), 'none'])
    expect(await stage.conversations.conversationOf(runRequest().group)).toEqual([])
  })

  it('tells the model of calls that could not be made or failed, and goes on', async () => {
    const stage = await bench(
      wants(['no_such_tool', '{}'], ['send_message', '{"text'], ['send_message', '[]'], ['send_message', '{"n":1}']),
      wants(['send_message', '{"n":2}']),
      says('Sorry.'),
    )
    stage.answer = ({ args }) => {
      if ('n' in args && args.n === 1) throw new CallFailure('unavailable', 'no worker', { retryable: true })
      return { isError: true, content: [{ type: 'text', text: 'FORBIDDEN' }] }
    }
    expect(await stage.run()).toMatchObject({ text: 'Sorry.' })
    const told = stage.server.requests[2]!.body.messages.filter(({ role }) => role === 'tool')
    expect(told.map(({ content }) => content)).toEqual([
      expect.stringContaining('There is no tool no_such_tool.'),
      expect.stringContaining('must be one JSON object'),
      expect.stringContaining('must be one JSON object'),
      expect.stringContaining('"code":"unavailable"'),
      'The tool failed: FORBIDDEN',
    ])
  })

  it('bounds what a model reads of a tool, and how many it may ask for at once', async () => {
    const stage = await bench(wants(...Array.from({ length: 20 }, () => ['send_message', '{}'] as const)), says('ok'))
    stage.answer = () => ({ content: [{ type: 'text', text: `${'x'.repeat(1_000_000)} ${runToken}` }] })
    await stage.run()
    expect(stage.calls).toHaveLength(16)
    const told = stage.server.requests[1]!.body.messages.filter(({ role }) => role === 'tool')
    expect(told).toHaveLength(20)
    expect(told[0]!.content!.length).toBeLessThanOrEqual(65_536)
    expect(told[0]!.content).toContain('[redacted]')
    expect(told[19]!.content).toMatch(/not made/)
  })

  it('gives tools names that chat endpoints take', async () => {
    const long = `forum.${'x'.repeat(80)}`
    const stage = await bench(says('ok'))
    stage.tools = ['a_b', 'a.b', 'a/b', long, `${long}y`].map((name) => ({ name, inputSchema: { type: 'object' } }))
    await stage.run()
    const names = stage.server.requests[0]!.body.tools!.map((tool) => tool.function.name)
    expect(names[0]).toBe('a_b')
    expect(new Set(names).size).toBe(5)
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/)

    const again = await bench(wants([names[4]!, '{}']), says('ok'))
    again.tools = stage.tools
    await again.run()
    expect(again.calls).toMatchObject([{ tool: `${long}y` }])
  })

  it('tells a model of 128 tools, and the log of the others', async () => {
    const stage = await bench(says('ok'))
    stage.tools = Array.from({ length: 130 }, (_, index) => ({ name: `tool_${index}`, inputSchema: {} }))
    expect(await stage.run()).toMatchObject({ warnings: ['The model was not told of 2 tools: there are too many.'] })
    expect(stage.server.requests[0]!.body.tools).toHaveLength(128)
  })
})

describe('what was said before', () => {
  it('is shown to the next run of the group, and to no isolated one', async () => {
    const stage = await bench(says('One.'), says('Two.'), says('Three.'), says('Four.'))
    await stage.run({ prompt: 'first' })
    await stage.run({ prompt: 'alone', contextMode: 'isolated' })
    await stage.run({ prompt: 'second' })
    expect(stage.server.requests.map(({ body }) => body.messages.map(({ content }) => content))).toEqual([
      ['first'],
      ['alone'],
      ['first', 'One.', 'second'],
    ])
  })

  it('does not hold what failed', async () => {
    const stage = await bench({ status: 500 }, says('ok'))
    await stage.run({ prompt: 'fails' })
    await stage.run({ prompt: 'works' })
    expect(stage.server.requests[1]!.body.messages).toEqual([{ role: 'user', content: 'works' }])
  })
})

describe('a chat endpoint that', () => {
  const failing = async (answer: object) => {
    const stage = await bench(answer)
    const report = await stage.run()
    expect(JSON.stringify(report)).not.toContain('sk-secret')
    return report.error
  }

  it('asks for patience is obeyed', async () => {
    expect(
      await failing({ status: 429, headers: { 'retry-after': '17' }, json: { error: { message: 'slow down' } } }),
    ).toEqual({
      class: 'rate_limited',
      text: expect.stringMatching(/^127\.0\.0\.1:\d+ asks for patience \(429\): slow down$/),
      transient: true,
      retryAfterMs: 17_000,
    })
    const date = { 'retry-after': 'Mon, 02 Mar 2026 12:01:00 GMT' }
    expect(await failing({ status: 429, headers: date })).toMatchObject({ retryAfterMs: 60_000 })
    expect(await failing({ status: 429, headers: { 'retry-after': 'soon' } })).not.toHaveProperty('retryAfterMs')
  })

  it('fails may do better later', async () => {
    for (const status of [500, 502, 503, 529]) {
      expect(await failing({ status, json: { error: 'oops' } })).toMatchObject({ class: 'upstream', transient: true })
    }
  })

  it('refuses will refuse again, and does not show the key', async () => {
    const json = { error: { message: 'Incorrect API key provided: sk-secret' } }
    for (const status of [400, 401, 403, 404, 422]) {
      expect(await failing({ status, json })).toMatchObject({ class: 'refused', transient: false })
    }
    expect((await failing({ status: 401, json }))?.text).toMatch(/check the key in CHAT_KEY/)
    expect(await failing({ status: 302, headers: { location: 'http://elsewhere/' } })).toMatchObject({
      class: 'bad_config',
      transient: false,
    })
  })

  it('answers with something else has failed', async () => {
    for (const answer of [
      { text: '<html>' },
      { json: { choices: [] } },
      { json: { error: { message: 'no credits' } } },
    ]) {
      expect(await failing(answer)).toMatchObject({ class: 'upstream', transient: true })
    }
  })

  it('answers without end is not read to it', async () => {
    expect(await failing({ endless: true })).toMatchObject({
      class: 'upstream',
      text: expect.stringMatching(/8388608/),
    })
  })

  it('hangs up, or is not there, is a matter of the network', async () => {
    expect(await failing({ hangsUp: true })).toMatchObject({ class: 'network', transient: true })
    const stage = await bench()
    await stage.server[Symbol.asyncDispose]()
    expect((await stage.run()).error).toEqual({
      class: 'network',
      text: expect.stringMatching(/can't be reached: ECONNREFUSED/),
      transient: true,
    })
  })

  it('never answers is left when the run is stopped', async () => {
    const stage = await bench({ silent: true })
    const stop = new AbortController()
    const running = stage.run({}, stop.signal)
    await stage.server.asked
    stop.abort('timed_out')
    expect(await running).toMatchObject({ error: { text: 'The run was stopped.' } })
    await stage.server.left
  })

  it('needs a key that is not set is not asked', async () => {
    const stage = await bench(says('ok'))
    stage.environment = {}
    expect(await stage.run()).toMatchObject({
      error: {
        class: 'bad_config',
        text: "Set CHAT_KEY: the scheduler's environment has no such key.",
        transient: false,
      },
    })
    expect(stage.server.requests).toEqual([])
  })
})

describe('a hub that', () => {
  it('does not say what tools there are leaves the run to another attempt', async () => {
    const stage = await bench(says('ok'))
    Object.defineProperty(stage, 'tools', {
      get() {
        throw new CallFailure('unavailable', 'This worker is not connected to a hub.')
      },
    })
    expect(await stage.run()).toMatchObject({ error: { class: 'network', transient: true } })
  })

  it('takes its time with a call does not hold a stopped run up', async () => {
    const stage = await bench(wants(['send_message', '{}'], ['send_message', '{}']), says('never asked'))
    const stop = new AbortController()
    stage.answer = () => {
      stop.abort('cancelled')
      return Promise.reject(stop.signal.reason)
    }
    expect(await stage.run({}, stop.signal)).toMatchObject({ error: { text: 'The run was stopped.' }, toolCalls: 1 })
    expect(stage.server.requests).toHaveLength(1)
  })
})
