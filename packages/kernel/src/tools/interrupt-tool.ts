import type { ToolSpec } from '@callboard/worker'
import { z } from 'zod'
import type { Agent } from '../kernel/agent.js'
import type { InterruptOutcome } from '../kernel/kernel.js'
import type { KernelPool } from '../kernel/kernel-pool.js'
import type { RunRecords } from '../records/run-records.js'
import { findRun } from './find-run.js'
import { kernelField } from './run-schemas.js'

const interruptInput = z.object({
  run_id: z.int().positive().nullish().describe('Absent: the running one, else the newest run of the kernel.'),
  kernel: kernelField,
  force: z
    .boolean()
    .nullish()
    .describe('Kill the process after 5 s if the code does not react; all variables are lost then.'),
})

const interruptOutput = z.object({
  run_id: z.int(),
  outcome: z.enum(['interrupted', 'dequeued', 'not_running', 'still_running', 'killed']),
  state_preserved: z.boolean().describe('True only if the kernel has answered since: its variables are there.'),
  epoch: z.int().nullable().describe('Of the kernel now; null: it has no process.'),
  status: z.string().describe('Of the run now.'),
  message: z.string(),
})

export const interruptSpec = {
  title: 'Interrupt a run',
  description: 'Stop a running cell, or take one out of the queue. Says truthfully whether variables survived.',
  input: interruptInput,
  output: interruptOutput,
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
} satisfies ToolSpec<typeof interruptInput, typeof interruptOutput>

export async function interruptRun(
  input: z.output<typeof interruptInput>,
  agent: Agent,
  house: { readonly pool: KernelPool; readonly runs: RunRecords },
) {
  const active = typeof input.run_id === 'number' ? undefined : house.pool.find(agent, input.kernel)?.active
  const choice = active ? { ...input, run_id: active.id } : input
  const found = await findRun(choice, agent, house.pool, house.runs)
  if (found.kind === 'stored') {
    const { runId, status } = found.row
    return { run_id: runId, ...told(runId, { outcome: 'not_running', statePreserved: false }), epoch: null, status }
  }
  const { run, kernel } = found
  const outcome = await kernel.interrupt(run, input.force ?? false)
  return { run_id: run.id, ...told(run.id, outcome), epoch: kernel.epoch, status: run.status }
}

function told(id: number, { outcome, statePreserved }: InterruptOutcome) {
  return { outcome, state_preserved: statePreserved, message: messages[outcome](id) }
}

const messages: { readonly [outcome in InterruptOutcome['outcome']]: (id: number) => string } = {
  interrupted: (id) => `Run ${id} was stopped.`,
  dequeued: (id) => `Run ${id} was taken out of the queue before it started.`,
  not_running: (id) => `Run ${id} is over; this call did not stop it.`,
  still_running: (id) =>
    `Run ${id} has not reacted: most likely C code holds the interpreter, or the code catches the exception. Wait for it, or call again with force: true.`,
  killed: (id) => `The process was killed to stop run ${id}; its variables are lost, the next call starts a new one.`,
}
