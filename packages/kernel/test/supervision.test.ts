import { spawn } from 'node:child_process'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { evaluate, openPool, submit } from './support/fixture.js'
import { ownTemporary } from './support/own-temporary.js'
import { groupMembers, until } from './support/processes.js'

describe('a kernel that dies', () => {
  it('is explained, and replaced with a new epoch', async () => {
    await using house = await openPool()
    const kernel = house.kernel()
    await evaluate(kernel, 'x = 1; import os')
    const running = evaluate(kernel, 'import time\nos.write(1, b"working\\n")\ntime.sleep(60)', {
      onOutput: () => process.kill(kernel.runtime!.pid, 'SIGKILL'),
    })
    const report = await running
    expect(report).toMatchObject({
      status: 'kernel_died',
      stdout: 'working\n',
      result: null,
      success: false,
      run_id: 2,
      epoch: 1,
    })
    expect(report.failure).toMatchObject({ code: 'kernel_died', retryable: false })
    expect(report.error).toMatch(/killed by SIGKILL, which this worker did not send: likely out of memory/)
    expect(kernel.state).toBe('dead')
    const next = await evaluate(kernel, '"x" in globals()')
    expect(next).toMatchObject({ result: 'False', epoch: 2, run_id: 3 })
    expect(next.notices).toEqual([expect.stringMatching(/^Variables lost: epoch 1/)])
    expect((await evaluate(kernel, '1')).notices).toEqual([])
  })

  it.each([
    ['os._exit', 'import os; os._exit(3)', /exited with code 3/],
    [
      'a crash',
      'import ctypes; ctypes.string_at(0)',
      /crashed in native code \(SIGSEGV\)[\s\S]*File "<cell-1>", line 1/,
    ],
    [
      'SIGTERM',
      'import os, signal; os.kill(os.getpid(), signal.SIGTERM); import time; time.sleep(60)',
      /ended by SIGTERM/,
    ],
  ])('by %s says so', async (_, code, expected) => {
    await using house = await openPool()
    expect(await evaluate(house.kernel(), code)).toMatchObject({
      status: 'kernel_died',
      error: expect.stringMatching(expected),
    })
  })

  it('again and again is refused for a while', async () => {
    await using house = await openPool()
    for (let death = 0; death < 5; death += 1) {
      expect((await evaluate(house.kernel(), 'import os; os._exit(1)')).status).toBe('kernel_died')
    }
    const report = await evaluate(house.kernel(), '1')
    expect(report).toMatchObject({ status: 'refused', failure: { code: 'kernel_start_failed', retryable: true } })
    expect(report.failure?.retryAfterMs).toBeGreaterThan(20_000)
  })

  it('takes the programs that it started with it', async () => {
    await using house = await openPool()
    const kernel = house.kernel()
    await evaluate(kernel, 'import subprocess\nchild = subprocess.Popen(["sleep", "300"])')
    const group = kernel.runtime!.pid
    expect(groupMembers(group).length).toBeGreaterThanOrEqual(3)
    await evaluate(kernel, 'import os; os._exit(0)')
    await until(() => groupMembers(group).length === 0)
  })
})

describe('memory', () => {
  it('names the limit that a cell ran into, and keeps the kernel', async () => {
    await using house = await openPool({ memoryMiB: 512 })
    const kernel = house.kernel()
    const report = await evaluate(kernel, 'kept = 1\nhog = bytearray(2 * 1024 ** 3)')
    expect(report).toMatchObject({ status: 'error' })
    expect(report.error).toMatch(/MemoryError: memory limit of this kernel: 512 MiB$/)
    expect((await evaluate(kernel, 'kept')).result).toBe('1')
  })

  it('an interrupt still works at the limit', async () => {
    await using house = await openPool({ memoryMiB: 512 })
    const code =
      'import time\nhogs = []\ntry:\n    while True: hogs.append(bytearray(1024 ** 2))\nexcept MemoryError:\n    pass\ntime.sleep(60)'
    const report = await evaluate(house.kernel(), code, { timeoutMs: 1_500 })
    expect(report.status).toBe('timeout')
  })
})

