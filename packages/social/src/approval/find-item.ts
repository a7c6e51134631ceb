import type { Database } from '../records/schema.js'
import type { Actor } from '../tools/actor.js'
import { changedMeanwhile, noSuchItem } from './change-item.js'
import type { Item } from './proposals.js'

/** The item as it is stored. An agent's own only: to others it does not exist. Throws `not_found`. */
export async function findItem(db: Database, id: number, actor: Actor): Promise<Item> {
  const item = await db.selectFrom('approval_queue').selectAll().where('id', '=', id).executeTakeFirst()
  if (item === undefined || (!actor.isOperator && item.owner !== actor.owner)) throw noSuchItem(id)
  return item
}

/** What a person saw of an item when deciding. */
export interface Seen {
  readonly rev?: number | undefined
  readonly content_hash?: string | undefined
}

/** Throws `conflict` when the item is no longer what was seen. */
export function requireSeen(item: Item, { rev, content_hash }: Seen): void {
  const isSame =
    (rev === undefined || rev === item.rev) && (content_hash === undefined || content_hash === item.content_hash)
  if (!isSame) throw changedMeanwhile(item)
}
