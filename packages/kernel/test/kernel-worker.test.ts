import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectForTest, type TestCallOptions, type TestLink, textOf } from '@callboard/worker/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKernelWorker, KernelConfigError, type KernelWorker } from '../src/index.js'
import type { RunReport } from '../src/kernel/run-report.js'
import { examples } from '../src/tools/examples.js'
import { until } from './support/processes.js'

let directory: string
let kernel: KernelWorker
let link: TestLink

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-test-'))
  kernel = await createKernelWorker({ dataDirectory: directory })
  link = await connectForTest(kernel.worker)
})

afterEach(async () => {
  await link.close()
  await kernel.close()
  await rm(directory, { recursive: true, force: true })
})

async function run(code: string, options?: TestCallOptions, more: object = {}): Promise<RunReport> {
  const { structuredContent } = await link.callTool<RunReport>('weave_eval', { code, ...more }, options)
  return structuredContent!
}

async function call(name: string, args: { readonly [key: string]: unknown } = {}, options?: TestCallOptions) {
  return (await link.callTool<{ readonly [key: string]: unknown }>(name, args, options)).structuredContent
}

async function wait(args: { readonly [key: string]: unknown } = {}): Promise<RunReport> {
  return (await link.callTool<RunReport>('weave_wait', args)).structuredContent!
}

interface Session {
  readonly session_id: string
  readonly recent_history: readonly { readonly action: string; readonly success: boolean; readonly timestamp: string }[]
  readonly kernel: { readonly state: string; readonly [key: string]: unknown }
  readonly names: readonly string[]
  readonly [key: string]: unknown
}

async function session(args: { readonly [key: string]: unknown } = {}, options?: TestCallOptions): Promise<Session> {
  return (await link.callTool<Session>('weave_session', args, options)).structuredContent!
}

