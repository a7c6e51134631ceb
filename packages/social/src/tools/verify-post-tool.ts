import { z } from 'zod'
import { readEntry } from '../publishing/outbox-row.js'
import { readBack, recordReading } from '../publishing/read-back.js'
import { findAskedItem, itemInput } from './item-input.js'
import { itemStatuses, statusOf } from './item-view.js'
import { backendOf } from './network-input.js'
import type { ProposalParts } from './proposal-tools.js'
import { changing, proposes, type SocialTool } from './social-tool.js'

export function verifyPostTool({ store, clock, networks }: ProposalParts): SocialTool {
  return changing({
    name: 'verify_post',
    title: 'Verify a post',
    description:
      'Reads a published post back from its network and compares it with what was approved. verified is false, too, while nothing is published.',
    input: z.strictObject(itemInput),
    data: z.strictObject({
      id: z.int(),
      status: z.enum(itemStatuses),
      verified: z.boolean(),
      differences: z.array(
        z.strictObject({
          part: z.int(),
          field: z.enum(['missing', 'text', 'author', 'parent', 'media']),
          expected: z.string(),
          found: z.string(),
        }),
      ),
    }),
    marks: proposes,
    async prepare(asked, actor, { signal }) {
      const item = await findAskedItem(store.db, asked, actor)
      if (item.status !== 'posted') return undefined
      const row = await store.db
        .selectFrom('outbox')
        .selectAll()
        .where('approval_id', '=', item.id)
        .executeTakeFirstOrThrow()
      const entry = await readEntry(store.db, row)
      return { entry, differences: await readBack(entry, networks.get(item.network), signal) }
    },
    async change(asked, actor, db, reading) {
      const item = await findAskedItem(db, asked, actor)
      if (reading !== undefined) await recordReading(db, reading.entry, reading.differences, clock.now())
      const data = {
        id: item.id,
        status: statusOf(item, clock.now()),
        verified: reading !== undefined && reading.differences.length === 0,
        differences: [...(reading?.differences ?? [])],
      }
      return { data, meta: backendOf(item.network) }
    },
  })
}
