import { z } from 'zod'
import { noSuchItem } from '../approval/change-item.js'
import { findItem } from '../approval/find-item.js'
import type { Item } from '../approval/proposals.js'
import type { NetworkName } from '../config.js'
import { partLengthMax, partsMax } from '../limits.js'
import type { Database } from '../records/schema.js'
import type { Actor } from './actor.js'
import { itemNetworkInput } from './network-input.js'

export const itemIdInput = z.int().min(1).max(Number.MAX_SAFE_INTEGER)

/** Which item a tool is about. */
export const itemInput = { id: itemIdInput, network: itemNetworkInput }

export const partsInput = z
  .array(z.string().min(1).max(partLengthMax))
  .min(1)
  .max(partsMax)
  .describe('One text; of a thread, one for each post.')

/** What a person saw of it when deciding. */
export const seenInput = {
  rev: z
    .int()
    .min(1)
    .max(Number.MAX_SAFE_INTEGER)
    .optional()
    .describe('The revision that was seen; another one is a conflict.'),
  content_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be the 64 hexadecimal digits that get_item gives')
    .optional()
    .describe('The content that was seen; another one is a conflict.'),
}

/** An agent's own; an operator's any. Throws `not_found`. */
export async function findAskedItem(
  db: Database,
  { id, network }: { readonly id: number; readonly network?: NetworkName | undefined },
  actor: Actor,
): Promise<Item> {
  const item = await findItem(db, id, actor)
  if (network !== undefined && network !== item.network) throw noSuchItem(id)
  return item
}
