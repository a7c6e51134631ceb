import { killGroup } from '../runtime/process-group.js'
import { type ProcessIdentity, stateOf } from './process-identity.js'
import { processEntry } from './process-table.js'

/**
 * Ends what kernels of a dead worker have left, where no parent-death signal and no guardian did: each process that still is
 * the recorded one, with its group. Returns those that were ended.
 */
export async function reapOrphans<Row extends ProcessIdentity>(recorded: readonly Row[]): Promise<readonly Row[]> {
  const ended: Row[] = []
  for (const row of recorded) {
    const [state, entry] = await Promise.all([stateOf(row), processEntry(row.pid)])
    // A kernel leads its group from its first moment on. Of anything else we know too little to kill it.
    if (state !== 'alive' || entry?.group !== row.pid) continue
    killGroup(row.pid, 'SIGKILL')
    ended.push(row)
  }
  return ended
}
