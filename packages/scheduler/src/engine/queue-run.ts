import type { Database } from '../records/schema.js'
import type { EngineParts } from './engine-parts.js'
import { queuedRun } from './run-row.js'
import type { NewRun } from './scheduling.js'

/** The run of a trigger or a mail: it continues its group's conversation. A second one for the same is refused by the database. */
export async function queueRun(
  db: Database,
  { newId, clock }: Pick<EngineParts, 'newId' | 'clock'>,
  { triggerId, mailId, group, depth }: NewRun,
): Promise<string> {
  const now = clock.now()
  const run = queuedRun({
    id: newId('run'),
    group,
    depth,
    scheduledFor: now,
    dueAt: now,
    createdAt: now,
    serial: true,
    exclusive: false,
    ...(triggerId !== undefined && { triggerId }),
    ...(mailId !== undefined && { mailId }),
  })
  await db.insertInto('runs').values(run).execute()
  return run.id
}
