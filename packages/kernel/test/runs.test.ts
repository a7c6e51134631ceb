import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connectForTest, type TestCallOptions, type TestLink, textOf } from '@callboard/worker/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKernelWorker, type KernelWorker } from '../src/index.js'
import type { RunReport } from '../src/kernel/run-report.js'
import { deadlineMarginMs } from '../src/limits.js'
import { until } from './support/processes.js'

let directory: string
let kernel: KernelWorker
let link: TestLink

async function open(): Promise<void> {
  // Code leaves its traces beside the database here, which a sandbox hides.
  kernel = await createKernelWorker({ dataDirectory: directory, config: { sandbox: 'off' } })
  link = await connectForTest(kernel.worker)
}

async function close(): Promise<void> {
  await link.close()
  await kernel.close()
}

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-test-'))
  await open()
})

afterEach(async () => {
  await close()
  await rm(directory, { recursive: true, force: true })
})

interface Answer {
  readonly [field: string]: unknown
}

async function run(code: string, more: object = {}, options?: TestCallOptions): Promise<RunReport> {
  return (await link.callTool<RunReport>('weave_eval', { code, ...more }, options)).structuredContent!
}

async function call<Value = Answer>(name: string, args: Answer = {}, options?: TestCallOptions): Promise<Value> {
  const answer = await link.callTool<Value>(name, args, options)
  return answer.structuredContent ?? (JSON.parse(textOf(answer)) as Value)
}

const appended = (path: string) => `with open(${JSON.stringify(path)}, "a") as f: f.write("x")`
const written = (path: string) => `open(${JSON.stringify(path)}).read()`

describe('never twice', () => {
  it('the same key and code answer with the same run, once it has ended', async () => {
    const path = join(directory, 'ran')
    const first = await run(`${appended(path)}\n7`, { idempotency_key: 'once' })
    const again = await run(`${appended(path)}\n7`, { idempotency_key: 'once' })
    expect(first).toMatchObject({ run_id: 1, result: '7', replayed: false })
    expect(again).toEqual({ ...first, replayed: true, duration_s: expect.any(Number) })
    expect((await run(written(path))).result).toBe("'x'")
  })

  it('and while it runs, each waits for the one run', async () => {
    const path = join(directory, 'ran')
    const code = `import time\n${appended(path)}\ntime.sleep(0.2)\n"done"`
    const both = await Promise.all([run(code, { idempotency_key: 'k' }), run(code, { idempotency_key: 'k' })])
    expect(both.map(({ run_id, result }) => [run_id, result])).toEqual([
      [1, "'done'"],
      [1, "'done'"],
    ])
    expect(both.map(({ replayed }) => replayed).sort()).toEqual([false, true])
    expect((await run(written(path))).result).toBe("'x'")
  })

  it('also after a restart of the worker', async () => {
    const path = join(directory, 'ran')
    const first = await run(`print("out")\n${appended(path)}\n1 / 0`, { idempotency_key: 'k' })
    await close()
    await open()
    const again = await run(`print("out")\n${appended(path)}\n1 / 0`, { idempotency_key: 'k' })
    expect(again).toEqual({ ...first, replayed: true, duration_s: expect.any(Number) })
    expect(again).toMatchObject({ stdout: 'out\n', error: expect.stringMatching(/ZeroDivisionError/) })
    expect((await run(written(path))).result).toBe("'x'")
  })

  it('a cell that outlives the patience of its clients, be it 31 s or 10 min, however often they send it again', async () => {
    const path = join(directory, 'trace')
    const code = `import time\n${appended(path)}\nprint("on")\ntime.sleep(0.5)\n"done"`
    const impatient = { idempotencyKey: 'the call', timeoutMs: deadlineMarginMs + 50 }
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const report = await run(code, {}, impatient)
      expect(report).toMatchObject({ error: expect.stringMatching(/^StillRunning/), run_id: 1, replayed: attempt > 0 })
    }
    expect(await call('weave_wait')).toMatchObject({ run_id: 1, result: "'done'", stdout: 'on\n' })
    expect(await run(code, {}, impatient)).toMatchObject({ run_id: 1, result: "'done'", replayed: true })
    expect(await run(written(path))).toMatchObject({ result: "'x'", run_id: 2 })
  })

  it('what was queued for a worker that is dead never runs later', async () => {
    await close()
    const [running, queued] = [join(directory, 'running'), join(directory, 'queued')]
    const script = fileURLToPath(new URL('./support/doomed-house.js', import.meta.url))
    const codes = [`${appended(running)}\nprint("on")\nimport time; time.sleep(60)`, appended(queued)]
    const worker = spawn(process.execPath, [script, directory, ...codes], { stdio: ['pipe', 'pipe', 'inherit'] })
    await once(worker.stdout, 'data')
    worker.kill('SIGKILL')
    await once(worker, 'exit')

    await open()
    expect(await call('weave_wait', { run_id: 1 })).toMatchObject({
      status: 'kernel_died',
      error: expect.stringMatching(/outcome is unknown/),
    })
    expect(await call('weave_wait', { run_id: 2 })).toMatchObject({ status: 'refused' })
    // Its key stands for it: sent again, it still does not run.
    expect(await run(codes[1]!, { idempotency_key: 'key 1' })).toMatchObject({ status: 'refused', replayed: true })
    expect(await run('1')).toMatchObject({ result: '1', epoch: 2 })
    expect([existsSync(running), existsSync(queued)]).toEqual([true, false])
  })

  it('other code under the same key is refused', async () => {
    await run('1', { idempotency_key: 'k' })
    expect(await run('2', { idempotency_key: 'k' })).toMatchObject({
      status: 'refused',
      failure: { code: 'idempotency_conflict', message: expect.stringMatching(/stands for run 1/) },
    })
  })

  it('a frame sent again is the same call, so the same run', async () => {
    const options = { idempotencyKey: 'the call' }
    expect((await run('1', {}, options)).run_id).toBe(1)
    expect(await run('1', {}, options)).toMatchObject({ run_id: 1, replayed: true })
    expect((await run('1', {}, { ...options, principal: 'agent:other' })).replayed).toBe(false)
  })

  it('is not asked for by a cell that was sent twice on purpose', async () => {
    expect([(await run('1')).run_id, (await run('1')).run_id]).toEqual([1, 2])
  })
})

