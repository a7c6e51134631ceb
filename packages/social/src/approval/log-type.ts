import type { Database } from '../records/schema.js'
import { contentOf } from './item-content.js'
import type { Item } from './proposals.js'

/** Under which type the action log tells of the item. */
export async function logTypeOf(db: Database, item: Item): Promise<string> {
  if (item.action_type !== 'reply') return item.action_type
  const found = await db
    .selectFrom('discovered_posts')
    .select('source')
    .where('network', '=', item.network)
    .where('remote_id', '=', item.target_post_id ?? '')
    .executeTakeFirst()
  if (found?.source === 'target') return 'target_reply'
  return found?.source === 'mention' || contentOf(item).target?.addressesUs ? 'mention_reply' : 'discovery_reply'
}
