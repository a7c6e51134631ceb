import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseKernelConfig } from '../../src/config.js'
import type { Containment } from '../../src/isolation/containment.js'
import { JupyterRuntime, type JupyterRuntimeOptions } from '../../src/runtime/jupyter/jupyter-runtime.js'
import type { Kernelspec } from '../../src/runtime/jupyter/kernelspec.js'
import { containPython } from '../../src/runtime/python/contain-python.js'
import type { CellEnd, MimeBundle, ResultMode } from '../../src/runtime/runtime.js'
import { realPython } from './sandbox.js'

const repository = fileURLToPath(new URL('../../../../', import.meta.url))
const fakeKernel = fileURLToPath(new URL('fake-kernel.js', import.meta.url))

/** A kernel by Jupyter's protocol with what it has written, by run. */
export interface JupyterFixture extends AsyncDisposable {
  readonly runtime: JupyterRuntime
  readonly directory: string
  readonly displays: { readonly run: number; readonly bundle: MimeBundle }[]
  /** `stdout` and `stderr` of a run. */
  output(run: number): { readonly stdout: string; readonly stderr: string }
  /** Rejects when the process dies. */
  run(code: string, resultMode?: ResultMode): Promise<CellEnd>
  /** Resolves when the run has written the text. */
  written(run: number, text: string): Promise<void>
  readonly lastRun: number
}

export function fakeSpec(parts: Partial<Kernelspec> = {}, ...flags: string[]): Kernelspec {
  return {
    name: 'fake',
    directory: tmpdir(),
    argv: [process.execPath, fakeKernel, '{connection_file}', ...flags],
    displayName: 'Fake',
    language: 'fake',
    interruptMode: 'signal',
    env: {},
    ...parts,
  }
}

/** What holds kernels with this section `kernel` of the configuration. The fake kernel's modules are readable inside. */
export function containmentFor(section: { readonly [key: string]: unknown }): Containment {
  const config = parseKernelConfig({ python: realPython, sandboxPaths: { readable: [repository] }, ...section })
  return containPython(config, [])
}

/** Without a sandbox unless the environment asks for one: `KERNEL_TEST_SANDBOX=auto` runs all tests in it. */
function inTestSandbox(): { readonly containment?: Containment } {
  const sandbox = process.env['KERNEL_TEST_SANDBOX']
  return sandbox === undefined ? {} : { containment: containmentFor({ sandbox }) }
}

export async function openJupyter(
  spec: Kernelspec,
  options: Partial<JupyterRuntimeOptions> = {},
): Promise<JupyterFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'callboard-jupyter-test-'))
  const outputs = new Map<string, string>()
  const displays: { readonly run: number; readonly bundle: MimeBundle }[] = []
  const watchers = new Set<() => void>()
  const textOf = (run: number, stream: string) => outputs.get(`${run} ${stream}`) ?? ''
  const runtime = await JupyterRuntime.start({
    spec,
    python: 'python3',
    workingDirectory: directory,
    limits: { memoryBytes: 2 ** 32, fileBytes: 2 ** 32, openFiles: 1024, coreBytes: 0, processes: 256, niceness: 5 },
    onOutput: (run, stream, bytes) => {
      outputs.set(`${run} ${stream}`, textOf(run, stream) + Buffer.from(bytes).toString('utf8'))
      for (const watcher of watchers) watcher()
    },
    onDisplay: (run, bundle) => displays.push({ run, bundle }),
    onRequest: () => {},
    onNotice: () => {},
    ...inTestSandbox(),
    ...options,
  }).catch(async (error: unknown) => {
    await rm(directory, { recursive: true, force: true })
    throw error
  })
  let lastRun = 0
  return {
    runtime,
    directory,
    displays,
    output: (run) => ({ stdout: textOf(run, 'stdout'), stderr: textOf(run, 'stderr') }),
    get lastRun() {
      return lastRun
    },
    run: (code, resultMode = 'last') => {
      lastRun += 1
      const died = runtime.died.then((death) => Promise.reject(new Error(`died: ${JSON.stringify(death)}`)))
      return Promise.race([runtime.execute({ run: lastRun, code, resultMode }), died])
    },
    written: (run, text) =>
      new Promise((resolve) => {
        const look = () => {
          if (!textOf(run, 'stdout').includes(text)) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    async [Symbol.asyncDispose]() {
      await runtime.kill('stopping')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Undefined if the program runs and ends well, else why a test is skipped. */
export function missing(what: string, program: string, ...parameters: string[]): string | undefined {
  try {
    execFileSync(program, parameters, { stdio: 'ignore', timeout: 20_000 })
    return undefined
  } catch {
    return `no ${what} here`
  }
}