describe('expect_epoch', () => {
  it('refuses code whose variables are gone', async () => {
    const { epoch } = await run('x = 1')
    expect((await run('x', { expect_epoch: epoch })).result).toBe('1')
    await run('import os; os._exit(1)')
    expect(await run('x = 2', { expect_epoch: epoch })).toMatchObject({
      status: 'refused',
      failure: { code: 'epoch_mismatch', message: expect.stringMatching(/exited with code 1/) },
    })
    await run('y = 1')
    expect((await run('x = 2', { expect_epoch: epoch })).failure?.message).toMatch(/is in epoch 2, not in epoch 1/)
  })
})

describe('a queue', () => {
  it('tells the place, and is not entered with on_busy: reject', async () => {
    await run('import time; time.sleep(60)', { foreground_s: 0 })
    expect(await run('2', { foreground_s: 0 })).toMatchObject({
      status: 'queued',
      error: 'StillRunning: run 2 goes on; call weave_wait; do not send the code again',
      notices: [expect.stringMatching(/number 1 in the queue/)],
    })
    expect(await run('3', { on_busy: 'reject' })).toMatchObject({
      status: 'refused',
      failure: { code: 'queue_full', retryable: true, retryAfterMs: expect.any(Number) },
    })
    expect(await call('weave_interrupt', { run_id: 2 })).toMatchObject({ outcome: 'dequeued', status: 'refused' })
    expect(await call('weave_wait', { run_id: 2 })).toMatchObject({ status: 'refused', run_id: null })
  })
})

