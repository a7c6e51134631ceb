import type { Store } from '@callboard/store'
import { historyKeptMax } from '../limits.js'
import type { KernelSchema } from './schema.js'

/** The newest entries of a session stay. */
export async function pruneHistory(db: Store<KernelSchema>['db'], sessionId: string): Promise<void> {
  const oldest = await db
    .selectFrom('history')
    .select('id')
    .where('session_id', '=', sessionId)
    .orderBy('id', 'desc')
    .offset(historyKeptMax)
    .limit(1)
    .executeTakeFirst()
  if (!oldest) return
  await db.deleteFrom('history').where('session_id', '=', sessionId).where('id', '<=', oldest.id).execute()
}
