import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evaluate, openPool, type PoolFixture, submit } from './support/fixture.js'
import { until } from './support/processes.js'

let house: PoolFixture
beforeAll(async () => {
  house = await openPool()
})
afterAll(() => house[Symbol.asyncDispose]())

const timeoutMs = 200

describe('an interrupt within a second', () => {
  it.each([
    ['a sleep', 'import time\ntime.sleep(60)'],
    ['a lock', 'import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()'],
    ['an awaited sleep', 'import asyncio\nawait asyncio.sleep(60)'],
    ['a sleep inside a coroutine', 'import asyncio, time\nasync def f(): time.sleep(60)\nawait f()'],
    ['asyncio.run', 'import asyncio\nasyncio.run(asyncio.sleep(60))'],
    ['a busy loop', 'while True: pass'],
    ['a program', 'import subprocess\nsubprocess.run(["sleep", "60"])'],
    ['a queue', 'import queue\nqueue.Queue().get()'],
  ])('ends %s and keeps the variables', async (_, code) => {
    const kernel = house.kernel()
    await evaluate(kernel, 'kept = 7')
    const startedAt = performance.now()
    const report = await evaluate(kernel, code, { timeoutMs })
    expect(performance.now() - startedAt).toBeLessThan(timeoutMs + 1_000)
    expect(report).toMatchObject({ status: 'timeout', success: false, result: null, failure: null })
    expect(report.error).toMatch(
      /KeyboardInterrupt\nTimeout: run \d+ was interrupted after 0\.2 s; the kernel lives and its variables are kept\.$/,
    )
    expect(await evaluate(kernel, 'kept')).toMatchObject({ result: '7', epoch: report.epoch, notices: [] })
  })

  it('reaches os.system by the process group', async () => {
    const kernel = house.kernel()
    const report = await evaluate(kernel, 'import os\nos.system("sleep 60")\nimport time\ntime.sleep(60)', {
      timeoutMs,
    })
    expect(report.status).toBe('timeout')
    expect(report.duration_s).toBeLessThan(4)
    expect((await evaluate(kernel, 'kept')).result).toBe('7')
  })

  it('keeps the output so far', async () => {
    const report = await evaluate(house.kernel(), 'import time\nprint("so far")\ntime.sleep(60)', { timeoutMs })
    expect(report).toMatchObject({ stdout: 'so far\n', status: 'timeout' })
  })
})

describe('an interrupt is for one run only', () => {
  it('is reported as ok when the code catches it and ends well', async () => {
    const report = await evaluate(
      house.kernel(),
      'import time\ntry:\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    pass\n"cleaned"',
      { timeoutMs },
    )
    expect(report).toMatchObject({ status: 'ok', result: "'cleaned'" })
  })

  it('at the end of a run spares the next', async () => {
    const kernel = house.kernel()
    for (let round = 0; round < 40; round += 1) {
      const first = await submit(kernel, 'import time\ntime.sleep(0.003)')
      setTimeout(() => void kernel.interrupt(first, false), 3 + (round % 5))
      const second = evaluate(kernel, 'sum(range(20_000))')
      expect(['ok', 'interrupted', 'refused']).toContain((await first.ended).status)
      expect(await second).toMatchObject({ result: '199990000', status: 'ok' })
    }
  })

  it('a signal that nobody announced does nothing', async () => {
    const kernel = house.kernel()
    expect(await evaluate(kernel, 'import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"alive"')).toMatchObject({
      result: "'alive'",
    })
  })

  it('survives a cell that replaces the handler', async () => {
    const kernel = house.kernel()
    await evaluate(kernel, 'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)')
    expect((await evaluate(kernel, 'import time\ntime.sleep(60)', { timeoutMs })).status).toBe('timeout')
  })

  it('while the process of the first run starts, keeps that run from starting', async () => {
    const kernel = house.kernel('starting')
    const run = await submit(kernel, 'never = 1')
    expect(await kernel.interrupt(run, false)).toMatchObject({ outcome: 'dequeued' })
    expect(await run.ended).toMatchObject({ status: 'refused', run_id: null, failure: { code: 'cancelled' } })
    expect((await evaluate(kernel, '"never" in globals()')).result).toBe('False')
  })

  it('takes a run that waits out of the queue, and never starts it', async () => {
    const kernel = house.kernel()
    const running = await submit(kernel, 'import time\ntime.sleep(60)')
    const waiting = await submit(kernel, 'never = 1')
    expect(waiting.report()).toMatchObject({
      status: 'queued',
      notices: [expect.stringMatching(/number 1 in the queue/)],
    })
    expect(await kernel.interrupt(waiting, false)).toMatchObject({ outcome: 'dequeued' })
    expect(await waiting.ended).toMatchObject({ status: 'refused', run_id: null, failure: { code: 'cancelled' } })
    await until(() => running.status === 'running')
    expect(await kernel.interrupt(running, false)).toEqual({ outcome: 'interrupted', statePreserved: true })
    expect(await kernel.interrupt(running, false)).toEqual({ outcome: 'not_running', statePreserved: true })
    expect(await running.ended).toMatchObject({ status: 'interrupted', failure: null })
    expect((await evaluate(kernel, '"never" in globals()')).result).toBe('False')
  })
})

/** What is written, is written inside of the one call of C that holds the interpreter: no instruction of Python comes after it. */
const holding = `import collections, itertools, os
told = map(os.write, [1], [b"in\\n"])
collections.deque(itertools.chain(told, itertools.repeat(0)), maxlen=0)`

// At the same time, as each waits for seconds.
describe.concurrent('what cannot be interrupted', () => {
  it('is killed, and nobody says that variables were kept', async () => {
    const kernel = house.kernel('stuck')
    await evaluate(kernel, 'gone = 1')
    const report = await evaluate(kernel, holding, { timeoutMs })
    expect(report).toMatchObject({
      status: 'kernel_died',
      success: false,
      stdout: 'in\n',
      failure: { code: 'kernel_died', retryable: false },
    })
    expect(report.error).toMatch(/It ran longer than 0\.2 s\. It was killed because it did not react to the interrupt/)
    // faulthandler's trace, written while the interpreter was held.
    expect(report.error).toMatch(/File "<cell-\d+>", line 3/)
    expect(report.error).toMatch(/variables of this kernel are lost/)
    const next = await evaluate(kernel, '"gone" in globals()')
    expect(next.result).toBe('False')
    expect(next.epoch).toBeGreaterThan(report.epoch!)
    expect(next.notices).toEqual([
      expect.stringMatching(/^Variables lost: epoch \d+ of this kernel has ended\. It was killed/),
    ])
  })

  it('still runs, as weave_interrupt says, and is killed with force', async () => {
    const kernel = house.kernel('held')
    const run = await submit(kernel, holding)
    await until(() => run.output.stdout.totalBytes > 0)
    expect(await kernel.interrupt(run, false)).toEqual({ outcome: 'still_running', statePreserved: false })
    expect(run.status).toBe('running')
    expect(await kernel.interrupt(run, true)).toEqual({ outcome: 'killed', statePreserved: false })
    expect(await run.ended).toMatchObject({ status: 'kernel_died', stdout: 'in\n' })
  })

  it('a coroutine that swallows its cancellation gets the signal', async () => {
    const code =
      'import asyncio\nwhile True:\n    try:\n        await asyncio.sleep(60)\n    except asyncio.CancelledError:\n        pass'
    const report = await evaluate(house.kernel('deaf'), code, { timeoutMs })
    expect(report.status).toBe('timeout')
    expect(report.duration_s).toBeLessThan(4.5)
  })
})