describe('a named kernel', () => {
  it('is shared by all sessions of its owner, and by nobody else', async () => {
    const second = { session: 'session-2' }
    const stranger = { principal: 'agent:other' }
    await run('x = 1', { kernel: 'lab' })
    expect((await run('x', { kernel: 'lab' }, second)).result).toBe('1')
    expect((await run('"x" in globals()', {}, second)).result).toBe('False')
    expect((await run('"x" in globals()', { kernel: 'lab' }, stranger)).result).toBe('False')
    expect(await call('weave_wait', { kernel: 'lab' }, second)).toMatchObject({ run_id: 2, result: '1' })
    expect(await call('weave_wait', { run_id: 1 }, stranger)).toMatchObject({ run_id: 1, result: 'False' })
    expect(await call('weave_wait', { run_id: 3 }, stranger)).toMatchObject({
      status: 'refused',
      failure: { code: 'not_found' },
    })
  })

  it('outlives the session that made it', async () => {
    await run('x = 1', { kernel: 'lab' })
    await link.closeSession('session-1')
    expect((await run('x', { kernel: 'lab' }, { session: 'session-2' })).result).toBe('1')
  })

  it.each(['', 'a\nb', 'x'.repeat(65)])('has no name like %j', async (name) => {
    expect(await run('1', { kernel: name })).toMatchObject({
      status: 'refused',
      failure: { code: 'invalid_argument', message: expect.stringMatching(/kernel/) },
    })
  })
})

describe('a runtime', () => {
  it('that is not installed is refused, with those that are', async () => {
    expect(await run('1', { runtime: 'cobol' })).toMatchObject({
      status: 'refused',
      failure: { code: 'not_found', message: expect.stringMatching(/python3/) },
    })
    expect((await run('1')).result).toBe('1')
  })

  it('belongs to a kernel until a reset', async () => {
    await run('1', { runtime: 'python3' })
    expect(await run('1', { runtime: 'cobol' })).toMatchObject({ failure: { code: 'invalid_argument' } })
    await call('weave_reset')
    expect(await run('1', { runtime: 'cobol' })).toMatchObject({ failure: { code: 'not_found' } })
  })
})

describe('weave_wait', () => {
  it('answers as weave_eval would have, at the end or at timeout', async () => {
    await run('import time\nprint("a")\ntime.sleep(0.3)\nprint("b")\n5', { foreground_s: 0 })
    expect(await call('weave_wait', { timeout_s: 0 })).toMatchObject({
      success: false,
      error: expect.stringMatching(/StillRunning/),
    })
    const ended = await call('weave_wait')
    expect(ended).toMatchObject({ status: 'ok', success: true, error: null, result: '5', stdout: 'a\nb\n', run_id: 1 })
    expect(await call('weave_wait', { run_id: 1 })).toEqual(ended)
  })

  it('carries the death of the kernel as a failure of the tool', async () => {
    await run('import os, time; time.sleep(0.2); os._exit(4)', { foreground_s: 0 })
    const answer = await link.callTool<RunReport>('weave_wait')
    expect(answer.isError).toBe(true)
    expect(answer.structuredContent).toMatchObject({ status: 'kernel_died', failure: { code: 'kernel_died' } })
  })

  it('says what to do when there is nothing to wait for', async () => {
    expect(await call('weave_wait')).toMatchObject({
      failure: { code: 'not_found', message: expect.stringMatching(/weave_history/) },
    })
    expect(await call('weave_wait', { kernel: 'lab' })).toMatchObject({
      failure: { message: expect.stringMatching(/"lab" has run nothing/) },
    })
  })
})

describe('weave_history', () => {
  it('lists runs of all kernels, newest first, by pages, also after a restart', async () => {
    await run('alpha = 1', { kernel: 'lab' })
    await run('1 / 0')
    await run('beta = alpha if False else 2')
    await close()
    await open()
    const first = await call<{ runs: readonly Answer[]; next_before: number }>('weave_history', { limit: 2 })
    expect(first.runs).toMatchObject([
      { run_id: 3, status: 'ok', kernel: null, code_cut: false },
      { run_id: 2, status: 'error', error: 'ZeroDivisionError: division by zero' },
    ])
    expect(await call('weave_history', { before: first.next_before })).toMatchObject({
      runs: [{ run_id: 1, kernel: 'lab', code: 'alpha = 1' }],
      next_before: null,
    })
    expect(await call('weave_history', { query: 'ALPHA' })).toMatchObject({ runs: [{ run_id: 3 }, { run_id: 1 }] })
    expect(await call('weave_history', { run_id: 9 })).toMatchObject({ code: 'not_found' })
    expect(await call('weave_history', {}, { principal: 'agent:other' })).toEqual({ runs: [], next_before: null })
  })
})

