import { utcText } from '@callboard/worker/utc-text'
import { z } from 'zod'
import { networkNames } from '../config.js'
import type { Foundation } from '../foundation.js'
import type { Row } from '../records/row.js'
import { cursorInput } from './common-input.js'
import { backendOfAll, networkFilter } from './network-input.js'
import { pagination, readCursor, writeCursor } from './page-cursor.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const name = 'list_target_accounts'

const input = z.strictObject({
  limit: z.int().min(1).max(500).default(100),
  cursor: cursorInput,
  network: networkFilter,
})

const account = z.strictObject({
  account_id: z.string(),
  username: z.string(),
  followed_at: z.string().exactOptional(),
  first_engagement_at: z.string().exactOptional(),
  total_replies_sent: z.int(),
  last_reply_at: z.string().exactOptional(),
  status: z.literal('active'),
  network: z.enum(networkNames),
})

export function listTargetAccountsTool({ config, store }: Foundation): SocialTool {
  return answering({
    name,
    title: 'Target accounts',
    description:
      'Accounts whose posts an operator wants to be watched (social.targets.accounts), as far as they have been found; active ones.',
    input,
    data: z.array(account),
    marks: reads,
    async answer({ limit, cursor, network }) {
      const behind = readCursor(name, z.tuple([z.enum(networkNames), z.string()]), cursor)
      const rows = await store.db
        .selectFrom('targets')
        .selectAll()
        .where('status', '=', 'active')
        .$if(network !== undefined, (query) => query.where('network', '=', network!))
        .$if(behind !== undefined, (query) =>
          query.where(({ eb, refTuple, tuple }) => eb(refTuple('network', 'account_id'), '>', tuple(...behind!))),
        )
        .orderBy('network')
        .orderBy('account_id')
        .limit(limit + 1)
        .execute()
      const page = rows.slice(0, limit)
      const last = page.at(-1)
      const next =
        rows.length > limit && last !== undefined ? writeCursor(name, [last.network, last.account_id]) : undefined
      return {
        data: page.map(viewOf),
        meta: { pagination: pagination(page.length, next), ...backendOfAll(config.networks, network, page) },
      }
    },
  })
}

function viewOf(row: Row<'targets'>): z.input<typeof account> {
  const { network, account_id, username, followed_at, first_engagement_at, total_replies_sent, last_reply_at } = row
  return {
    account_id,
    username,
    ...(followed_at !== null && { followed_at: utcText(followed_at) }),
    ...(first_engagement_at !== null && { first_engagement_at: utcText(first_engagement_at) }),
    total_replies_sent,
    ...(last_reply_at !== null && { last_reply_at: utcText(last_reply_at) }),
    status: 'active',
    network,
  }
}
