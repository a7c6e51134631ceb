import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { parseKernelConfig } from '../../src/config.js'
import { PythonRuntime } from '../../src/runtime/python/python-runtime.js'
import type { CellEnd, MimeBundle, ResultMode } from '../../src/runtime/runtime.js'
import { deferred } from './processes.js'

/** One Python without a kernel around it; cells get the numbers 1, 2, …. */
export interface PythonFixture extends AsyncDisposable {
  readonly runtime: PythonRuntime
  /** All that was shown, in order. */
  readonly shown: { readonly run: number; readonly data: MimeBundle['data'] }[]
  readonly stderr: () => string
  run(code: string, resultMode?: ResultMode): Promise<CellEnd>
  /** Starts a cell and waits until it has printed something. */
  begin(code: string): Promise<{ readonly run: number; readonly ended: Promise<CellEnd> }>
  ask(method: string, params: object): Promise<unknown>
}

export async function startPython(python = 'python3'): Promise<PythonFixture> {
  const shown: PythonFixture['shown'] = []
  let stderr = ''
  let printed = deferred()
  let count = 0
  const runtime = await PythonRuntime.start({
    python,
    workingDirectory: tmpdir(),
    limits: parseKernelConfig({}).limits,
    onOutput: (_run, stream, bytes) => {
      if (stream === 'stderr') stderr += Buffer.from(bytes).toString()
      else printed.resolve()
    },
    onDisplay: (run, { data }) => shown.push({ run, data }),
    onRequest: () => {},
    onNotice: () => {},
  })
  const run = (code: string, resultMode: ResultMode = 'last') => {
    count += 1
    return runtime.execute({ run: count, code, resultMode })
  }
  return {
    runtime,
    shown,
    stderr: () => stderr,
    run,
    async begin(code) {
      printed = deferred()
      const ended = run(code)
      await printed.promise
      return { run: count, ended }
    },
    ask: (method, params) => runtime.python.ask(method, { ...params }, 10_000),
    async [Symbol.asyncDispose]() {
      await runtime.kill('stopping')
    },
  }
}

/** An interpreter of this version on PATH or among pyenv's; undefined where there is none. */
export function findPython(version: string): string | undefined {
  const pyenv = process.env['PYENV_ROOT']
  const versions = pyenv === undefined ? [] : foldersIn(join(pyenv, 'versions'))
  const folders = [
    ...versions.filter((name) => name.startsWith(`${version}.`)).map((name) => join(pyenv!, 'versions', name, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ]
  return folders.map((folder) => join(folder, `python${version}`)).find((path) => existsSync(path) && runs(path))
}

export function canImport(python: string, module: string): boolean {
  return runs(python, `import ${module}`)
}

/** A version manager's stand-in exists for versions that are not there. */
function runs(python: string, code = ''): boolean {
  try {
    execFileSync(python, ['-c', code], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

function foldersIn(path: string): readonly string[] {
  return existsSync(path) ? readdirSync(path) : []
}
