import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectForTest, type TestCallOptions, type TestLink } from '@callboard/worker/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createKernelWorker, type KernelWorker } from '../src/index.js'
import type { RunReport } from '../src/kernel/run-report.js'
import type { PeekReply } from '../src/tools/peek-tool.js'
import { until } from './support/processes.js'

let directory: string
let kernel: KernelWorker
let link: TestLink

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-test-'))
  await open()
})
afterEach(async () => {
  await close()
  await rm(directory, { recursive: true, force: true })
})

async function open(): Promise<void> {
  kernel = await createKernelWorker({ dataDirectory: directory })
  link = await connectForTest(kernel.worker)
}

async function close(): Promise<void> {
  await link.close()
  await kernel.close()
}

async function call<Reply>(name: string, args: object, options?: TestCallOptions): Promise<Reply> {
  const { structuredContent, content } = await link.callTool<Reply>(name, { ...args }, options)
  return structuredContent ?? (JSON.parse((content[0] as { text: string }).text) as Reply)
}

const run = (code: string, more: object = {}) => call<RunReport>('weave_eval', { code, ...more })
const look = (args: object = {}, options?: TestCallOptions) => call<PeekReply>('weave_peek', args, options)

const long = 'print("first"); [print("x" * 99) for _ in range(1000)]; print("last")'

describe('weave_peek', () => {
  it('reads all of what a reply left out: at once, after a reset and after a restart of the worker', async () => {
    const report = await run(long)
    expect(report.truncated).toMatchObject({ stdout: 100_011 - 32 * 1024 })
    const all = async () => {
      let text = ''
      for (let offset = 0; ; ) {
        const reply = await look({ run_id: report.run_id, offset, limit: 65_536 })
        text += reply.text
        if (reply.next_offset === offset) return text
        offset = reply.next_offset
      }
    }
    const whole = `first\n${`${'x'.repeat(99)}\n`.repeat(1000)}last\n`
    expect(await all()).toBe(whole)
    await call('weave_reset', {})
    expect(await all()).toBe(whole)
    await close()
    await open()
    expect(await all()).toBe(whole)
    expect(await look({ run_id: report.run_id, pattern: 'last' })).toMatchObject({
      status: 'ok',
      matches: [{ offset: 100_006, line: 'last' }],
      loss: null,
    })
  })

  it('reads a run that goes on, and that belongs to its owner', async () => {
    const { status, run_id } = await run('import time\nprint("begun")\nprint("more", end="")\ntime.sleep(60)', {
      foreground_s: 0,
    })
    expect(status).toMatch(/queued|running/)
    await until(async () => (await look()).text === 'begun\nmore')
    expect(await look()).toMatchObject({ run_id, status: 'running', next_offset: 6, total_bytes: 10 })
    expect(await look({ stream: 'error' })).toMatchObject({ text: '' })
    expect(await look({ run_id }, { principal: 'agent:other' })).toMatchObject({ code: 'not_found' })
    await call('weave_interrupt', {})
    await until(async () => (await look()).status === 'interrupted')
    expect((await look({ stream: 'error' })).text).toContain('KeyboardInterrupt')
    expect(await look()).toMatchObject({ next_offset: 10 })
  })

  it('reads results, and says what there is to do when there is no run', async () => {
    expect(await look()).toMatchObject({ code: 'not_found', message: expect.stringContaining('weave_history') })
    await run('"é" * 3')
    expect(await look({ stream: 'result', offset: -3 })).toMatchObject({ text: "é'" })
  })
})

describe('late output', () => {
  it('of a thread is in its run, not in the next, and still there after a restart', async () => {
    await run(
      'import threading\ngo = threading.Event()\nthread = threading.Thread(target=lambda: (go.wait(), print("late"))); thread.start()\nprint("first")',
    )
    expect((await run('go.set(); thread.join(); print("second")')).stdout).toBe('second\n')
    await until(async () => (await look({ run_id: 1 })).text === 'first\nlate\n')
    await close()
    await open()
    expect(await look({ run_id: 1 })).toMatchObject({ text: 'first\nlate\n', total_bytes: 11 })
    expect(await call('weave_wait', { run_id: 1 })).toMatchObject({ stdout: 'first\nlate\n', truncated: null })
    expect(await look({ run_id: 2 })).toMatchObject({ text: 'second\n' })
  })

  it('lands in its run though so many have followed that the kernel no longer holds it', async () => {
    await run(
      'import threading\ngo = threading.Event()\nthread = threading.Thread(target=lambda: (go.wait(), print("late"))); thread.start()\nprint("first")',
    )
    for (let i = 0; i < 25; i += 1) await run('print("x" * 40_000); import sys; print("x" * 40_000, file=sys.stderr)')
    await run('go.set(); thread.join()')
    await close()
    await open()
    expect(await look({ run_id: 1 })).toMatchObject({ text: 'first\nlate\n' })
  })

  it('is said to be incomplete in the reply that could not keep it all', async () => {
    const { notices } = await run('import sys\nfor _ in range(70): sys.stdout.write("x" * (1 << 20))')
    expect(notices.join()).toMatch(
      /Of stdout, \d+ bytes after the first 67108864 are not kept: a run keeps at most 64 MiB/,
    )
  })
})

it('nothing lies in the data directory that a reply could hold', async () => {
  await run('print("short")')
  expect(await readdir(join(directory, 'kernel', 'spool'))).toEqual([])
})
