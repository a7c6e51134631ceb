import { recordAction } from '../activity/record-action.js'
import { logTypeOf } from '../approval/log-type.js'
import type { Item } from '../approval/proposals.js'
import type { Database } from '../records/schema.js'

interface ItemAction {
  readonly by: string
  readonly at: number
  readonly status: 'success' | 'failure' | 'skipped'
  readonly message: string
  readonly correlationId: string
  /** Whether it is about the post that is out. */
  readonly isPosted?: boolean
}

/** One line of the log about what somebody did with an item; `item` is as it is now. */
export async function recordItemAction(db: Database, item: Item, action: ItemAction): Promise<void> {
  const { by, isPosted = false, ...rest } = action
  const type = await logTypeOf(db, item)
  await recordAction(db, {
    ...rest,
    type: isPosted ? `${type}_posted` : type,
    metadata: { item_id: item.id, network: item.network, rev: item.rev },
    principal: by,
  })
}
