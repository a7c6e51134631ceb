import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AgentCall, Connection, ConnectionListener, Identity } from '../src/index.js'
import { epoch, json, running } from './played-runner.js'

const identity: Identity = { session: 's', principal: 'agent:main', roles: ['agent'] }
const call = (more: Partial<AgentCall> = {}): AgentCall => ({
  method: 'tools/call',
  name: 'greet',
  body: json({}),
  client: { generation: 'modern', input: [], progress: true, logLevel: 'info' },
  ...more,
})
const silent: ConnectionListener = {
  listChanged: () => undefined,
  resourceUpdated: () => undefined,
  ended: () => undefined,
}

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => {
  vi.useRealTimers()
})

describe('a connection', () => {
  it('calls, and has the outcome', async () => {
    const { runner, signIn, respond } = running()
    signIn()
    const outcome = runner.open(identity, silent).call(call())
    respond()
    expect(await outcome).toMatchObject({ kind: 'result', body: json('done') })
    runner.close()
  })

  it("has the broker's lists", async () => {
    const { runner, signIn } = running()
    const connection = runner.open(identity, silent)
    expect(connection.tools('session')).toEqual([])
    signIn()
    expect(connection.tools('session')).toHaveLength(1)
    expect([
      connection.resources('session'),
      connection.resourceTemplates('principal'),
      connection.prompts('principal'),
    ]).toEqual([[], [], []])
    expect(connection.completes()).toBe(false)
    expect(connection.tool('greet')?.definition).toBe(connection.tools('session')[0])
    expect(connection.tool('grief')).toBeUndefined()
    runner.close()
  })

  it('says that it completes while those who may are on their way', async () => {
    const known = deferred()
    const { runner, signIn } = running({}, known.promise)
    const connection = runner.open(identity, silent)
    expect(connection.completes()).toBe(true)
    signIn()
    known.resolve()
    await known.promise
    await Promise.resolve()
    expect(connection.completes()).toBe(false)
    runner.close()
  })

  it('hears progress and logs of its call', async () => {
    const { runner, signIn, from, request, respond } = running()
    signIn()
    const [onProgress, onLog] = [vi.fn(), vi.fn()]
    const outcome = runner.open(identity, silent).call(call({ onProgress, onLog }))
    const { id } = request()
    from({ type: 'progress', id, body: json({ progress: 1 }) })
    from({ type: 'log', id, level: 'info', body: json({ data: 'x' }) })
    respond()
    await outcome
    from({ type: 'progress', id, body: json({ progress: 2 }) })
    expect(onProgress).toHaveBeenCalledExactlyOnceWith(json({ progress: 1 }))
    expect(onLog).toHaveBeenCalledExactlyOnceWith('info', json({ data: 'x' }))
    runner.close()
  })

  it('is refused what is larger than a body may be, and nothing is sent', async () => {
    const { runner, signIn, sent } = running()
    signIn()
    const body = Buffer.alloc(4 * 1024 * 1024 + 1)
    const outcome = await runner.open(identity, silent).call(call({ body }))
    expect(outcome).toMatchObject({ failure: { code: 'request_too_large' } })
    expect(sent.map(({ type }) => type)).not.toContain('request')
    runner.close()
  })

  it('goes on to hear progress and logs after a question', async () => {
    const { runner, signIn, from, request, respond } = running()
    signIn()
    const connection = runner.open(identity, silent)
    const asked = connection.call(call())
    const { id } = request()
    from({ type: 'input_required', id, timeoutMs: 60_000, body: json('why?') })
    await asked
    const [onProgress, onLog] = [vi.fn(), vi.fn()]
    const outcome = connection.resume(id, json('because'), { onProgress, onLog })
    from({ type: 'progress', id, body: json({ progress: 2 }) })
    from({ type: 'log', id, level: 'info', body: json({ data: 'x' }) })
    respond()
    await outcome
    expect([onProgress.mock.calls, onLog.mock.calls]).toEqual([
      [[json({ progress: 2 })]],
      [['info', json({ data: 'x' })]],
    ])
    runner.close()
  })

  it('keeps answers from the worker that are larger than it takes, and ends their call', async () => {
    const { runner, sent, signIn, from, request } = running()
    signIn()
    const connection = runner.open(identity, silent)
    const asked = connection.call(call())
    const { id } = request()
    from({ type: 'input_required', id, timeoutMs: 60_000, body: json('why?') })
    await asked
    const outcome = await connection.resume(id, Buffer.alloc(4 * 1024 * 1024 + 1))
    expect(outcome).toMatchObject({ failure: { code: 'request_too_large' } })
    expect(sent.at(-1)).toMatchObject({ type: 'cancel', id })
    expect(sent.map(({ type }) => type)).not.toContain('resume')
    runner.close()
  })

  it('answers a question by resuming, and hears of the call by that', async () => {
    const { runner, signIn, sent, from, request, respond } = running()
    signIn()
    const connection = runner.open(identity, silent)
    const asked = connection.call(call())
    from({ type: 'input_required', id: request().id, timeoutMs: 60_000, body: json('why?') })
    expect(await asked).toEqual({ kind: 'input_required', id: request().id, body: json('why?') })
    const onProgress = vi.fn()
    const client = { generation: 'modern', input: [], progress: true } as const
    const outcome = connection.resume(request().id, json('because'), { client, onProgress })
    expect(sent.at(-1)).toMatchObject({ type: 'resume', body: json('because'), client })
    from({ type: 'progress', id: request().id, body: json({ progress: 2 }) })
    respond()
    expect(await outcome).toMatchObject({ kind: 'result' })
    expect(onProgress).toHaveBeenCalledExactlyOnceWith(json({ progress: 2 }))
    runner.close()
  })

  it('that is closed twice is closed once, and hears nothing more', async () => {
    const { runner, signIn } = running()
    const listChanged = vi.fn()
    const connection = runner.open(identity, { ...silent, listChanged })
    signIn()
    connection.close()
    connection.close()
    vi.advanceTimersByTime(1_000)
    expect(listChanged).not.toHaveBeenCalled()
    expect(runner.broker.snapshot().connections).toBe(0)
    runner.close()
  })
})

