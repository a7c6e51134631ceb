import { randomInt } from 'node:crypto'
import { getPriority } from 'node:os'
import { describe, expect, it } from 'vitest'
import { parseKernelConfig } from '../src/config.js'
import { ControlGroups } from '../src/isolation/control-group.js'
import { memoryOf } from '../src/isolation/memory.js'
import { judge } from '../src/isolation/process-watch.js'
import { explainDeath } from '../src/runtime/death.js'
import { containPython } from '../src/runtime/python/contain-python.js'
import { PythonRuntime } from '../src/runtime/python/python-runtime.js'
import { evaluate, openPool, submit } from './support/fixture.js'
import { deferred, hasProc, until } from './support/processes.js'
import { noSandbox, processesWith } from './support/sandbox.js'

const mebibyte = 1024 * 1024
const limits = { processes: 10, memoryBytes: 100 * mebibyte }

describe('the judgement over what a kernel and its programs use', () => {
  it.each([
    ['little', { processes: 8, memoryBytes: 80 * mebibyte }, []],
    ['nearly all places', { processes: 9, memoryBytes: 0 }, [['near', '9 of at most 10 processes']]],
    ['nearly all memory', { processes: 2, memoryBytes: 81 * mebibyte }, [['near', '81 of at most 100 MiB of memory']]],
    [
      'all of both',
      { processes: 10, memoryBytes: 100 * mebibyte },
      [
        ['near', expect.anything()],
        ['near', expect.anything()],
      ],
    ],
    ['too many', { processes: 11, memoryBytes: 81 * mebibyte }, [['over', '11 of at most 10 processes']]],
    ['too much', { processes: 9, memoryBytes: 101 * mebibyte }, [['over', '101 of at most 100 MiB of memory']]],
  ])('%s', (_, use, expected) => {
    expect(judge(use, limits).map(({ kind, detail }) => [kind, detail])).toEqual(expected)
  })
})

/** Never more than `most` processes, so that a limit that fails does no harm. */
function bombs(most: number, seconds: string): readonly (readonly [string, string])[] {
  return [
    [
      'forks',
      `import os, time\nfor _ in range(${most}):\n    if os.fork() == 0: os.execvp("sleep", ["sleep", "${seconds}"])\ntime.sleep(60)`,
    ],
    [
      'forks that leave the group',
      `import os, time\nfor _ in range(${most}):\n    if os.fork() == 0:\n        os.setsid()\n        os.execvp("sleep", ["sleep", "${seconds}"])\ntime.sleep(60)`,
    ],
    [
      // Fewer than the tasks that a control group allows: refused forks would end the shell before the watch looks.
      'a shell that doubles itself',
      `import subprocess\nsubprocess.run(["sh", "-c", 'bomb() { if [ $1 -gt 0 ]; then bomb $(($1 - 1)) & bomb $(($1 - 1)) & fi; sleep ${seconds}; }; bomb 4; wait'])`,
    ],
  ]
}

describe.skipIf(!hasProc).each([
  ['without a sandbox', 'off', undefined],
  [`in a sandbox ${noSandbox ?? ''}`, 'required', noSandbox],
])('too many processes, %s', (_, sandbox, missing) => {
  const seconds = `${randomInt(10_000, 99_999)}.25`

  it.skipIf(missing).each(bombs(60, seconds))('are killed together, and it is said why: %s', async (_name, code) => {
    await using house = await openPool({ sandbox, maxProcesses: 20 })
    const report = await evaluate(house.kernel(), code)
    expect(report).toMatchObject({ status: 'kernel_died', failure: { code: 'kernel_died' } })
    expect(report.error).toMatch(/too many of them: \d+ of at most 20 processes/)
    await until(() => processesWith(`sleep ${seconds}`).length === 0)
    // The next one is not harmed.
    expect((await evaluate(house.kernel(), '1 + 1')).result).toBe('2')
  })

  it.skipIf(missing)('of what a cell left running count too, and a warning comes before', async () => {
    await using house = await openPool({ sandbox, maxProcesses: 20 })
    const kernel = house.kernel()
    const start = (count: number) =>
      `import subprocess, time\nfor _ in range(${count}): subprocess.Popen(["sleep", "${seconds}"])\ntime.sleep(1)`
    await evaluate(kernel, start(16))
    const warned = await evaluate(kernel, '1')
    expect(warned.notices).toEqual([expect.stringMatching(/use 18 of at most 20 processes.*killed together/)])
    expect((await evaluate(kernel, '1')).notices).toEqual([])
    await evaluate(kernel, 'for _ in range(10): subprocess.Popen(["sleep", "300"])')
    await until(() => kernel.state === 'dead')
    expect((await evaluate(kernel, '1')).notices).toEqual([expect.stringMatching(/^Variables lost.*too many of them/)])
  })
})

