import { setImmediate as turn } from 'node:timers/promises'
import { groupEndTurnsMax } from '../limits.js'
import { groupLives } from './process-table.js'

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // Already gone.
  }
}

/** Kills what is left of it, and resolves when that has ended; false when something could not be ended. */
export async function endGroup(group: number): Promise<boolean> {
  signalGroup(group, 'SIGKILL')
  // The system ends them as soon as it runs them next, which is nothing that a clock could tell.
  for (let turns = 0; turns < groupEndTurnsMax; turns += 1) {
    if (!(await groupLives(group))) return true
    await turn()
    // One may have been born of a process that was hit a moment later.
    signalGroup(group, 'SIGKILL')
  }
  return false
}
