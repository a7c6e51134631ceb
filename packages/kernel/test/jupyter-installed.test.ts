import { describe, expect, it } from 'vitest'
import { jupyterInterruptableMs } from '../src/limits.js'
import { findKernelspecs } from '../src/runtime/jupyter/kernelspecs.js'
import { containmentFor, type JupyterFixture, missing, openJupyter } from './support/jupyter.js'
import { noSandbox } from './support/sandbox.js'

const specs = await findKernelspecs()
const specOf = (language: string) => specs.usable.find((spec) => spec.language.toLowerCase() === language)
const ipykernel = specOf('python')
const ir = specOf('r')
const noIpykernel = ipykernel
  ? missing('ipykernel', ipykernel.argv[0]!, '-c', 'import ipykernel_launcher')
  : 'no kernelspec for Python here'
const noMatplotlib = noIpykernel ?? missing('matplotlib', ipykernel!.argv[0]!, '-c', 'import matplotlib')
const noIr = ir ? missing('IRkernel', ir.argv[0]!, '--slave', '-e', 'library(IRkernel)') : 'no kernelspec for R here'

/** All of it without a sandbox and in one. */
const sandboxes = ['off', ...(noSandbox ? [] : ['required'])]
const containments = new Map(sandboxes.map((sandbox) => [sandbox, containmentFor({ sandbox })]))

const named = (name: string, reason: string | undefined) =>
  reason === undefined ? name : `${name} (skipped: ${reason})`

/** What every kernel must do; `code` in the kernel's language. */
function behaves(
  open: () => Promise<JupyterFixture>,
  code: { readonly sleep: string; readonly sum: string; readonly [name: string]: string },
  expected: { readonly sum: string; readonly error: RegExp; readonly probeBusy: boolean },
) {
  const interruptedAt = async (kernel: JupyterFixture, text: string, running: Promise<unknown>) => {
    const run = kernel.lastRun
    await kernel.written(run, text)
    kernel.runtime.interrupt(run)
    return await running
  }

  it('value', async () => {
    await using kernel = await open()
    expect(await kernel.run(code.sum)).toMatchObject({ outcome: 'ok', result: expected.sum, error: null })
    expect(await kernel.run(code['nothing']!)).toMatchObject({ outcome: 'ok', result: null })
    expect(await kernel.run(code.sum, 'none')).toMatchObject({ outcome: 'ok', result: null })
  })

  it('streams, those of programs that it starts among them', async () => {
    await using kernel = await open()
    await kernel.run(code['print']!)
    expect(kernel.output(1)).toEqual({ stdout: 'out\n', stderr: 'err\n' })
    await kernel.run(code['program']!)
    // ipykernel may pass a program's output on after it has called itself idle.
    await kernel.written(2, 'b\n')
    expect(kernel.output(2).stdout).toBe('a\nb\n')
  })

  it('error, with what was written before', async () => {
    await using kernel = await open()
    const end = await kernel.run(code['fail']!)
    expect(end).toMatchObject({ outcome: 'error', result: null, error: expect.stringMatching(expected.error) })
    expect(end.error).not.toContain('\u001b')
    expect(kernel.output(1).stdout).toBe('before\n')
    expect((await kernel.run(code.sum)).result).toBe(expected.sum)
  })

  it('interrupt, after which its variables are there', async () => {
    await using kernel = await open()
    await kernel.run(code['assign']!)
    expect(await interruptedAt(kernel, 'asleep', kernel.run(code.sleep))).toMatchObject({ outcome: 'interrupted' })
    expect(await kernel.run(code['read']!)).toMatchObject({ outcome: 'ok', result: expected.sum })
  })

  it('an interrupt that comes when the run is over spares the next', async () => {
    await using kernel = await open()
    await kernel.run(code.sum)
    kernel.runtime.interrupt(1)
    const running = kernel.run(code.sum)
    kernel.runtime.interrupt(1)
    expect(await running).toMatchObject({ outcome: 'ok', result: expected.sum })
  })

  it('input does not hang', async () => {
    await using kernel = await open()
    await kernel.run(code['input']!)
    expect((await kernel.run(code.sum)).result).toBe(expected.sum)
  })

  it(`while it is busy ${expected.probeBusy ? 'answers' : 'does not answer'} a probe; idle it does`, async () => {
    await using kernel = await open()
    const running = kernel.run(code.sleep)
    await kernel.written(1, 'asleep')
    expect(await kernel.runtime.probe()).toBe(expected.probeBusy)
    kernel.runtime.interrupt(1)
    await running
    expect(await kernel.runtime.probe()).toBe(true)
  })

  it('killed from outside is told as such', async () => {
    await using kernel = await open()
    const running = kernel.run(code.sleep)
    const failed = expect(running).rejects.toThrow('died')
    await kernel.written(1, 'asleep')
    process.kill(kernel.runtime.pid, 'SIGKILL')
    await failed
    expect(await kernel.runtime.died).toMatchObject({ code: null, signal: 'SIGKILL' })
  })
}

