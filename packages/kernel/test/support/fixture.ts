import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@callboard/store'
import { parseKernelConfig } from '../../src/config.js'
import type { EvalRequest, Kernel } from '../../src/kernel/kernel.js'
import { KernelPool } from '../../src/kernel/kernel-pool.js'
import type { RunReport } from '../../src/kernel/run-report.js'
import { KernelRecords } from '../../src/records/records.js'
import { type KernelSchema, migrations } from '../../src/records/schema.js'

/** A pool over a store of its own, without a worker around it. */
export interface PoolFixture extends AsyncDisposable {
  readonly pool: KernelPool
  readonly records: KernelRecords
  readonly directory: string
  /** The kernel of an agent of the owner `agent:test`. */
  kernel(session?: string): Kernel
}

export async function openPool(config: unknown = {}): Promise<PoolFixture> {
  const directory = await mkdtemp(join(tmpdir(), 'callboard-kernel-test-'))
  const store = await openStore<KernelSchema>({
    name: 'kernel',
    migrations,
    dataDirectory: directory,
    durability: 'normal',
    access: 'shared',
  })
  const records = new KernelRecords(store)
  const pool = new KernelPool({ config: parseKernelConfig(config), records, dataDirectory: directory })
  return {
    pool,
    records,
    directory,
    kernel: (session = 'session-1') => pool.kernelOf({ owner: 'agent:test', session }),
    async [Symbol.asyncDispose]() {
      await pool.close()
      await store.close()
      await rm(directory, { recursive: true, force: true })
    },
  }
}

export function evaluate(kernel: Kernel, code: string, options: Partial<EvalRequest> = {}): Promise<RunReport> {
  return kernel.evaluate({
    code,
    timeoutMs: 60_000,
    deadline: () => Date.now() + 600_000,
    signal: new AbortController().signal,
    ...options,
  })
}
