import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type AbortCause,
  CallAborted,
  CallFailure,
  type Context,
  defineWorker,
  RpcError,
  type ToolError,
  type Worker,
  type WorkerOptions,
} from '../src/index.js'
import {
  connectForTest,
  type LogEntry,
  type ProgressUpdate,
  type TestLink,
  type TestLinkOptions,
  textOf,
} from '../src/testing/index.js'

let open: TestLink | undefined

afterEach(async () => {
  await open?.close()
  open = undefined
})

function acting(act: (context: Context) => unknown, options: Partial<WorkerOptions> = {}): Worker {
  const worker = defineWorker({ service: 'actor', version: '1.0.0', ...options })
  return worker.tool('act', { description: 'Acts', input: z.object({}) }, (_, context) => act(context))
}

async function connect(worker: Worker, options?: TestLinkOptions): Promise<TestLink> {
  open = await connectForTest(worker, options)
  return open
}

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

describe('what a handler is told', () => {
  test('who calls, for whom, until when, and with which key', async () => {
    let seen: Context | undefined
    const link = await connect(
      acting((context) => {
        seen = context
      }),
      { now: () => 1_000_000 },
    )
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    await link.callTool(
      'act',
      {},
      {
        session: 's',
        principal: 'worker:qda',
        roles: [],
        group: 'g',
        depth: 1,
        run: { id: 'r', attempt: 2, triggerDepth: 0 },
        onBehalfOf: 'agent:a',
        idempotencyKey: 'key',
        traceparent,
        timeoutMs: 5_000,
        meta: {
          'example.org/a': 1,
          progressToken: 1,
          'callboard/x': 1,
          'io.modelcontextprotocol/y': 1,
          traceparent: 'x',
        },
      },
    )
    expect(seen?.caller).toEqual({
      session: 's',
      principal: 'worker:qda',
      roles: [],
      group: 'g',
      depth: 1,
      run: { id: 'r', attempt: 2, triggerDepth: 0 },
      onBehalfOf: 'agent:a',
    })
    expect(seen).toMatchObject({
      idempotencyKey: 'key',
      traceparent,
      deadline: 1_005_000,
      meta: { 'example.org/a': 1 },
    })
    expect(seen?.client).toEqual({ generation: 'modern', input: [], progress: false })
    expect(Object.keys(seen?.meta ?? {})).toEqual(['example.org/a'])
  })

  test('the deadline stays readable after the call', async () => {
    let seen: Context | undefined
    const link = await connect(
      acting((context) => {
        seen = context
      }),
      { now: () => 1_000_000 },
    )
    await link.callTool('act', {}, { timeoutMs: 5_000 })
    expect(seen?.deadline).toBe(1_005_000)
  })
})

describe('progress and log', () => {
  test('reach a client that wants them, through methods taken from the context', async () => {
    const progress: ProgressUpdate[] = []
    const logs: LogEntry[] = []
    const worker = acting(({ progress, log }) => {
      progress(1, 2, 'half')
      progress(2)
      log('debug', { a: 1 }, 'mine')
      log('error', 'plain')
    })
    const link = await connect(worker)
    await link.callTool(
      'act',
      {},
      { onProgress: (update) => progress.push(update), onLog: (entry) => logs.push(entry) },
    )
    expect(progress).toEqual([{ progress: 1, total: 2, message: 'half' }, { progress: 2 }])
    expect(logs).toEqual([
      { level: 'debug', logger: 'mine', data: { a: 1 } },
      { level: 'error', data: 'plain' },
    ])
  })

  test('cost nothing when nobody listens, and are cut when they are large or no JSON', async () => {
    const logs: LogEntry[] = []
    const progress: ProgressUpdate[] = []
    const cycle: { self?: unknown } = {}
    cycle.self = cycle
    const worker = acting(({ progress, log }) => {
      log('info', 'x'.repeat(1_000_000))
      log('info', cycle)
      log('info', 1n)
      progress(1, 1, 'x'.repeat(100_000))
    })
    const link = await connect(worker)
    await link.callTool('act')
    await link.callTool(
      'act',
      {},
      { onLog: (entry) => logs.push(entry), onProgress: (update) => progress.push(update) },
    )
    expect(logs.map(({ data }) => String(data).length)).toEqual([16_391, 15, 1])
    expect(progress[0]?.message).toHaveLength(2_048)
  })
})

