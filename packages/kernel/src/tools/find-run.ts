import { ToolError } from '@callboard/worker'
import type { Agent } from '../kernel/agent.js'
import type { Kernel } from '../kernel/kernel.js'
import type { KernelPool } from '../kernel/kernel-pool.js'
import type { Run } from '../kernel/run.js'
import type { RunRecords, RunRow } from '../records/run-records.js'

/** A run that this worker holds, or what is on record of an older one. */
export type Found =
  | { readonly kind: 'live'; readonly run: Run; readonly kernel: Kernel }
  | { readonly kind: 'stored'; readonly row: RunRow }

export interface RunChoice {
  readonly run_id?: number | null | undefined
  readonly kernel?: string | null | undefined
}

/** The run of that id, or the newest of the kernel. Throws a ToolError `not_found`, or `unavailable` if another instance holds it. */
export async function findRun(choice: RunChoice, agent: Agent, pool: KernelPool, runs: RunRecords): Promise<Found> {
  const { run_id } = choice
  const row = typeof run_id === 'number' ? undefined : await newestOf(choice, agent, pool, runs)
  const id = typeof run_id === 'number' ? run_id : row?.runId
  const live = id === undefined ? undefined : pool.findRun(agent.owner, id)
  if (live) return { kind: 'live', ...live }
  const stored = row ?? (id === undefined ? undefined : await runs.find(agent.owner, id))
  if (!stored) throw new ToolError('not_found', `${missing(choice)} weave_history lists your runs.`)
  if (stored.status === 'queued' || stored.status === 'running') throw elsewhere(stored)
  return { kind: 'stored', row: stored }
}

/** A kernel lives in one instance of the worker. */
export function elsewhere({ runId }: RunRow): ToolError {
  const message = `Run ${runId} is active in another instance of this worker, which does not answer here. Try again later.`
  return new ToolError('unavailable', message, { retryable: true })
}

function newestOf({ kernel }: RunChoice, agent: Agent, pool: KernelPool, runs: RunRecords) {
  const found = pool.find(agent, kernel)
  const key = found?.key ?? (typeof kernel === 'string' ? `named:${kernel}` : `session:${agent.session}`)
  return runs.newest(agent.owner, key)
}

function missing({ run_id, kernel }: RunChoice): string {
  if (typeof run_id === 'number') return `You have no run ${run_id}.`
  return typeof kernel === 'string' ? `The kernel "${kernel}" has run nothing.` : 'This kernel has run nothing.'
}
