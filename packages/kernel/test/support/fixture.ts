import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKernelWorker } from '../../src/index.js'
import type { Containment } from '../../src/isolation/containment.js'
import type { EvalRequest, Kernel } from '../../src/kernel/kernel.js'
import type { KernelPool } from '../../src/kernel/kernel-pool.js'
import type { Run } from '../../src/kernel/run.js'
import type { RunReport } from '../../src/kernel/run-report.js'

/** The kernels of a worker with a store of its own, without a hub or a link. */
export interface PoolFixture extends AsyncDisposable {
  readonly pool: KernelPool
  readonly directory: string
  readonly containment: Containment
  /** The kernel of an agent of the owner `agent:test`. */
  kernel(session?: string): Kernel
}

/** Without a sandbox unless the configuration or the environment asks for one: `KERNEL_TEST_SANDBOX=auto` runs all tests in it. */
export async function openPool(config: object = {}, maskedPaths: readonly string[] = []): Promise<PoolFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-test-'))
  const worker = await createKernelWorker({
    dataDirectory: directory,
    maskedPaths,
    config: { sandbox: process.env['KERNEL_TEST_SANDBOX'] ?? 'off', ...config },
  })
  const { pool } = worker
  return {
    pool,
    directory,
    containment: worker.containment,
    kernel: (session = 'session-1') => pool.kernelOf({ owner: 'agent:test', session }),
    async [Symbol.asyncDispose]() {
      await worker.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export interface EvaluateOptions extends Partial<EvalRequest> {
  /** Called when the run has written something. */
  readonly onOutput?: (run: Run) => void
  /** When it has its number. */
  readonly onRun?: (run: Run) => void
}

let keys = 0

export async function submit(kernel: Kernel, code: string, options: EvaluateOptions = {}): Promise<Run> {
  const { onOutput, onRun, ...request } = options
  const submitted = await kernel.submit({
    code,
    timeoutMs: 60_000,
    resultMode: 'last',
    idempotencyKey: `key-${++keys}`,
    onBusy: 'queue',
    session: 'session-1',
    ...request,
  })
  if (submitted.kind === 'known') throw new Error(`run ${submitted.row.runId} was known`)
  const { run } = submitted
  onRun?.(run)
  if (onOutput) run.watch(() => onOutput(run))
  return run
}

/** To its end, however long that takes. */
export async function evaluate(kernel: Kernel, code: string, options: EvaluateOptions = {}): Promise<RunReport> {
  return (await submit(kernel, code, options)).ended
}