describe('the signal', () => {
  test('aborts on cancel with a reason; the agent gets the code for it', async () => {
    let reason: unknown
    const cancel = new AbortController()
    const worker = acting(async ({ signal }) => {
      queueMicrotask(() => cancel.abort())
      await untilAborted(signal).catch((error) => {
        reason = error
        throw error
      })
    })
    const link = await connect(worker)
    const answer = await link.callTool('act', {}, { signal: cancel.signal })
    expect(reason).toBeInstanceOf(CallAborted)
    expect((reason as CallAborted).reason).toBe('cancelled' satisfies AbortCause)
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'cancelled' } } })
    expect(link.internalErrors).toEqual([])
  })

  test('aborts at the deadline', async () => {
    const link = await connect(acting(({ signal }) => untilAborted(signal)))
    const answer = await link.callTool('act', {}, { timeoutMs: 20 })
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'deadline_exceeded' } } })
  })

  test('aborts when the hub is lost, and the worker goes on', async () => {
    const link = await connect(acting(({ signal, meta }) => (meta['quick'] ? 'done' : untilAborted(signal))))
    const lost = expect(link.callTool('act')).rejects.toThrow('outcome_unknown')
    await link.settled()
    await link.reconnect()
    await lost
    expect(textOf(await link.callTool('act', {}, { meta: { quick: true } }))).toBe('done')
  })

  test('aborts at the end of a drain', async () => {
    const link = await connect(acting(({ signal }) => untilAborted(signal), { drainMs: 20 }))
    const answer = link.callTool('act')
    await link.settled()
    await link.close()
    expect(await answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'outcome_unknown' } } })
  })
})

describe('an error of the protocol', () => {
  test('reaches the agent as the handler threw it', async () => {
    const data = { elicitations: [{ mode: 'url', url: 'https://example.org', elicitationId: 'e', message: 'Log in' }] }
    const link = await connect(
      acting(() => {
        throw new RpcError(-32_042, 'Log in first', data)
      }),
    )
    await expect(link.callTool('act')).rejects.toMatchObject({ code: -32_042, message: 'Log in first', data })
    expect(() => new RpcError(1.5, 'no')).toThrow(TypeError)
  })
})

