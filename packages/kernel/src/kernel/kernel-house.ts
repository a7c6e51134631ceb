import type { KernelConfig } from '../config.js'
import type { OutputKeeper } from '../output/output-keeper.js'
import type { KeptDisplay } from '../output/rich-content.js'
import type { KernelRecords } from '../records/kernel-records.js'
import type { RunRecords } from '../records/run-records.js'
import type { ModuleRequest, Runtime, RuntimeEvents } from '../runtime/runtime.js'
import type { Kernel } from './kernel.js'
import type { Run } from './run.js'

/** What a kernel asks of the house it lives in. */
export interface KernelHouse {
  readonly config: KernelConfig
  readonly runs: RunRecords
  readonly kernels: KernelRecords
  /** Makes room for one more process, or throws the ToolError `overloaded`. The place is kept until `release`. */
  admit(kernel: Kernel): Promise<{ readonly release: () => void }>
  /** A process of that runtime for the kernel; throws a ToolError `not_found` or `kernel_start_failed`. */
  startRuntime(kernel: Kernel, runtime: string, events: RuntimeEvents): Promise<Runtime>
  readonly outputs: OutputKeeper
  /** Id of the session that the kernel works in, made if there is none. */
  currentSession(kernel: Kernel): Promise<string>
  readonly listener: KernelListener
}

/** Who has to know what happens to kernels. */
export interface KernelListener {
  started(kernel: Kernel, runtime: Runtime): void
  /** Its process has ended, for whatever reason. */
  ended(kernel: Kernel): void
  runStarted(kernel: Kernel, run: Run): void
  runEnded(kernel: Kernel, run: Run): void
  /** A run has shown something, which is kept with its output. */
  shown(kernel: Kernel, run: number, display: KeptDisplay): void
  /** Names or the process are given up on purpose. */
  reset(kernel: Kernel, level: ResetLevel, clearSession: boolean): Promise<void>
  request(kernel: Kernel, request: ModuleRequest): void
  notice(kernel: Kernel, method: string, params: unknown): void
}

export type ResetLevel = 'names' | 'modules' | 'process'