describe('a call before the catalogue is known', () => {
  it('waits for it: a tool whose worker is still on its way is not unknown', async () => {
    const known = deferred()
    const { runner, signIn, request, respond } = running({}, known.promise)
    const outcome = runner.open(identity, silent).call(call())
    signIn()
    expect(request()).toBeUndefined()
    known.resolve()
    await vi.waitFor(() => expect(request()).toBeDefined())
    respond()
    expect(await outcome).toMatchObject({ kind: 'result' })
    runner.close()
  })

  it('can be cancelled meanwhile, at once', async () => {
    const known = deferred()
    const { runner, signIn, sent } = running({}, known.promise)
    const abort = new AbortController()
    const outcome = runner.open(identity, silent).call(call({ signal: abort.signal }))
    abort.abort()
    expect(await outcome).toMatchObject({ failure: { code: 'cancelled' } })
    signIn()
    known.resolve()
    await known.promise
    expect(sent.map(({ type }) => type)).not.toContain('request')
    runner.close()
  })
})

describe('cancelling', () => {
  it('settles at once and tells the worker', async () => {
    const { runner, signIn, sent } = running()
    signIn()
    const abort = new AbortController()
    const outcome = runner.open(identity, silent).call(call({ signal: abort.signal }))
    abort.abort()
    expect(await outcome).toMatchObject({ failure: { code: 'cancelled' } })
    expect(sent.at(-1)).toMatchObject({ type: 'cancel', reason: 'cancelled' })
    runner.close()
  })

  it('beforehand starts nothing', async () => {
    const { runner, signIn, sent } = running()
    signIn()
    const outcome = await runner.open(identity, silent).call(call({ signal: AbortSignal.abort() }))
    expect(outcome).toMatchObject({ failure: { code: 'cancelled' } })
    expect(sent.map(({ type }) => type)).not.toContain('request')
    runner.close()
  })

  it('afterwards does nothing: no listener is left on the signal', async () => {
    const { runner, signIn, respond, sent } = running()
    signIn()
    const abort = new AbortController()
    const removed = vi.spyOn(abort.signal, 'removeEventListener')
    const outcome = runner.open(identity, silent).call(call({ signal: abort.signal }))
    respond()
    await outcome
    expect(removed).toHaveBeenCalledOnce()
    abort.abort()
    expect(sent.at(-1)?.type).toBe('request')
    runner.close()
  })
})

