import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '@callboard/worker'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { RunOutput } from '../src/output/run-output.js'
import { Spool } from '../src/output/spool.js'
import { openStoredOutput } from '../src/output/stored-output.js'
import { type PeekedRun, peek, peekInput, peekOutput } from '../src/tools/peek-tool.js'
import { until } from './support/processes.js'
import { openRuntime } from './support/runtime-bench.js'

let directory: string
let spool: Spool
let run: PeekedRun

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callboard-peek-test-'))
  spool = await Spool.open({ directory, bytesMax: 2 ** 30 })
  run = { runId: 7, status: 'running', output: new RunOutput(() => {}), result: null, error: null }
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const look = async (input: z.input<typeof peekInput> = {}, at = run) =>
  peekOutput.parse(await peek(peekInput.parse(input), at))

describe('weave_peek', () => {
  it('reads the newest run from its beginning when nothing is said', async () => {
    const output = new RunOutput(() => {})
    output.push('stdout', Buffer.from('one\ntwo'))
    run = { ...run, output }
    expect(await look()).toEqual({
      run_id: 7,
      status: 'running',
      stream: 'stdout',
      text: 'one\ntwo',
      offset: 0,
      next_offset: 4,
      total_bytes: 7,
      matches: null,
      loss: null,
    })
    expect(await look({ run_id: null, stream: null, offset: null, limit: null, pattern: null, kernel: null })).toEqual(
      await look(),
    )
  })

  it('reads results and errors', async () => {
    run = { ...run, status: 'error', error: 'Traceback\nZeroDivisionError', result: '"é"' }
    expect(await look({ stream: 'error', offset: 10 })).toMatchObject({ text: 'ZeroDivisionError', total_bytes: 27 })
    expect(await look({ stream: 'result' })).toMatchObject({ text: '"é"', next_offset: 4 })
    expect(await look({ stream: 'stderr' })).toMatchObject({ text: '', total_bytes: 0 })
  })

  it('returns 16 KiB unless told, 64 KiB at most, and goes on at next_offset', async () => {
    const output = new RunOutput(() => {}, spool.run('owner', 7))
    output.push('stdout', Buffer.alloc(99_999, 'é\n'))
    run = { ...run, output }
    const first = await look()
    expect(first.next_offset).toBe(16 * 1024 - 1)
    expect((await look({ limit: 65_536, offset: first.next_offset })).next_offset).toBe(16 * 1024 - 1 + 65_535)
    expect(await look({ offset: 1_000_000 })).toMatchObject({ text: '', next_offset: 99_999 })
    expect(await look({ offset: 1, limit: 16 })).toMatchObject({ offset: 0, next_offset: 15 })
    expect(await look({ offset: -2 })).toMatchObject({ text: 'é\n', offset: 99_996, total_bytes: 99_999 })
  })

  it('searches for plain text only', async () => {
    run = { ...run, error: 'a.c\nabc\na.c again\n(a+)+$' }
    expect(await look({ stream: 'error', pattern: 'a.c' })).toMatchObject({
      text: 'a.c\na.c again',
      matches: [
        { offset: 0, line: 'a.c' },
        { offset: 8, line: 'a.c again' },
      ],
    })
    expect(await look({ stream: 'error', pattern: '(a+)+$' })).toMatchObject({ matches: [{ offset: 18 }] })
    expect(await look({ stream: 'error', pattern: 'nothing' })).toMatchObject({ matches: [], text: '' })
  })

  it.each([
    { limit: 65_537 },
    { limit: 15 },
    { limit: 1.5 },
    { offset: 0.5 },
    { run_id: 0 },
    { pattern: '' },
    { pattern: 'x'.repeat(1_001) },
    { stream: 'stdin' },
  ])('refuses %j', (input) => {
    expect(peekInput.safeParse(input).success).toBe(false)
  })

  it('says that a pattern lies within one line', async () => {
    const error = await look({ pattern: 'a\nb' }).catch((failure: unknown) => failure)
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('line break') })
  })

  it('works while a cell runs, after it, after its process, and after a restart of the worker', async () => {
    const kernel = await openRuntime({ spool: (number) => spool.run('owner', number) })
    const ended = kernel.run(
      'import sys\nprint("needle\\n" + "x" * 50_000)\nsys.stdin.read()\nprint("y")\nimport time\ntime.sleep(60)',
    )
    const live = { ...run, output: kernel.outputs.get(1)! }
    await until(async () => (await look({ offset: -2 }, live)).text === 'y\n')
    const expected = { matches: [{ offset: 0, line: 'needle' }], total_bytes: 50_010 }
    expect(await look({ pattern: 'needle' }, live)).toMatchObject(expected)
    kernel.runtime.interrupt(1)
    await ended
    expect(await look({ pattern: 'needle' }, live)).toMatchObject(expected)
    await kernel[Symbol.asyncDispose]()
    const restarted = await Spool.open({ directory, bytesMax: 2 ** 30 })
    const row = { stdout: 'not the whole', stderr: '', stdoutBytes: 50_010, stderrBytes: 0 }
    const stored = await openStoredOutput(row, restarted.run('owner', 1))
    expect(await look({ pattern: 'needle' }, { ...run, output: stored })).toMatchObject(expected)
  })
})