describe('the house', () => {
  it('ends the kernel idle for longest to make room, and says so', async () => {
    await using house = await openPool({ maxKernels: 2 })
    await evaluate(house.kernel('a'), 'x = 1')
    await evaluate(house.kernel('b'), 'x = 1')
    await evaluate(house.kernel('c'), 'x = 1')
    expect(house.kernel('a').state).toBe('dead')
    expect(house.kernel('b').state).toBe('idle')
    const back = await evaluate(house.kernel('a'), '"x" in globals()')
    expect(back.result).toBe('False')
    expect(back.notices).toEqual([expect.stringMatching(/idle for longest/)])
  })

  it('refuses one more when all are busy', async () => {
    await using house = await openPool({ maxKernels: 1 })
    const busy = await submit(house.kernel('a'), 'import time; time.sleep(60)')
    await until(() => busy.status === 'running')
    expect(await evaluate(house.kernel('b'), '1')).toMatchObject({
      status: 'refused',
      failure: { code: 'overloaded', retryable: true },
    })
    await house.kernel('a').interrupt(busy, false)
    expect((await evaluate(house.kernel('b'), '1')).result).toBe('1')
  })

  it('never has more processes than its limit, also when many start at once', async () => {
    await using house = await openPool({ maxKernels: 2 })
    const names = ['a', 'b', 'c', 'd', 'e']
    const reports = await Promise.all(names.map((name) => evaluate(house.kernel(name), 'import time; time.sleep(0.3)')))
    expect(reports.filter(({ status }) => status === 'ok')).toHaveLength(2)
    expect(reports.filter(({ failure }) => failure?.code === 'overloaded')).toHaveLength(3)
    expect(names.filter((name) => house.kernel(name).runtime)).toHaveLength(2)
  })

  it('queues in order up to the limit', async () => {
    await using house = await openPool({ maxQueuedRuns: 3 })
    const kernel = house.kernel()
    const runs = ['order = [0]; import time; time.sleep(0.1)', 'order.append(1)', 'order.append(2)', 'order'].map(
      (code) => evaluate(kernel, code),
    )
    await expect(evaluate(kernel, '1')).rejects.toMatchObject({
      code: 'queue_full',
      retryable: true,
      retryAfterMs: expect.any(Number),
    })
    expect((await Promise.all(runs)).map(({ result }) => result)).toEqual([null, null, null, '[0, 1, 2]'])
  })

  it('starts one process for calls that come together', async () => {
    await using house = await openPool()
    const reports = await Promise.all(
      ['import os; os.getpid()', 'os.getpid()'].map((code) => evaluate(house.kernel(), code)),
    )
    expect(reports[0]!.result).toBe(reports[1]!.result)
    expect(reports.map(({ run_id, epoch }) => [run_id, epoch])).toEqual([
      [1, 1],
      [2, 1],
    ])
  })

  it('keeps the kernel of an agent that has gone, with what it runs, for the owner’s next agent', async () => {
    await using house = await openPool()
    const kernel = house.kernel('leaving')
    const running = await submit(kernel, 'x = 1; import time; time.sleep(0.2)', { session: 'leaving' })
    await until(() => running.status === 'running')
    const waiting = await submit(kernel, 'x = 2', { session: 'leaving' })
    const other = house.kernel('staying')
    await house.pool.closeSession('leaving')
    expect(await waiting.ended).toMatchObject({ status: 'refused', failure: { code: 'cancelled' } })
    expect((await running.ended).status).toBe('ok')
    expect(house.kernel('staying')).toBe(other)
    expect(house.pool.kernelOf({ owner: 'agent:other', session: 'new' })).not.toBe(kernel)
    expect(house.kernel('next')).toBe(kernel)
    expect((await evaluate(house.kernel('next'), 'x')).result).toBe('1')
    expect(house.kernel('one more')).not.toBe(kernel)
  })

  it('ends a kernel that is only just starting', async () => {
    const house = await openPool()
    const kernel = house.kernel()
    const running = evaluate(kernel, '1')
    await house[Symbol.asyncDispose]()
    expect(['refused', 'kernel_died']).toContain((await running).status)
    expect(kernel.runtime).toBeUndefined()
  })

  it('does not run what a reset found starting', async () => {
    await using house = await openPool()
    const run = await submit(house.kernel(), 'open("ran", "w")')
    await house.kernel().reset({ level: 'process', replay: 'none', clearSession: false })
    expect(await run.ended).toMatchObject({ status: 'refused', failure: { code: 'cancelled' } })
    expect((await evaluate(house.kernel(), 'import os; os.listdir()')).result).toBe('[]')
  })

  it('ends all children within a second, stubborn ones too', async () => {
    const house = await openPool()
    const kernels = ['a', 'b', 'c'].map((name) => house.kernel(name))
    await Promise.all(
      kernels.map((kernel) => evaluate(kernel, 'import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)')),
    )
    const groups = kernels.map(({ runtime }) => runtime!.pid)
    const startedAt = performance.now()
    await house[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    await until(() => groups.every((group) => groupMembers(group).length === 0))
  })

  it('leaves no files behind but the working directories', async () => {
    await using temporary = await ownTemporary()
    const house = await openPool()
    await evaluate(house.kernel(), '1')
    expect(await readdir(temporary.path)).toEqual([basename(house.directory)])
    await house[Symbol.asyncDispose]()
    expect(await readdir(temporary.path)).toEqual([])
  })
})

describe('a worker that is killed', () => {
  it.each([
    ['idle', 'print("in")'],
    ['holding the interpreter', 'print("in")\nimport itertools; sum(itertools.repeat(0))'],
  ])('leaves no Python and no program of it behind (%s)', async (_, code) => {
    const script = fileURLToPath(new URL('./support/doomed-worker.js', import.meta.url))
    const begin = 'import subprocess; child = subprocess.Popen(["sleep", "300"])\n'
    const worker = spawn(process.execPath, [script, begin + code], { stdio: ['pipe', 'pipe', 'inherit'] })
    const group = await new Promise<number>((resolve) =>
      worker.stdout.once('data', (line: Buffer) => resolve(Number(line.toString()))),
    )
    expect(groupMembers(group).length).toBeGreaterThanOrEqual(3)
    worker.kill('SIGKILL')
    await until(() => groupMembers(group).length === 0)
  })
})

describe('a Python that does not start', () => {
  it('is explained when it is missing', async () => {
    await using house = await openPool({ python: '/nowhere/python3' })
    const report = await evaluate(house.kernel(), '1')
    expect(report).toMatchObject({ status: 'refused', failure: { code: 'kernel_start_failed', retryable: false } })
    expect(report.error).toMatch(/could not be started as "\/nowhere\/python3".*Install CPython 3\.9 or newer/)
    expect((await evaluate(house.kernel(), '1')).failure?.code).toBe('kernel_start_failed')
  })

  it('is explained when it is too old or broken', async () => {
    await using house = await openPool()
    const bin = join(house.directory, 'bin')
    await mkdir(bin)
    await writeFile(
      join(bin, 'python3'),
      '#!/bin/sh\necho "needs CPython 3.9 or newer, this is cpython 3.6.8" >&2\nexit 97\n',
    )
    await chmod(join(bin, 'python3'), 0o755)
    await using old = await openPool({ python: join(bin, 'python3') })
    const report = await evaluate(old.kernel(), '1')
    expect(report.failure?.code).toBe('kernel_start_failed')
    expect(report.error).toMatch(
      /ended while starting \(exit code 97\): needs CPython 3\.9 or newer, this is cpython 3\.6\.8\. Install/,
    )
  })
})

describe('the child’s surroundings', () => {
  it('hold no secrets of the worker', async () => {
    process.env['CALLBOARD_SECRET'] = 'hub key'
    process.env['DATABASE_URL'] = 'postgres://user:password@host/db'
    try {
      await using house = await openPool()
      const { result } = await evaluate(house.kernel(), 'import os\nsorted(os.environ)')
      expect(result).toContain("'PATH'")
      expect(result).toContain("'MPLBACKEND'")
      expect(result).not.toMatch(/CALLBOARD|DATABASE/)
    } finally {
      delete process.env['CALLBOARD_SECRET']
      delete process.env['DATABASE_URL']
    }
  })

  it('give programs no descriptor of ours', async () => {
    await using house = await openPool()
    const { stdout } = await evaluate(
      house.kernel(),
      "import subprocess\nsubprocess.run(\"ls /proc/self/fd | tr '\\n' ' '\", shell=True, close_fds=False)\nNone",
    )
    expect(
      stdout
        .trim()
        .split(' ')
        .map(Number)
        .every((descriptor) => descriptor < 10),
    ).toBe(true)
  })

  it('set the limits before any code', async () => {
    await using house = await openPool({ memoryMiB: 1024, openFiles: 256 })
    const code = 'import resource as r\n[r.getrlimit(n) for n in (r.RLIMIT_AS, r.RLIMIT_NOFILE, r.RLIMIT_CORE)]'
    expect((await evaluate(house.kernel(), code)).result).toBe(`[(${1024 ** 3}, ${1024 ** 3}), (256, 256), (0, 0)]`)
  })

  it('are a working directory of the session', async () => {
    await using house = await openPool()
    const { result } = await evaluate(house.kernel(), 'import os; os.getcwd()')
    expect(result).toContain(join(house.directory, 'kernel', 'workspaces'))
  })
})