describe('questions', () => {
  const form = { message: 'Sure?', requestedSchema: { type: 'object', properties: {} } }

  test('are answered by the person at the client', async () => {
    const asked: unknown[] = []
    const worker = acting(async ({ elicit, sample, roots }) => [
      await elicit(form),
      await elicit({ message: 'Log in', url: 'https://example.org', elicitationId: 'e1' }),
      await sample({ messages: [], maxTokens: 5 }),
      await roots(),
    ])
    const answers = [
      { action: 'accept', content: { a: 1 } },
      { action: 'decline' },
      { role: 'assistant', content: { type: 'text', text: 'hm' }, model: 'm' },
      { roots: [{ uri: 'file:///' }] },
    ]
    const link = await connect(worker)
    const answer = await link.callTool(
      'act',
      {},
      {
        answers: (question) => {
          asked.push(question)
          return answers[asked.length - 1]
        },
      },
    )
    expect(JSON.parse(textOf(answer))).toEqual([answers[0], answers[1], answers[2], [{ uri: 'file:///' }]])
    expect(asked).toEqual([
      { method: 'elicitation/create', params: form },
      {
        method: 'elicitation/create',
        params: { mode: 'url', message: 'Log in', url: 'https://example.org', elicitationId: 'e1' },
      },
      { method: 'sampling/createMessage', params: { messages: [], maxTokens: 5 } },
      { method: 'roots/list', params: {} },
    ])
  })

  test('asked together travel together', async () => {
    const worker = acting(({ elicit, roots }) => Promise.all([elicit(form), roots()]))
    const link = await connect(worker)
    const answer = await link.callTool('act', {}, { answers: [{ action: 'cancel' }, { roots: [] }] })
    expect(JSON.parse(textOf(answer))).toEqual([{ action: 'cancel' }, []])
  })

  describe('are refused at once when the client has no way to answer', () => {
    test('by a result, where the client is of the older generation', async () => {
      const link = await connect(acting(({ elicit }) => elicit(form)))
      const answer = await link.callTool('act', {}, { client: { generation: 'legacy', input: ['url'] } })
      expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'input_unsupported' } } })
    })

    test("by the protocol's error for that, where there is one", async () => {
      const link = await connect(acting(({ elicit }) => elicit(form)))
      await expect(link.callTool('act', {}, { client: { input: ['url'] } })).rejects.toMatchObject({
        code: -32_021,
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      })
    })

    test('also to a worker that only called the one which asks', async () => {
      const data = { requiredCapabilities: { sampling: {} } }
      const error = { code: -32_021, message: 'no sampling', data }
      const worker = acting(() => {
        throw new CallFailure('protocol_error', 'the other one failed', { error })
      })
      await expect((await connect(worker)).callTool('act')).rejects.toMatchObject({ code: -32_021, data })
    })

    test('and the handler may do without', async () => {
      const worker = acting(({ elicit }) => elicit(form).catch((error: ToolError) => error.code))
      expect(textOf(await (await connect(worker)).callTool('act'))).toBe('input_unsupported')
    })
  })

  test('have the name that the handler gives them, once', async () => {
    const asked: unknown[] = []
    const worker = acting(async ({ elicit, roots }) => {
      const both = Promise.all([elicit(form, { key: 'sure' }), roots({ key: 'sure' })])
      const reason = await both.catch((error: Error) => error.message)
      return [reason, await roots({ key: '' }).catch((error: Error) => error.message)]
    })
    const link = await connect(worker)
    const answers = (question: unknown) => {
      asked.push(question)
      return { action: 'accept' }
    }
    const answer = await link.callTool('act', {}, { answers })
    expect(textOf(answer)).toContain('question \\"sure\\"')
    expect(textOf(answer)).toContain('question \\"\\"')
  })

  test('whose answers came with the call are asked of nobody', async () => {
    const worker = acting(({ elicit }) =>
      Promise.all([elicit(form, { key: 'known' }), elicit(form, { key: 'broken' })]),
    )
    const link = await connect(worker)
    const brought = { known: { action: 'decline' }, broken: { action: 'perhaps' }, unasked: {} }
    const answer = await link.callTool('act', {}, { brought, answers: [{ action: 'cancel' }] })
    expect(JSON.parse(textOf(answer))).toEqual([{ action: 'decline' }, { action: 'cancel' }])
  })

  test('that nobody answers abort the call', async () => {
    const link = await connect(acting(({ elicit }) => elicit(form)))
    const answer = await link.callTool('act', {}, { answers: [] })
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'cancelled' } } })
  })

  test('answered with nonsense are an error', async () => {
    const link = await connect(acting(({ elicit, roots, meta }) => (meta['roots'] ? roots() : elicit(form))))
    const nonsense = [
      { meta: { roots: true }, answers: ['nonsense'] },
      { meta: { roots: true }, answers: [{ roots: 'none' }] },
      { meta: {}, answers: ['nonsense'] },
      { meta: {}, answers: [{ action: 'maybe' }] },
    ]
    for (const options of nonsense) {
      const answer = await link.callTool('act', {}, options)
      expect(answer).toMatchObject({ structuredContent: { error: { code: 'input_invalid' } } })
    }
  })

  test('the time for the answer is no part of the deadline', async () => {
    const link = await connect(acting(async ({ elicit }) => (await elicit(form)).action))
    const answers = async () => {
      await new Promise((resolve) => setTimeout(resolve, 60))
      return { action: 'accept' }
    }
    expect(textOf(await link.callTool('act', {}, { answers, timeoutMs: 30 }))).toBe('accept')
  })
})

