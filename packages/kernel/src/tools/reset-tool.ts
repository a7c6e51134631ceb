import type { ToolSpec } from '@callboard/worker'
import type { Kernel, ResetLevel } from '../kernel/kernel.js'
import type { Agent, KernelRecords } from '../records/records.js'
import { resetInput, resetOutput } from './schemas.js'

export const resetSpec = {
  title: 'Reset the kernel',
  description: 'Reset kernel state (optionally clear session). Stops what runs and drops what waits.',
  input: resetInput,
  output: resetOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} satisfies ToolSpec<typeof resetInput, typeof resetOutput>

export async function resetKernel(
  input: { readonly clear_session?: boolean | null | undefined; readonly level?: ResetLevel | null | undefined },
  agent: Agent,
  records: KernelRecords,
  kernel: Kernel,
) {
  const { level, epoch, names } = await kernel.reset(input.level ?? 'process')
  if (input.clear_session) await records.clearSession((await records.currentSession(agent)).id)
  return { level, epoch, cleared: { names, session: input.clear_session === true } }
}