describe('weave_reset', () => {
  it('replays everything that ran well, in a new epoch', async () => {
    await run('import math\nx = [1]\ndef double(n): return 2 * n')
    await run('x.append(double(3))')
    await run('1 / 0')
    await run('import os; os._exit(1)')
    expect(await call('weave_reset', { replay: 'all' })).toMatchObject({
      epoch: 2,
      replay_result: { status: 'ok', runs: 2, stopped_at: null, error: null },
    })
    expect(await run('x, math.pi > 3')).toMatchObject({ result: '([1, 6], True)', epoch: 2, notices: [] })
  })

  it('replays only imports, functions, classes and constants', async () => {
    const path = join(directory, 'ran')
    await run(`import math\nlimit = 10\nclass A: pass\n${appended(path)}\nnow = [math.pi]`)
    expect(await call('weave_reset', { replay: 'setup' })).toMatchObject({ replay_result: { status: 'ok', runs: 1 } })
    expect((await run('limit, A.__name__, math.floor(1.5), "now" in globals()')).result).toBe("(10, 'A', 1, False)")
    expect((await run(written(path))).result).toBe("'x'")
  })

  it('stops a replay at the first run that fails now, and says where', async () => {
    const path = join(directory, 'there')
    await writeFile(path, 'once')
    await run('before = 1')
    await run(`import os; os.remove(${JSON.stringify(path)})`)
    await run('after = 1')
    expect(await call('weave_reset', { replay: 'all' })).toMatchObject({
      replay_result: { status: 'stopped', runs: 2, stopped_at: 2, error: expect.stringMatching(/FileNotFoundError/) },
    })
    expect((await run('before, "after" in globals()')).result).toBe('(1, False)')
  })

  it('brings nothing back that was given up before', async () => {
    await run('old = 1')
    await call('weave_reset')
    await run('new = 1')
    expect(await call('weave_reset', { replay: 'all' })).toMatchObject({ replay_result: { runs: 1 } })
    expect((await run('"old" in globals(), new')).result).toBe('(False, 1)')
  })

  it('modules: imports run again, compiled ones stay and are named', async () => {
    const code =
      'open("mine.py", "w").write("import sys\\nsys.loads = getattr(sys, \'loads\', 0) + 1")\nimport mine, _ctypes_test'
    const { success } = await run(code)
    await run('import mine')
    const reset = await call<{ cleared: Answer }>('weave_reset', { level: 'modules' })
    expect(reset).toMatchObject({ level: 'modules', epoch: 1 })
    if (success) expect(reset.cleared['modules_kept']).toContain('_ctypes_test')
    expect((await run('import mine, sys\nsys.loads')).result).toBe('2')
  })
})

describe('tool()', () => {
  const calls = { greet: (args: unknown) => ({ structuredContent: { hello: args }, content: [] }) }

  it('calls a tool of another worker while its eval call waits', async () => {
    await link.close()
    link = await connectForTest(kernel.worker, { calls: calls as never })
    const code = 'from vibeweaver import tool\ntool("greet", name="Ann")["hello"]["name"]'
    expect((await run(code)).result).toBe("'Ann'")
    expect(link.calls).toHaveLength(1)
  })

  it('after detach is unavailable, and says why', async () => {
    await link.close()
    link = await connectForTest(kernel.worker, { calls: calls as never })
    await run('1')
    await run('import time\nfrom vibeweaver import tool\ntime.sleep(0.3)\ntool("greet")', { foreground_s: 0.05 })
    expect(await call('weave_wait')).toMatchObject({
      status: 'error',
      error: expect.stringMatching(/UnavailableError: tool\(\) works while the weave_eval call/),
    })
    expect(link.calls).toEqual([])
  })

  it('refuses to wait for the run that calls it, and lets it queue code or use another kernel', async () => {
    await link.close()
    link = await connectForTest(kernel.worker, { calls: { weave_eval: calls.greet, weave_wait: calls.greet } as never })
    for (const code of ['tool("weave_eval", code="1")', 'tool("weave_wait")', 'tool("weave_wait", run_id=3)']) {
      expect((await run(code)).error).toMatch(/ValueError: This would wait for the run that calls it/)
    }
    expect(link.calls).toEqual([])
    for (const more of ['foreground_s=0', 'kernel="other"']) {
      expect((await run(`tool("weave_eval", code="1", ${more}) and None`)).success).toBe(true)
    }
    expect(link.calls).toHaveLength(2)
  })
})