describe('an effect that causes an event', () => {
  it('has it handled after the others: order is kept, nothing is re-entered', async () => {
    const order: string[] = []
    let connection: Connection | undefined
    const { runner, signIn } = running({
      notice: ({ kind }) => {
        order.push(kind)
        // A connection that closes for what it was told, and a call in the middle of a step.
        void connection?.call(call()).then(({ kind: outcome }) => order.push(outcome))
        order.push('called')
      },
      send: (_, { type }) => void order.push(type),
    })
    connection = runner.open(identity, silent)
    signIn()
    expect(order).toEqual(['challenge', 'welcome', 'worker_joined', 'called', 'request'])
    runner.close()
  })

  it('may be a cancel within the very step that settles the call', async () => {
    const { runner, signIn, from, request, respond } = running()
    signIn()
    const abort = new AbortController()
    const outcome = runner.open(identity, silent).call(call({ signal: abort.signal, onProgress: () => abort.abort() }))
    from({ type: 'progress', id: request().id, body: json({ progress: 1 }) })
    respond()
    expect(await outcome).toMatchObject({ failure: { code: 'cancelled' } })
    expect(runner.broker.snapshot().calls).toEqual([])
    runner.close()
  })
})

describe('time', () => {
  it('ticks the broker at its deadlines', async () => {
    const { runner, signIn } = running()
    signIn()
    const outcome = runner.open(identity, silent).call(call({ timeoutMs: 5_000 }))
    vi.advanceTimersByTime(5_000)
    expect(await outcome).toMatchObject({ failure: { code: 'deadline_exceeded' } })
    runner.close()
  })

  it('is one timer, armed for the earliest', async () => {
    const { runner, signIn } = running()
    signIn()
    const connection = runner.open(identity, silent)
    for (const timeoutMs of [90_000, 5_000, 60_000]) void connection.call(call({ timeoutMs }))
    expect(vi.getTimerCount()).toBe(1)
    runner.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('tells of changed lists after their pause', async () => {
    const { runner, signIn } = running()
    const listChanged = vi.fn()
    runner.open(identity, { ...silent, listChanged })
    signIn()
    expect(listChanged).not.toHaveBeenCalled()
    vi.advanceTimersByTime(10)
    expect(listChanged.mock.calls).toEqual([
      ['tools', 'session'],
      ['tools', 'principal'],
    ])
    runner.close()
  })
})

describe('close', () => {
  it('settles every open call, as of unknown outcome, and does nothing afterwards', async () => {
    const { runner, signIn, sent, from } = running()
    signIn()
    const connection = runner.open(identity, silent)
    const outcomes = [connection.call(call()), connection.call(call())]
    runner.close()
    runner.close()
    for (const outcome of await Promise.all(outcomes))
      expect(outcome).toMatchObject({ failure: { code: 'outcome_unknown' } })
    const count = sent.length
    from({ type: 'hello', versions: [1, 1] })
    connection.close()
    expect(await connection.call(call())).toMatchObject({ kind: 'failure' })
    expect(sent).toHaveLength(count)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a fault of the broker itself', () => {
  it('costs the worker whose message it was its sign-in, and nobody else anything', async () => {
    const failures: string[] = []
    const { runner, sent, signIn, from } = running({ failed: (_, event) => void failures.push(event) })
    signIn()
    vi.spyOn(runner.broker, 'step').mockImplementationOnce(() => {
      throw new Error('a bug')
    })
    from({ type: 'heartbeat', epoch, serial: 1, sentAt: 1, load: 0 })
    expect(failures).toEqual(['message'])
    expect(runner.broker.snapshot().workers).toHaveLength(0)
    signIn()
    expect(sent.at(-1)).toMatchObject({ type: 'welcome' })
    runner.close()
  })

  it('ends the call that it happened to as internal', async () => {
    const { runner, signIn } = running({ failed: () => undefined })
    signIn()
    const connection = runner.open(identity, silent)
    vi.spyOn(runner.broker, 'step').mockImplementationOnce(() => {
      throw new Error('a bug')
    })
    expect(await connection.call(call())).toMatchObject({ failure: { code: 'internal' } })
    runner.close()
  })
})

it('workerJoined resolves with the next worker', async () => {
  const { runner, signIn } = running()
  const joined = runner.workerJoined()
  signIn()
  await joined
  runner.close()
})

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
