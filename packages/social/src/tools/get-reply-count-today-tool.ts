import { z } from 'zod'
import { countReplies } from '../activity/sent-replies.js'
import type { Foundation } from '../foundation.js'
import { dayMs } from '../limits.js'
import { utcDate } from '../measurement/utc-date.js'
import { backendOfAll, networkFilter } from './network-input.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const input = z.strictObject({ network: networkFilter })

const data = z.strictObject({ replies_today: z.int(), day: z.string().describe('UTC, like 2026-03-02') })

export function getReplyCountTodayTool({ config, store, clock }: Foundation): SocialTool {
  return answering({
    name: 'get_reply_count_today',
    title: 'Replies today',
    description: 'How many replies were posted since midnight UTC. How many more there may be says get_rate_limits.',
    input,
    data,
    marks: reads,
    async answer({ network }) {
      const day = utcDate(clock.now())
      const from = Date.parse(day)
      const replies = await countReplies(store.db, { from, to: from + dayMs, network })
      return { data: { replies_today: replies, day }, meta: backendOfAll(config.networks, network) }
    },
  })
}