describe.skipIf(noIpykernel).each(sandboxes)(`${named('ipykernel', noIpykernel)}, sandbox %s`, (sandbox) => {
  const open = () => openJupyter(ipykernel!, { containment: containments.get(sandbox)! })
  behaves(
    open,
    {
      sum: '1 + 1',
      nothing: 'x = 1',
      print: 'import sys\nprint("out")\nprint("err", file=sys.stderr)',
      program: 'import os\nos.system("echo a; echo b > /dev/stdout");',
      fail: 'print("before")\n1 / 0',
      assign: 'kept = 2',
      read: 'kept',
      sleep: 'import time\nprint("asleep", flush=True)\ntime.sleep(60)',
      input: 'input()',
    },
    { sum: '2', error: /ZeroDivisionError: division by zero$/, probeBusy: true },
  )

  it('starts without a word', async () => {
    await using kernel = await open()
    expect(await kernel.run('1 + 1')).toMatchObject({ result: '2' })
    expect((await kernel.runtime.kill('stopping')).faults).toBe('')
  })

  it('an interrupt at the very end of a run spares the next', async () => {
    await using kernel = await open()
    await kernel.run('import time')
    for (let round = 0; round < 10; round += 1) {
      const first = kernel.run(`time.sleep(${jupyterInterruptableMs / 1000 + (round - 5) / 2_500})`)
      kernel.runtime.interrupt(kernel.lastRun)
      expect((await first).outcome).toMatch(/ok|interrupted/)
      expect(await kernel.run('1 + 1')).toMatchObject({ outcome: 'ok', result: '2' })
    }
  })

  it('input is an error that says why', async () => {
    await using kernel = await open()
    expect(await kernel.run('input()')).toMatchObject({ error: expect.stringMatching(/StdinNotImplementedError: .*$/) })
  })

  it('late output of a thread lands in a run of this kernel', async () => {
    await using kernel = await open()
    await kernel.run(
      'import threading\ngo = threading.Event()\nthreading.Thread(target=lambda: (go.wait(), print("late"))).start()',
    )
    await kernel.run('go.set()')
    await Promise.race([kernel.written(1, 'late'), kernel.written(2, 'late')])
  })

  it.skipIf(noMatplotlib)(named('image', noMatplotlib), async () => {
    await using kernel = await open()
    const code = 'import matplotlib.pyplot as plt\nplt.plot([1, 2])\nNone'
    expect(await kernel.run(code)).toMatchObject({ outcome: 'ok', result: null })
    expect(kernel.displays).toHaveLength(1)
    const png = Buffer.from(String(kernel.displays[0]!.bundle.data['image/png']), 'base64')
    expect(png.subarray(1, 4).toString()).toBe('PNG')
  })
})

describe.skipIf(noIr).each(sandboxes)(`${named('IRkernel', noIr)}, sandbox %s`, (sandbox) => {
  const open = () => openJupyter(ir!, { containment: containments.get(sandbox)! })
  behaves(
    open,
    {
      sum: '1 + 1',
      nothing: 'x <- 1',
      print: 'cat("out\\n"); cat("err\\n", file = stderr())',
      program: 'system("echo a; echo b > /dev/stdout")',
      fail: 'cat("before\\n"); stop("wrong")',
      assign: 'kept <- 2',
      read: 'kept',
      sleep: 'cat("asleep\\n"); flush.console(); Sys.sleep(60)',
      input: 'readline("?")',
    },
    { sum: '[1] 2', error: /ERROR: Error in .*: wrong$/, probeBusy: false },
  )

  it('image', async () => {
    await using kernel = await open()
    expect(await kernel.run('plot(1:3)')).toMatchObject({ outcome: 'ok', result: null })
    expect(kernel.displays).toMatchObject([{ run: 1, bundle: { data: { 'image/png': expect.any(String) } } }])
  })
})
