import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { CellRun } from '../src/cell-run.js'
import { parseKernelConfig } from '../src/config.js'
import { LiveKernel } from '../src/live-kernel.js'
import type { FromKernel } from '../src/messages.js'
import { deferred } from './support/processes.js'

const python = fileURLToPath(new URL('../python/', import.meta.url))

async function startKernel(): Promise<LiveKernel> {
  const { limits } = parseKernelConfig({})
  return LiveKernel.start({ python: 'python3', workingDirectory: tmpdir(), limits, onOutput: () => {} })
}

describe('the harness', () => {
  it('is Python 3.9 in syntax and imports the standard library only', () => {
    const files = readdirSync(`${python}callboard_kernel`).filter((name) => name.endsWith('.py'))
    const check = `
import ast, sys
for path in sys.argv[1:]:
    tree = ast.parse(open(path).read(), path, feature_version=(3, 9))
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
        for name in names:
            top = name.split(".")[0]
            assert top in getattr(sys, "stdlib_module_names", [top]) or top == "callboard_kernel", name
`
    execFileSync('python3', [
      '-c',
      check,
      `${python}start.py`,
      ...files.map((name) => `${python}callboard_kernel/${name}`),
    ])
    expect(files.length).toBeGreaterThan(5)
  })

  it('says what an old interpreter is, in a syntax that it can parse', () => {
    const old = 'import sys; sys.version_info = (3, 6, 8); sys.argv = ["start.py"]; exec(open(sys.argv[0]).read())'
    const run = () => execFileSync('python3', ['-c', old], { cwd: python, stdio: 'pipe' })
    expect(run).toThrow(/needs CPython 3\.9 or newer/)
  })

  it('answers a ping while a cell runs, and names the run', async () => {
    const kernel = await startKernel()
    await using _ = kernel.process
    const answers: FromKernel[] = []
    const answered = deferred()
    const run = new CellRun(kernel, 1)
    kernel.listen((message) => {
      run.receive(message)
      if (message.type === 'started') kernel.process.send({ type: 'ping', id: 9 })
      if (message.type !== 'pong') return
      answers.push(message)
      answered.resolve()
    })
    const aborted = new AbortController()
    const ended = run.execute('import time; time.sleep(60)', 60_000, aborted.signal)
    await answered.promise
    expect(answers).toEqual([{ type: 'pong', id: 9, run: 1 }])
    aborted.abort()
    expect(await ended).toMatchObject({ kind: 'finished', stopped: 'cancelled' })
  })

  it('carries MIME bundles of a run', async () => {
    const kernel = await startKernel()
    await using _ = kernel.process
    const run = new CellRun(kernel, 1)
    kernel.listen((message) => run.receive(message))
    const code =
      'import gc\nrunner = next(o for o in gc.get_objects() if type(o).__name__ == "Runner")\nrunner.publish({"text/html": "<b>1</b>"})'
    const outcome = await run.execute(code, 10_000, new AbortController().signal)
    expect(outcome.displays).toEqual([{ type: 'display', run: 1, data: { 'text/html': '<b>1</b>' }, metadata: {} }])
  })

  it('is ended when a cell damages the control channel', async () => {
    const kernel = await startKernel()
    const run = new CellRun(kernel, 1)
    kernel.listen((message) => run.receive(message))
    const code =
      'import os, time\nfor fd in range(200, 210):\n    try: os.write(fd, b"\\xff" * 64)\n    except OSError: pass\ntime.sleep(60)'
    expect(await run.execute(code, 30_000, new AbortController().signal)).toMatchObject({
      kind: 'died',
      death: { cause: 'protocol' },
    })
  })
})
