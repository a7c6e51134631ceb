import { endRun } from './end-run.js'
import type { EngineParts } from './engine-parts.js'

/**
 * Ends what waits for groups that were removed; returns how much that was. A group that is only missing in this process's
 * file is left to the others.
 */
export async function endRunsOfRemoved(parts: EngineParts, folders: readonly string[]): Promise<number> {
  return parts.store.transaction(async (db) => {
    const removed = await db
      .selectFrom('groups')
      .select('folder')
      .where('folder', 'in', folders)
      .where('removed_at', 'is not', null)
      .execute()
    if (removed.length === 0) return 0
    const runs = await db
      .selectFrom('runs')
      .selectAll()
      .where('state', '=', 'queued')
      .where(
        'group_folder',
        'in',
        removed.map(({ folder }) => folder),
      )
      .limit(100)
      .execute()
    for (const run of runs) {
      const error = `The group ${run.group_folder} was removed from the groups file before this run had started.`
      await endRun(db, parts, run, { outcome: 'dead', errorClass: 'group_gone', error })
    }
    return runs.length
  })
}