describe('what a run shows', () => {
  const png =
    'import base64\nclass P:\n    def _repr_png_(self): return base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")\n'

  it('comes as image content with the reply, and is there as a resource for its owner only', async () => {
    const answer = await link.callTool('weave_eval', { code: `${png}P()` })
    expect(answer.content?.map(({ type }) => type)).toEqual(['text', 'image'])
    const uri = 'weave://runs/1/images/1'
    expect(await link.readResource(uri)).toMatchObject([
      { mimeType: 'image/png', blob: expect.stringMatching(/^iVBOR/) },
    ])
    await expect(link.readResource(uri, { principal: 'agent:other' })).rejects.toThrow(/You have nothing at/)
    await expect(link.readResource('weave://runs/1/images/2')).rejects.toThrow(/You have nothing at/)
  })

  it('comes with the call that waits to the end, survives a timeout, and a restart', async () => {
    const code = `${png}import time\nfrom vibeweaver import display\ndisplay(P())\ntime.sleep(60)`
    await run(code, { foreground_s: 0, timeout_s: 0.5 })
    const waited = await link.callTool('weave_wait')
    expect(waited.structuredContent).toMatchObject({ status: 'timeout' })
    expect(waited.content?.map(({ type }) => type)).toEqual(['text', 'image'])
    await close()
    await open()
    const again = await link.callTool('weave_wait', { run_id: 1 })
    expect(again.content?.map(({ type }) => type)).toEqual(['text', 'image'])
  })

  it('by a thread after the end of its run, belongs to that run', async () => {
    await run(`${png}import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.1), display(P()))).start()`)
    await run('time.sleep(0.2)')
    await until(
      async () => (await call<{ events: unknown[] }>('weave_events', { types: ['artifact.*'] })).events.length > 0,
    )
    expect(await link.readResource('weave://runs/1/images/1')).toMatchObject([{ mimeType: 'image/png' }])
    expect((await link.callTool('weave_wait', { run_id: 2 })).content?.map(({ type }) => type)).toEqual(['text'])
  })

  it('is told as an event', async () => {
    await run(`${png}P()`)
    expect(await call('weave_events', { types: ['artifact.*'] })).toMatchObject({
      events: [
        { type: 'artifact.created', data: { id: 'weave://runs/1/images/1', run_id: 1, tags: ['image/png', 'image'] } },
      ],
    })
  })
})

describe('what nobody waits for', () => {
  it('a thread that fails after its run is told of with the next reply', async () => {
    await run('import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.1), 1 / 0)).start()')
    await until(async () => (await call<{ total_bytes: number }>('weave_peek', { stream: 'stderr' })).total_bytes > 0)
    await until(async () =>
      (await run('1')).notices.some((notice) => /of run 1 has written after its end/.test(notice)),
    )
    expect(await call('weave_peek', { run_id: 1, stream: 'stderr' })).toMatchObject({
      text: expect.stringMatching(/ZeroDivisionError/),
    })
    expect((await run('2')).notices).toEqual([])
  })

  it('a wait for the clock says that the clock stands', async () => {
    const waiting = await run('from vibeweaver import until_beat\nawait until_beat(8)', { foreground_s: 1 })
    expect(waiting).toMatchObject({ status: 'running' })
    await until(async () => (await call<RunReport>('weave_wait', { timeout_s: 0 })).stderr.includes('play() starts it'))
    await call('weave_interrupt')
  })

  it('an agent gets no session that a named kernel had', async () => {
    await run('1', { kernel: 'lab' })
    const lab = await call('weave_session', { kernel: 'lab' })
    await close()
    await open()
    expect((await call('weave_session', {}, { session: 'new' }))['session_id']).not.toBe(lab['session_id'])
    expect((await call('weave_session', { kernel: 'lab' }))['session_id']).toBe(lab['session_id'])
  })
})
