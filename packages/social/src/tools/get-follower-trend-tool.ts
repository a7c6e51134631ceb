import { z } from 'zod'
import { networkNames } from '../config.js'
import { failure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import { followerTrend } from '../measurement/follower-trend.js'
import { snapshotSchema } from './get-stats-tool.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export function getFollowerTrendTool({ store, config }: Foundation): SocialTool {
  return answering({
    name: 'get_follower_trend',
    title: 'Follower trend',
    description:
      'How many follow the account on one network, one snapshot a day: the newest page first, oldest first in it.',
    input: z.strictObject({
      limit: z.int().min(1).max(365).default(7).describe('How many of the newest snapshots.'),
      cursor: z.string().min(1).max(200).describe('next_token of the page before: goes back in time.').optional(),
      network: z.enum(networkNames).describe('Default: the default network.').optional(),
    }),
    data: z.array(snapshotSchema),
    marks: reads,
    async answer({ limit, cursor, network = config.networks[0] }) {
      const before = cursor === undefined ? undefined : dateOf(cursor)
      const found = await followerTrend(store.db, {
        network,
        limit: limit + 1,
        ...(before !== undefined && { before }),
      })
      const page = found.slice(-limit)
      const hasMore = found.length > limit
      return {
        data: page,
        meta: {
          pagination: {
            ...(hasMore && { next_token: tokenOf(page[0]!.date) }),
            result_count: page.length,
            has_more: hasMore,
          },
          ...(network === 'local' && { provider_backend: 'local' }),
        },
      }
    },
  })
}

const tokenOf = (date: string) => Buffer.from(date).toString('base64url')

function dateOf(cursor: string): string {
  const date = Buffer.from(cursor, 'base64url').toString()
  if (/^\d{4}-\d{2}-\d{2}$/.test(date) && tokenOf(date) === cursor) return date
  throw failure('validation_error', 'cursor: not a next_token of get_follower_trend; leave it out for the newest page')
}
