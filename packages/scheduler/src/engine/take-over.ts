import type { Database } from '../records/schema.js'
import { expiredLeases } from './due-times.js'
import type { EngineParts } from './engine-parts.js'
import { settleAttempt } from './settle-attempt.js'

/**
 * Ends attempts whose lease is over: their process is gone, or hangs. What it has left is stopped first, so that a retry never
 * runs beside it. Returns how many there were.
 */
export async function takeOverExpired(parts: EngineParts): Promise<number> {
  const expired = await expiredLeases(parts.store.db, parts.clock.now()).execute()
  for (const attempt of expired) {
    if (attempt.pgid !== null && attempt.process_identity !== null) {
      await parts.killGroup(attempt.pgid, attempt.process_identity)
    }
    // The hub may be away; the token ends by itself, and tools of this worker know that the attempt is over.
    await parts.hub.revokeRun(attempt.run_id, attempt.n).catch(() => {})
    const key = { runId: attempt.run_id, attempt: attempt.n, fence: attempt.fence }
    const why = 'The process that ran it is gone, or did not renew its lease.'
    await parts.store.transaction((db) => settleExpired(db, parts, key, why))
  }
  if (expired.length > 0) parts.wakeMail()
  return expired.length
}

async function settleExpired(
  db: Database,
  parts: EngineParts,
  key: { readonly runId: string; readonly attempt: number; readonly fence: number },
  why: string,
): Promise<void> {
  const still = await db
    .selectFrom('attempts')
    .select('n')
    .where('run_id', '=', key.runId)
    .where('n', '=', key.attempt)
    .where('outcome', 'is', null)
    .where('lease_until', '<=', parts.clock.now())
    .executeTakeFirst()
  if (still === undefined) return
  const settled = await settleAttempt(db, parts, key, { kind: 'abandoned', why })
  if (settled) return
  // The run went another way before; this row is all that is left of the attempt.
  await db
    .updateTable('attempts')
    .set({ outcome: 'abandoned', finished_at: parts.clock.now() })
    .where('run_id', '=', key.runId)
    .where('n', '=', key.attempt)
    .where('outcome', 'is', null)
    .execute()
}
