import type { Database } from '../records/schema.js'
import { refusal } from '../refusal.js'
import type { Actor } from './actor.js'

/** A run that has lost its attempt must not leave any more traces. Throws a ToolError FORBIDDEN. */
export async function requireLiveRun(db: Database, { run }: Pick<Actor, 'run'>): Promise<void> {
  if (run === undefined) return
  const attempt = await db
    .selectFrom('attempts')
    .select('outcome')
    .where('run_id', '=', run.id)
    .where('n', '=', run.attempt)
    .executeTakeFirst()
  if (attempt?.outcome === null) return
  throw refusal('FORBIDDEN', 'This run has ended, so it can change nothing any more.', {
    hint: 'If the work is not done, another attempt or an operator (redrive_run) does it.',
  })
}
