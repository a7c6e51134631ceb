import { processEntry } from '../../../src/runners/process-table.js'

/** Whether a process lives; one that waits to be reaped does not. */
export async function lives(pid: number): Promise<boolean> {
  const entry = await processEntry(pid)
  return entry !== undefined && !entry.ended
}

/** Waits for what another process brings about; there is no event to wait for. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve))
}
