import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseKernelConfig } from '../src/config.js'
import { PythonRuntime } from '../src/runtime/python/python-runtime.js'
import type { RuntimeEvents } from '../src/runtime/runtime.js'
import { deferred } from './support/processes.js'

const python = fileURLToPath(new URL('../python/', import.meta.url))

async function startKernel(events: Partial<RuntimeEvents> = {}): Promise<PythonRuntime & AsyncDisposable> {
  const { limits } = parseKernelConfig({})
  const runtime = await PythonRuntime.start({
    python: 'python3',
    workingDirectory: tmpdir(),
    limits,
    onOutput: () => {},
    onDisplay: () => {},
    onRequest: () => {},
    onNotice: () => {},
    ...events,
  })
  return Object.assign(runtime, { [Symbol.asyncDispose]: async () => void (await runtime.kill('stopping')) })
}

describe('the harness', () => {
  it('is Python 3.9 in syntax and imports the standard library only', () => {
    const files = readdirSync(python, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.py'))
    const check = `
import ast, sys
for path in sys.argv[1:]:
    tree = ast.parse(open(path).read(), path, feature_version=(3, 9))
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
        for name in names:
            top = name.split(".")[0]
            assert top in getattr(sys, "stdlib_module_names", [top]) or top in ("callboard_kernel", "vibeweaver"), name
`
    execFileSync('python3', ['-c', check, ...files], { cwd: python })
    expect(files).toEqual(expect.arrayContaining(['start.py', 'launch.py', 'describe.py', 'vibeweaver/__init__.py']))
  })

  it('says what an old interpreter is, in a syntax that it can parse', () => {
    const old = 'import sys; sys.version_info = (3, 6, 8); sys.argv = ["start.py"]; exec(open(sys.argv[0]).read())'
    const run = () => execFileSync('python3', ['-c', old], { cwd: python, stdio: 'pipe' })
    expect(run).toThrow(/needs CPython 3\.9 or newer/)
  })

  it('answers questions of the worker while a cell runs', async () => {
    const running = deferred()
    await using kernel = await startKernel({ onOutput: () => running.resolve() })
    const ended = kernel.execute({ run: 1, code: 'import time; print(1); time.sleep(60)', resultMode: 'last' })
    await running.promise
    expect(await kernel.probe()).toBe(true)
    kernel.interrupt(1)
    expect(await ended).toMatchObject({ outcome: 'interrupted' })
  })

  it('is ended when a cell damages the control channel', async () => {
    await using kernel = await startKernel()
    const code =
      'import os, time\nfor fd in range(200, 210):\n    try: os.write(fd, b"\\xff" * 64)\n    except OSError: pass\ntime.sleep(60)'
    void kernel.execute({ run: 1, code, resultMode: 'last' })
    expect(await kernel.died).toMatchObject({ cause: 'protocol' })
  })
})