describe('nested calls', () => {
  test('get the result of the other tool, and its progress', async () => {
    const progress: unknown[] = []
    const worker = acting(({ call }) =>
      call('other', { a: 1 }, { idempotencyKey: 'k', onProgress: (each) => progress.push(each) }),
    )
    const link = await connect(worker, {
      calls: {
        other: (args, { progress }) => {
          progress(1, 2)
          return { got: args }
        },
      },
    })
    const answer = await link.callTool<{ structuredContent: unknown }>('act')
    expect(answer.structuredContent?.structuredContent).toEqual({ got: { a: 1 } })
    expect(progress).toEqual([{ progress: 1, total: 2 }])
    expect(link.calls).toMatchObject([{ method: 'tools/call', name: 'other', args: { a: 1 }, idempotencyKey: 'k' }])
    expect(link.calls[0]?.parent).toMatch(/-1$/)
  })

  test('fail with the code of the hub', async () => {
    const worker = acting(({ call }) =>
      call('other').catch((error: CallFailure) => ({ ...error, is: error instanceof CallFailure })),
    )
    const link = await connect(worker, {
      calls: {
        other: () => {
          throw new CallFailure('overloaded', 'busy', { retryable: true, retryAfterMs: 7 })
        },
      },
    })
    expect((await link.callTool('act')).structuredContent).toMatchObject({
      code: 'overloaded',
      retryAfterMs: 7,
      is: true,
    })
    const { calls } = link
    expect(calls).toHaveLength(1)
  })

  test('can be given up by their own signal', async () => {
    const giveUp = new AbortController()
    let stub: AbortSignal | undefined
    const worker = acting(async ({ call }) => {
      const { name } = await call('other', {}, { signal: giveUp.signal }).then(
        () => new Error(),
        (error: Error) => error,
      )
      await nextTurn()
      // Looked at before this call ends, for that would cancel the other one too.
      return `${name}, cancelled: ${stub?.aborted}`
    })
    const link = await connect(worker, {
      calls: {
        other: (_, { signal }) => {
          stub = signal
          giveUp.abort()
          return new Promise(() => {})
        },
      },
    })
    expect(textOf(await link.callTool('act'))).toBe('AbortError, cancelled: true')
  })

  test('with a signal that is aborted already are never made', async () => {
    const link = await connect(
      acting(({ call }) => call('other', {}, { signal: AbortSignal.abort(new Error('over')) })),
    )
    await link.callTool('act')
    expect(link.calls).toEqual([])
  })

  test('are cancelled with the call that made them', async () => {
    const cancel = new AbortController()
    const worker = acting(({ call }) => call('other'))
    const link = await connect(worker, {
      calls: {
        other: () => {
          cancel.abort()
          return new Promise(() => {})
        },
      },
    })
    const answer = await link.callTool('act', {}, { signal: cancel.signal })
    expect(answer).toMatchObject({ isError: true, structuredContent: { error: { code: 'cancelled' } } })
    expect(link.calls[0]?.signal.aborted).toBe(true)
  })

  test('see the catalogue as the caller does', async () => {
    const tools = [{ name: 'other', inputSchema: { type: 'object' } }] as const
    const link = await connect(
      acting((context) => context.tools()),
      { tools },
    )
    expect(JSON.parse(textOf(await link.callTool('act')))).toEqual(tools)
  })

  test('with a token stand on their own; tokens are minted and revoked', async () => {
    const worker = acting(() => 1)
    const revoked: unknown[] = []
    const link = await connect(worker, {
      calls: {
        other: (_, { token }) => `as ${token}`,
        'callboard/token.mint': (grant) => ({ token: `t-${String(grant['principal'])}` }),
        'callboard/token.revoke': (args) => ({ revoked: revoked.push(args) }),
      },
    })
    const { token } = await worker.mintToken({ principal: 'agent:a' })
    expect(textOf(await worker.callAs(String(token), 'other'))).toBe('as t-agent:a')
    await worker.revokeToken(String(token))
    expect(revoked).toEqual([{ token: 't-agent:a' }])
    expect(link.calls.map(({ parent }) => parent)).toEqual([undefined, undefined, undefined])
  })

  test('tokens are revoked by run, brought back, and show what their agent may call', async () => {
    const worker = acting(() => 1)
    const tools = [{ name: 'other', inputSchema: { type: 'object' } }] as const
    const link = await connect(worker, {
      tools,
      calls: {
        'callboard/token.mint': (grant) => ({ token: grant['token'], expiresAt: 1 }),
        'callboard/token.revoke': () => ({ revoked: true }),
      },
    })
    const grant = { agent: 'a', ttlMs: 1_000, token: 'cbr_before' }
    expect(await worker.mintToken(grant)).toEqual({ token: 'cbr_before', expiresAt: 1 })
    await worker.revokeRunTokens('run-1', 2)
    expect(await worker.toolsAs('cbr_before')).toEqual(tools)
    expect(link.calls.map(({ name, method, args }) => [name || method, args])).toEqual([
      ['callboard/token.mint', grant],
      ['callboard/token.revoke', { run: { id: 'run-1', attempt: 2 } }],
    ])
  })
})