describe('a machine under load', () => {
  it('still answers: other kernels run while one uses all processors', async () => {
    await using house = await openPool()
    const spinning = deferred()
    const code =
      'import os\nfor _ in range(8):\n    if os.fork() == 0:\n        while True: pass\nprint("on")\nwhile True: pass'
    const kernel = house.kernel('busy')
    const busy = await submit(kernel, code, { onOutput: spinning.resolve })
    await spinning.promise
    expect((await evaluate(house.kernel('other'), '1 + 1')).result).toBe('2')
    await kernel.interrupt(busy, false)
    expect((await busy.ended).status).toBe('interrupted')
  })

  it('computes for kernels after its other work', async () => {
    await using house = await openPool({ niceness: 7 })
    expect((await evaluate(house.kernel(), 'import os; os.nice(0)')).result).toBe(String(7 + getPriority()))
  })
})

describe.skipIf(!hasProc)('memory of a kernel and its programs together', () => {
  const hog = 'block = bytearray(70 * 1024 * 1024); import time; time.sleep(60)'
  const hogs = (count: number) =>
    `import subprocess, sys\nchildren = [subprocess.Popen([sys.executable, "-c", ${JSON.stringify(hog)}]) for _ in range(${count})]\nprint("on")\n[child.wait() for child in children]`

  it('is told', async () => {
    await using house = await openPool()
    const kernel = house.kernel()
    await evaluate(kernel, '1')
    const before = await memoryOf(kernel.runtime!.pid)
    const running = await submit(kernel, hogs(2))
    await until(async () => (await memoryOf(kernel.runtime!.pid))! > before! + 140 * mebibyte)
    await kernel.interrupt(running, false)
    await running.ended
  })

  it('counts pages once that forked processes share', async () => {
    await using house = await openPool()
    const kernel = house.kernel()
    const code =
      'import os, time\nblock = bytearray(b"x") * (100 * 1024 * 1024)\nfor _ in range(4):\n    if os.fork() == 0: time.sleep(60)'
    await evaluate(kernel, code)
    expect(await memoryOf(kernel.runtime!.pid)).toBeLessThan(250 * mebibyte)
  })

  it('beyond its limit ends them all, named as memory', async () => {
    const config = parseKernelConfig({ memoryMiB: 512 })
    const found = {
      ...(await containPython({ ...config, sandbox: { ...config.sandbox, mode: 'off' } }, []).find()),
      groups: ControlGroups.none,
    }
    const warnings: string[] = []
    const runtime = await PythonRuntime.start({
      python: config.python,
      workingDirectory: '/',
      limits: config.limits,
      containment: { find: () => Promise.resolve(found) },
      onOutput: () => {},
      onDisplay: () => {},
      onRequest: () => {},
      onNotice: () => {},
      onWarning: (sentence) => warnings.push(sentence),
    })
    void runtime.execute({ run: 1, code: hogs(12), resultMode: 'last' })
    const death = await runtime.died
    expect(death.cause).toBe('memory_limit')
    expect(explainDeath(death)).toMatch(/together went beyond their memory limit: \d+ of at most 640 MiB of memory/)
  })
})
