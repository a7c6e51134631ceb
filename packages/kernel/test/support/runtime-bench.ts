import { tmpdir } from 'node:os'
import { parseKernelConfig } from '../../src/config.js'
import { RunOutput } from '../../src/output/run-output.js'
import { RunOutputs } from '../../src/output/run-outputs.js'
import type { RunSpool } from '../../src/output/run-spool.js'
import { PythonRuntime } from '../../src/runtime/python/python-runtime.js'
import type { CellEnd, RuntimeEvents } from '../../src/runtime/runtime.js'
import { until } from './processes.js'

/** A Python process and the outputs of its runs, without a kernel around them. */
export interface RuntimeBench extends AsyncDisposable {
  readonly runtime: PythonRuntime
  readonly outputs: RunOutputs
  /** Runs that had written late when their output was closed again. */
  readonly late: number[]
  run(code: string): Promise<CellEnd & { readonly run: number; readonly stdout: string; readonly stderr: string }>
  stdout(run: number): string
  stderr(run: number): string
  /** When the run's stdout holds this text, which may come late. */
  seen(run: number, text: string): Promise<void>
}

export async function openRuntime(
  options: Partial<RuntimeEvents> & { readonly python?: string; readonly spool?: (run: number) => RunSpool } = {},
): Promise<RuntimeBench> {
  const late: number[] = []
  const outputs = new RunOutputs({ onLate: (run) => late.push(run), recall: async () => undefined })
  const runtime = await PythonRuntime.start({
    python: 'python3',
    workingDirectory: tmpdir(),
    limits: parseKernelConfig({}).limits,
    onOutput: (run, stream, bytes) => outputs.push(run, stream, bytes),
    onDisplay: () => {},
    onRequest: () => {},
    onNotice: () => {},
    ...options,
  })
  const stdout = (run: number) => outputs.get(run)!.stdout.read().text
  const stderr = (run: number) => outputs.get(run)!.stderr.read().text
  let newest = 0
  return {
    runtime,
    outputs,
    late,
    stdout,
    stderr,
    seen: (run, text) => until(() => stdout(run).includes(text), 10_000),
    async run(code) {
      const run = ++newest
      outputs.add(run, new RunOutput(() => {}, options.spool?.(run)))
      const end = await runtime.execute({ run, code, resultMode: 'last' })
      outputs.end(run)
      return { ...end, run, stdout: stdout(run), stderr: stderr(run) }
    },
    async [Symbol.asyncDispose]() {
      await runtime.kill('stopping')
      outputs.close()
    },
  }
}
