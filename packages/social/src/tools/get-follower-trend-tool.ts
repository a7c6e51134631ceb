import { z } from 'zod'
import type { Foundation } from '../foundation.js'
import { followerTrend } from '../measurement/follower-trend.js'
import { cursorInput } from './common-input.js'
import { snapshotSchema } from './get-stats-tool.js'
import { backendOf, networkInput } from './network-input.js'
import { pagination, readCursor, writeCursor } from './page-cursor.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const name = 'get_follower_trend'
const datePlace = z.tuple([z.iso.date()])

export function getFollowerTrendTool({ store, config }: Foundation): SocialTool {
  return answering({
    name,
    title: 'Follower trend',
    description:
      'How many follow the account on one network, one snapshot a day: the newest page first, oldest first in it.',
    input: z.strictObject({
      limit: z.int().min(1).max(365).default(7).describe('How many of the newest snapshots.'),
      cursor: cursorInput,
      network: networkInput,
    }),
    data: z.array(snapshotSchema),
    marks: reads,
    async answer({ limit, cursor, network = config.networks[0] }) {
      const before = readCursor(name, datePlace, cursor)?.[0]
      const found = await followerTrend(store.db, {
        network,
        limit: limit + 1,
        ...(before !== undefined && { before }),
      })
      const page = found.slice(-limit)
      const next = found.length > limit ? writeCursor(name, [page[0]!.date]) : undefined
      return { data: page, meta: { pagination: pagination(page.length, next), ...backendOf(network) } }
    },
  })
}
