import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { evaluate, openPool, type PoolFixture, submit } from './support/fixture.js'
import { hasProc, until } from './support/processes.js'
import { noSandbox } from './support/sandbox.js'

/** What one agent's code may do to itself only: each cell ends as it should, and the agent beside it notices nothing. */

interface Ending {
  readonly status: string | RegExp
  readonly error?: RegExp
  readonly stdout?: RegExp
}

interface Harm {
  readonly code: string
  readonly timeoutMs?: number
  readonly ends: Ending
}

const block = 'import sys; block = bytearray(90 * 1024 * 1024); print("held", flush=True); sys.stdin.read()'

const harms: { readonly [name: string]: Harm } = {
  'a loop for ever': {
    code: 'while True: pass',
    timeoutMs: 300,
    ends: { status: 'timeout', error: /KeyboardInterrupt\nTimeout: / },
  },
  'a call of C that blocks': {
    code: 'import ctypes\nctypes.CDLL(None).pause()',
    timeoutMs: 300,
    ends: { status: 'timeout' },
  },
  'a fork bomb': {
    code: 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass',
    ends: { status: 'kernel_died', error: /too many of them: \d+ of at most 20 processes/ },
  },
  'a memory bomb': {
    code: 'hog = []\nwhile True: hog.append(bytearray(16 * 1024 ** 2))',
    ends: { status: 'error', error: /MemoryError: memory limit of this kernel: 512 MiB$/ },
  },
  'a memory bomb of many programs': {
    code: `import subprocess, sys\nchildren = [subprocess.Popen([sys.executable, "-c", ${JSON.stringify(block)}], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) for _ in range(12)]\nwhile all(child.poll() is None for child in children): pass\nfor child in children: child.kill(); child.wait()\nraise MemoryError("a program was killed")`,
    // The watch ends them all, or the system kills one of them before it looks.
    ends: { status: /^(kernel_died|error)$/, error: /memory/i },
  },
  'os._exit': {
    code: 'import os\nos._exit(0)',
    ends: { status: 'kernel_died', error: /exited with code 0/ },
  },
  'closed streams': {
    code: 'import os, sys\nprint("before")\nsys.stdout.close(); os.close(1); os.close(2)\n7',
    ends: { status: 'ok', stdout: /^before\n$/ },
  },
  'a thread that keeps printing': {
    code: 'import threading, time\ndef noise():\n    while True: print("noise"); time.sleep(0.001)\nthreading.Thread(target=noise, daemon=True).start()',
    ends: { status: 'ok' },
  },
}

describe.skipIf(!hasProc).each([
  ['without a sandbox', 'off', undefined],
  [`in a sandbox ${noSandbox ?? ''}`, 'required', noSandbox],
])('%s', (_, sandbox, missing) => {
  let house: PoolFixture
  beforeAll(async () => {
    if (missing === undefined) house = await openPool({ sandbox, maxProcesses: 20, memoryMiB: 512 })
  })
  afterAll(() => house?.[Symbol.asyncDispose]())

  it.skipIf(missing).each(Object.entries(harms))('%s', async (name, { code, timeoutMs, ends }) => {
    const [culprit, bystander] = [house.kernel(`${name}, culprit`), house.kernel(`${name}, bystander`)]
    await evaluate(bystander, 'mine = "bystander"')
    await evaluate(culprit, 'mine = "culprit"')

    const run = await submit(culprit, code, timeoutMs === undefined ? {} : { timeoutMs })
    await until(() => run.status !== 'queued')
    expect(await evaluate(bystander, 'print("on"); mine')).toMatchObject({ result: "'bystander'", stdout: 'on\n' })
    const report = await run.ended
    expect(report.status, report.error ?? '').toMatch(ends.status)
    expect(report.error ?? '').toMatch(ends.error ?? /^/)
    expect(report.stdout).toMatch(ends.stdout ?? /^/)

    // Neither the next run there nor the other agent has anything of it.
    const lives = report.status !== 'kernel_died'
    const next = await evaluate(culprit, 'print("next"); globals().get("mine")')
    expect(next).toMatchObject({ status: 'ok', result: lives ? "'culprit'" : null, stdout: 'next\n', stderr: '' })
    expect(next.epoch).toBe(report.epoch! + (lives ? 0 : 1))
    expect(await evaluate(bystander, 'mine')).toMatchObject({ result: "'bystander'", stdout: '', notices: [] })
    await Promise.all([culprit.retire('idle'), bystander.retire('idle')])
  })
})
