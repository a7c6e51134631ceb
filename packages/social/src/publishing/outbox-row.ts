import { contentOf, type ItemContent } from '../approval/item-content.js'
import type { Item } from '../approval/proposals.js'
import type { Row } from '../records/row.js'
import type { Database } from '../records/schema.js'

export type OutboxRow = Row<'outbox'>
export type OutboxPart = Row<'outbox_parts'>

/** A row with all that publishing it needs. */
export interface OutboxEntry {
  readonly row: OutboxRow
  readonly item: Item
  readonly content: ItemContent
  /** By position. */
  readonly parts: readonly OutboxPart[]
}

/** Nobody but a person will look at it again. */
export const never = 8_640_000_000_000_000

export async function readEntry(db: Database, row: OutboxRow): Promise<OutboxEntry> {
  const item = await db
    .selectFrom('approval_queue')
    .selectAll()
    .where('id', '=', row.approval_id)
    .executeTakeFirstOrThrow()
  return { row, item, content: contentOf(item), parts: await partsOf(db, row.id) }
}

export function partsOf(db: Database, outboxId: number): Promise<OutboxPart[]> {
  return db.selectFrom('outbox_parts').selectAll().where('outbox_id', '=', outboxId).orderBy('position').execute()
}

export const isOut = ({ status }: OutboxPart): boolean => status === 'sent' || status === 'verified'
/** It was given to the network, and nobody knows yet what became of it. */
export const mayBeOut = ({ status }: OutboxPart): boolean => status === 'sending'
