import { recordAction } from '../activity/record-action.js'
import type { Foundation } from '../foundation.js'
import { changeItem } from './change-item.js'

/** Nobody decided in time; at most so many in one transaction. Returns how many that were. */
export async function expireItems({ store, clock }: Pick<Foundation, 'store' | 'clock'>, limit = 100): Promise<number> {
  const due = (now: number) =>
    store.db.selectFrom('approval_queue').select('id').where('expires_at', '<=', now).limit(1).executeTakeFirst()
  if ((await due(clock.now())) === undefined) return 0
  return store.transaction(async (db) => {
    const now = clock.now()
    const items = await db
      .selectFrom('approval_queue')
      .selectAll()
      .where('expires_at', '<=', now)
      .orderBy('expires_at')
      .limit(limit)
      .execute()
    for (const item of items) {
      await changeItem(db, item, 'expire', 'expired', now)
      await recordAction(db, {
        at: now,
        type: item.action_type,
        status: 'skipped',
        message: `Item ${item.id} expired: nobody decided in time.`,
        metadata: { item_id: item.id, network: item.network },
        principal: item.owner,
      })
    }
    return items.length
  })
}