describe('definitions', () => {
  it('begin with the four tools of the contract', () => {
    const names = (link.definitions.tools ?? []).map(({ name }) => name)
    expect(names.slice(0, 4)).toEqual(['weave_eval', 'weave_session', 'weave_reset', 'weave_help'])
  })

  it('are refused whole when the configuration is wrong, with every problem', async () => {
    const config = { maxKernels: 0, memoryMiB: 'much', colour: 'red' }
    const failure = await createKernelWorker({ dataDirectory: directory, config }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(KernelConfigError)
    expect((failure as KernelConfigError).problems).toHaveLength(3)
    expect((failure as KernelConfigError).message).toMatch(/kernel\.maxKernels: [\s\S]*kernel\.memoryMiB: /)
  })
})

describe('weave_eval', () => {
  it('answers exactly what the contract and this version promise', async () => {
    const answer = await link.callTool<RunReport>('weave_eval', { code: '1 + 1' })
    expect(answer.isError).toBeFalsy()
    expect(answer.structuredContent).toEqual({
      result: '2',
      stdout: '',
      stderr: '',
      success: true,
      error: null,
      status: 'ok',
      run_id: 1,
      epoch: 1,
      duration_s: expect.any(Number),
      names: { added: [], changed: [], deleted: [] },
      truncated: null,
      failure: null,
      replayed: false,
      notices: [],
    })
    expect(JSON.parse(textOf(answer))).toMatchObject({ result: '2', success: true })
  })

  it('is no error of the tool when the code raises', async () => {
    const answer = await link.callTool<RunReport>('weave_eval', { code: '1 / 0', timeout_s: null })
    expect(answer.isError).toBeFalsy()
    expect(answer.structuredContent).toMatchObject({ success: false, status: 'error', failure: null })
  })

  it('is one when the kernel dies, with all fields and the error in _meta', async () => {
    const answer = await link.callTool<RunReport>('weave_eval', { code: 'import os; os._exit(1)' })
    expect(answer.isError).toBe(true)
    expect(answer.structuredContent).toMatchObject({
      success: false,
      status: 'kernel_died',
      failure: { code: 'kernel_died' },
    })
    expect(answer._meta?.['callboard/error']).toEqual(answer.structuredContent?.failure)
  })

  it.each([
    [{}],
    [{ code: 1 }],
    [{ code: '1', timeout_s: 0 }],
    [{ code: '1', foreground_s: 51 }],
    [{ code: '1', colour: 3 }],
  ])('refuses %j in its own shape', async (args) => {
    const answer = await link.callTool<RunReport>('weave_eval', args)
    expect(answer.isError).toBe(true)
    expect(answer.structuredContent).toMatchObject({
      result: null,
      stdout: '',
      success: false,
      status: 'refused',
      run_id: null,
      failure: { code: 'invalid_argument', retryable: false },
    })
    expect(answer.structuredContent?.error).toMatch(/code|timeout_s|foreground_s|colour/)
  })

  it('interrupts after timeout_s', async () => {
    expect(await run('import time; time.sleep(60)', {}, { timeout_s: 0.2 })).toMatchObject({ status: 'timeout' })
  })

  it.each([
    ['after foreground_s', {}, { foreground_s: 0.2 }],
    ['below the deadline of the call', { timeoutMs: 1_700 }, {}],
  ])('leaves the code running %s, and never misleads', async (_, options, more) => {
    await run('1')
    const report = await run('import time\nprint("in", flush=True)\ntime.sleep(60)', options, more)
    expect(report).toMatchObject({
      status: 'running',
      success: false,
      result: null,
      run_id: 2,
      error: 'StillRunning: run 2 goes on; call weave_wait; do not send the code again',
      failure: null,
    })
    await until(async () => (await wait({ timeout_s: 0 })).stdout === 'in\n')
    expect(await call('weave_interrupt', { run_id: 2 })).toMatchObject({
      outcome: 'interrupted',
      state_preserved: true,
      epoch: 1,
      status: 'interrupted',
    })
    expect(await wait({ run_id: 2 })).toMatchObject({ status: 'interrupted', stdout: 'in\n' })
  })

  it('goes on when its call is cancelled, and what it wrote is there', async () => {
    const aborted = new AbortController()
    const messages: string[] = []
    const cancelled = link.callTool(
      'weave_eval',
      { code: 'import time\nprint("first")\ntime.sleep(0.3)\n"done"' },
      {
        client: { progress: true },
        onProgress: ({ message }) => {
          messages.push(message ?? '')
          aborted.abort()
        },
        signal: aborted.signal,
      },
    )
    await cancelled.catch(() => {})
    expect(messages[0]).toBe('[stdout from byte 0; weave_peek goes on at offset 6]\nfirst\n')
    expect(await wait()).toMatchObject({ status: 'ok', result: "'done'", stdout: 'first\n', run_id: 1 })
  })

  it('keeps agents apart, and the sessions of one owner too', async () => {
    await run('secret = 1')
    expect((await run('"secret" in globals()', { session: 'session-2' })).result).toBe('False')
    const other = { principal: 'agent:other', session: 'session-1' }
    expect(await run('"secret" in globals()', other)).toMatchObject({ result: 'False', run_id: 1, epoch: 1 })
    expect((await run('secret')).result).toBe('1')
  })

  it('counts a nested call to its root principal', async () => {
    await run('mine = 1')
    const nested = { principal: 'worker:scheduler', onBehalfOf: 'agent:main', depth: 1 }
    const direct = await session()
    expect((await session({}, nested)).session_id).not.toBe(undefined)
    expect(direct.names).toEqual(['mine'])
  })

  it('holds the hub while a cell runs', async () => {
    expect(kernel.worker.options.holdUntil?.()).toBeUndefined()
    const before = Date.now()
    const running = run('import time; time.sleep(60)', {}, { timeout_s: 100 })
    await until(() => kernel.worker.options.holdUntil?.() !== undefined)
    expect(kernel.worker.options.holdUntil?.()).toBeGreaterThan(before + 99_000)
    expect((await session()).kernel).toMatchObject({ state: 'busy', running_run: 1 })
    await call('weave_interrupt')
    await running
    expect(kernel.worker.options.holdUntil?.()).toBeUndefined()
  })
})

describe('heartbeats', () => {
  it('go on during a cell that computes, and their echoes are known by their ids', async () => {
    await link.close()
    // Three without an echo would count as a lost hub, which ends the call.
    link = await connectForTest(kernel.worker, { heartbeatMs: 100 })
    const running = run('import time\nend = time.monotonic() + 0.5\nwhile time.monotonic() < end: pass\n"done"')
    await until(() => link.holdUntil !== undefined)
    expect(await running).toMatchObject({ status: 'ok', result: "'done'" })
    await until(() => link.holdUntil === undefined)
  })
})

describe('weave_events', () => {
  it('tells of runs from a cursor on, to their owner only, and waits for the next', async () => {
    const start = (await call('weave_events'))!
    expect(start).toMatchObject({ events: [], has_more: false, gap: false })
    const waiting = call('weave_events', { cursor: start['cursor'], types: ['run.finished'], timeout_s: 20 })
    await run('1 / 0')
    expect(await waiting).toMatchObject({
      events: [{ type: 'run.finished', data: { run_id: 1, status: 'error', success: false } }],
    })
    const foreign = await call('weave_events', {}, { principal: 'agent:other' })
    expect(foreign).toMatchObject({ events: [] })
    expect(await link.callTool('weave_events', { cursor: 'x' })).toMatchObject({ isError: true })
  })
})

describe('weave_session', () => {
  it('is made on first use and never starts Python', async () => {
    const first = await session()
    expect(first).toEqual({
      session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      session_name: 'untitled',
      vibe: null,
      tempo_bpm: 120,
      active_rules: [],
      rules_total: 0,
      markers: [],
      markers_total: 0,
      recent_history: [],
      transport_state: 'stopped',
      current_beat: 0,
      kernel: {
        state: 'absent',
        name: null,
        runtime: null,
        isolation: expect.stringMatching(/^(bubblewrap|none)/),
        limits_refused: [],
        epoch: null,
        running_run: null,
        queue_length: 0,
        memory_bytes: null,
        last_death: null,
      },
      names: [],
      names_total: 0,
      last_error: null,
      notices: [],
      cursor: expect.any(String),
      unchanged: [],
    })
    expect((await session()).session_id).toBe(first.session_id)
  })

  it('with since: leaves out the lists that are as they were, and says so', async () => {
    await run('x = 1')
    const { cursor, names } = await session()
    expect(names).toEqual(['x'])
    await run('x = 2')
    const next = await session({ since: cursor })
    expect(next['unchanged']).toEqual(['active_rules', 'markers', 'names'])
    expect(next.names).toEqual([])
    expect(next.recent_history).toHaveLength(2)
  })

  it('shows the newest ten runs, newest first, within 8 KiB', async () => {
    for (let index = 0; index < 12; index += 1) await run(`value_${index} = "${'x'.repeat(2_000)}"`)
    await run('value_0 = 1\n1 / 0')
    const { recent_history, names, kernel: state, ...rest } = await session()
    expect(recent_history).toHaveLength(10)
    expect(recent_history[0]).toEqual({
      action: 'eval 13: value_0 = 1; 1 / 0',
      success: false,
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(recent_history[1]?.success).toBe(true)
    expect(names[0]).toBe('value_0')
    expect(state).toMatchObject({ state: 'idle', epoch: 1, runtime: expect.stringMatching(/^python3 3\./) })
    expect(JSON.stringify({ recent_history, names, state, ...rest }).length).toBeLessThan(8 * 1024)
  })

  it('honours session_id, and tells nobody of others’', async () => {
    const mine = await session()
    const second = await session({}, { session: 'session-2' })
    expect(second).toMatchObject({ session_name: 'untitled 2' })
    expect((await session({ session_id: mine.session_id }, { session: 'session-2' })).session_id).toBe(mine.session_id)
    const foreign = await link.callTool('weave_session', { session_id: mine.session_id }, { principal: 'agent:other' })
    expect(foreign.isError).toBe(true)
    expect(foreign.structuredContent).toBeUndefined()
    expect(JSON.parse(textOf(foreign))).toMatchObject({ code: 'not_found', retryable: false })
    expect(foreign._meta?.['callboard/error']).toMatchObject({ code: 'not_found' })
  })

  it('is taken over by the next agent of the owner, with its history and its kernel', async () => {
    await run('x = 1')
    const before = await session()
    await link.closeSession('session-1')
    const next = { session: 'session-9' }
    expect((await session({}, next)).session_id).toBe(before.session_id)
    expect((await session({}, next)).recent_history).toHaveLength(1)
    expect(await run('x', next)).toMatchObject({ result: '1', epoch: 1, run_id: 2 })
  })
})

describe('weave_reset', () => {
  it('gives a new process', async () => {
    await run('x = 1; import os; os.chdir("/")')
    const { structuredContent } = await link.callTool('weave_reset')
    expect(structuredContent).toEqual({
      level: 'process',
      epoch: 2,
      cleared: { names: 2, session: false, modules_kept: [] },
      replay_result: null,
    })
    const report = await run('import os; "x" in globals(), os.getcwd() == "/"')
    expect(report).toMatchObject({
      result: '(False, False)',
      epoch: 2,
      notices: [],
    })
    expect((await session()).recent_history).toHaveLength(2)
  })

  it('ends threads, callbacks and open files', async () => {
    await run(`
import fcntl, os, threading, time
held = open("held", "w")
fcntl.flock(held, fcntl.LOCK_EX)
threading.Thread(target=time.sleep, args=(600,)).start()
@on_beat(1)
def bar(beat): pass
play()`)
    const { pid } = kernel.pool.find({ owner: 'agent:main', session: 'session-1' })!.runtime!
    await link.callTool('weave_reset')
    expect(() => process.kill(pid, 0)).toThrow(/ESRCH/)
    const lock = 'import fcntl; held = open("held", "w"); fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)'
    expect(await run(`${lock}\n[(r.name, r.status) for r in rules()]`)).toMatchObject({
      result: "[('bar', 'unbound')]",
      epoch: 2,
    })
  })

  it('clears names and tasks in the same process', async () => {
    await run(
      'import asyncio\nlog = []\nasync def tick():\n    while True:\n        await asyncio.sleep(0.005)\nt = asyncio.create_task(tick())\nawait asyncio.sleep(0)',
    )
    expect((await link.callTool('weave_reset', { level: 'names' })).structuredContent).toMatchObject({
      level: 'names',
      epoch: 1,
      cleared: { names: 4 },
    })
    expect(
      await run(
        'import asyncio\n[n for n in dir() if not n.startswith("__")], len(asyncio.all_tasks()) - 1 if await asyncio.sleep(0) is None else None',
      ),
    ).toMatchObject({ result: "(['asyncio'], 0)", epoch: 1 })
    expect((await session()).names).toEqual(['asyncio'])
  })

  it.each(['names', 'process'] as const)('%s stops what runs and drops what waits', async (level) => {
    const running = run('import time\nprint("x")\ntime.sleep(60)')
    const waiting = run('1')
    await until(() => kernel.worker.options.holdUntil?.() !== undefined)
    await until(
      () => kernel.pool.find({ owner: 'agent:main', session: 'session-1' })?.active?.output.stdout.totalBytes === 2,
    )
    expect((await link.callTool('weave_reset', { level })).structuredContent).toMatchObject({
      level,
      epoch: level === 'names' ? 1 : 2,
    })
    expect(await running).toMatchObject({
      status: level === 'names' ? 'interrupted' : 'kernel_died',
      error: expect.stringMatching(/weave_reset/),
    })
    expect(await waiting).toMatchObject({ status: 'refused', failure: { code: 'cancelled' } })
    expect((await run('2')).result).toBe('2')
  })

  it('clears the session only when asked', async () => {
    await run('1')
    const before = await session()
    expect((await link.callTool('weave_reset', { clear_session: true })).structuredContent).toMatchObject({
      cleared: { session: true },
    })
    expect(await session()).toMatchObject({
      session_id: before.session_id,
      session_name: 'untitled',
      recent_history: [],
    })
  })

  it('starts nothing where nothing was', async () => {
    expect((await link.callTool('weave_reset')).structuredContent).toEqual({
      level: 'process',
      epoch: null,
      cleared: { names: 0, session: false, modules_kept: [] },
      replay_result: null,
    })
    expect((await session()).kernel.state).toBe('absent')
  })
})

describe('weave_help', () => {
  it('names every tool, topic and limit', async () => {
    const text = textOf(await link.callTool('weave_help'))
    for (const name of [
      'weave_eval',
      'weave_session',
      'weave_reset',
      'weave_help',
      'api',
      'session',
      'scheduler',
      'examples',
    ])
      expect(text).toContain(name)
    expect(text).toMatch(/64 kernels per worker/)
    expect(textOf(await link.callTool('weave_help', { topic: 'overview' }))).toBe(text)
  })

  it('is built from what is registered', async () => {
    const text = textOf(await link.callTool('weave_help', { topic: 'api' }))
    for (const tool of link.definitions.tools ?? []) {
      expect(text).toContain(`${tool.name}: ${tool.description}`)
      for (const field of Object.keys(tool.inputSchema['properties'] as object)) expect(text).toContain(`- ${field} (`)
    }
    expect(textOf(await link.callTool('weave_help', { topic: 'weave_eval' }))).toContain(
      '- timeout_s (number or null, optional)',
    )
  })

  it('explains the scheduler and the session', async () => {
    const scheduler = textOf(await link.callTool('weave_help', { topic: 'Scheduler' }))
    for (const trigger of ['beat:4+1', 'at:32', 'marker:drop', 'every:2.5s', 'after:10s', 'event:job.*'])
      expect(scheduler).toContain(`- ${trigger.split('+')[0]}`)
    for (const word of ['critical, high, normal, low, idle', 'lead_s', 'seek:16', 'tool:name {json}', '@on_beat(1)'])
      expect(scheduler).toContain(word)
    const session = textOf(await link.callTool('weave_help', { topic: 'session' }))
    expect(session).toContain('session(name=None, vibe=None, load=None, shared=None)')
  })

  it('takes the calls of the Python module from Python', async () => {
    const api = textOf(await link.callTool('weave_help', { topic: 'api' }))
    expect(api).toContain('await until_beat(b)\n    Waits until the clock reaches beat `b`')
    expect(api).toContain('    .log(limit=20)\n')
    for (const topic of ['on_beat', 'vibeweaver.on_beat', 'ON_BEAT', 'on_beat(4)'])
      expect(textOf(await link.callTool('weave_help', { topic }))).toMatch(
        /^on_beat\(divisor\)\n {4}Decorator: [\s\S]*Example:/,
      )
    expect(textOf(await link.callTool('weave_help', { topic: 'Rule.next_fire' }))).toMatch(
      /^Rule\n[\s\S]*\.next_fire\(\)/,
    )
    expect(textOf(await link.callTool('weave_help', { topic: 'vibeweaver' }))).toMatch(
      /- tempo\(bpm=None\): Gets or sets/,
    )
    expect((await session()).kernel.state).toBe('absent')
  })

  it('refuses an unknown topic with all names and the nearest', async () => {
    const answer = await link.callTool('weave_help', { topic: 'exmaples' })
    expect(answer.isError).toBe(true)
    expect(textOf(answer)).toMatch(
      /\(did you mean examples\?\)\. Topics: overview, api, session, scheduler, examples; tools: weave_eval.*; Python: session, sessions, .*UnavailableError\./,
    )
    const call = await link.callTool('weave_help', { topic: 'on_beet' })
    expect(textOf(call)).toMatch(/on_beet.*\(did you mean on_beat\?\)/)
  })

  it('shows examples that work', async () => {
    const text = textOf(await link.callTool('weave_help', { topic: 'examples' }))
    for (const { title, code } of examples) expect(text).toContain(`# ${title}\n${code}`)
    for (const { title, code, expect: expected } of examples) {
      const report = await run(code)
      if (expected.result !== undefined) expect(report.result, title).toBe(expected.result)
      if (expected.stdout !== undefined) expect(report.stdout, title).toBe(expected.stdout)
      if (expected.errorEnds !== undefined) expect(report.error, title).toMatch(new RegExp(`${expected.errorEnds}$`))
      else expect(report.error, title).toBeNull()
    }
  })
})

describe('a restarted worker', () => {
  it('remembers the session, goes on counting and says that variables are lost', async () => {
    await run('x = 1')
    const before = await session()
    await link.close()
    await kernel.close()
    kernel = await createKernelWorker({ dataDirectory: directory })
    link = await connectForTest(kernel.worker)
    expect(await session()).toMatchObject({ session_id: before.session_id, recent_history: before.recent_history })
    expect(await run('"x" in globals()')).toMatchObject({
      result: 'False',
      run_id: 2,
      epoch: 2,
      notices: [
        expect.stringMatching(
          /^Variables lost: epoch 1 of this kernel has ended\. It was ended because its worker was stopped/,
        ),
      ],
    })
  })
})
