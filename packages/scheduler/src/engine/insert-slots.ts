import { slotsPerInsert } from '../limits.js'
import type { Database } from '../records/schema.js'
import type { RunRow } from './run-row.js'

/** A slot that exists is not made again, whoever made it. Returns the ids of the runs that are new. */
export async function insertSlots(db: Database, runs: readonly RunRow[]): Promise<ReadonlySet<string>> {
  const inserted = new Set<string>()
  for (let first = 0; first < runs.length; first += slotsPerInsert) {
    const rows = await db
      .insertInto('runs')
      .values(runs.slice(first, first + slotsPerInsert))
      .onConflict((conflict) => conflict.columns(['task_id', 'scheduled_for']).doNothing())
      .returning('id')
      .execute()
    for (const { id } of rows) inserted.add(id)
  }
  return inserted
}
