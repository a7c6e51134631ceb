import type { ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import type { Agent } from '../kernel/agent.js'
import type { KernelPool } from '../kernel/kernel-pool.js'
import { kernelField } from './run-schemas.js'

const levels = ['names', 'modules', 'process'] as const

const resetInput = z.object({
  clear_session: z
    .boolean()
    .nullish()
    .describe('Also delete rules, markers and history of the session; its id and name stay.'),
  level: z
    .enum(levels)
    .nullish()
    .describe(
      'process (if absent): a new process. names: the same one without your names and background tasks. modules: also without the modules imported since its start.',
    ),
  replay: z
    .enum(['none', 'setup', 'all'])
    .nullish()
    .describe(
      'Afterwards run the successful code again: setup only imports, functions, classes and constants; all everything.',
    ),
  kernel: kernelField,
})

const resetOutput = z.object({
  level: z.enum(levels).describe('What was done: names and modules become process when the kernel does not answer.'),
  epoch: z.int().nullable().describe('Of the process afterwards; null: there is none.'),
  cleared: z.object({
    names: z.int(),
    session: z.boolean(),
    modules_kept: z.array(z.string()).readonly().describe('Compiled modules, which cannot be dropped.'),
  }),
  replay_result: z
    .object({
      status: z.enum(['ok', 'stopped']),
      runs: z.int(),
      stopped_at: z.int().nullable().describe('run_id of the code that did not run well again.'),
      error: z.string().nullable(),
    })
    .nullable(),
})

export const resetSpec = {
  title: 'Reset the kernel',
  description: 'Reset kernel state (optionally clear session). Stops what runs and drops what waits.',
  input: resetInput,
  output: resetOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
} satisfies ToolSpec<typeof resetInput, typeof resetOutput>

export async function resetKernel(input: z.output<typeof resetInput>, agent: Agent, pool: KernelPool) {
  const session = input.clear_session === true
  const kernel = pool.kernelOf(agent, input.kernel)
  const outcome = await kernel.reset({
    level: input.level ?? 'process',
    replay: input.replay ?? 'none',
    clearSession: session,
  })
  const { level, epoch, names, kept, replay } = outcome
  return {
    level,
    epoch,
    cleared: { names, session, modules_kept: kept },
    replay_result: replay,
  }
}
