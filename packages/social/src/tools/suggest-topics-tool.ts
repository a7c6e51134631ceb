import { z } from 'zod'
import { rankTopics } from '../content/topics/rank-topics.js'
import type { Foundation } from '../foundation.js'
import { suggestionsMax } from '../limits.js'
import type { Networks } from '../networks/networks.js'
import { backendOf, networkInput } from './network-input.js'
import { answering, reads, type SocialTool } from './social-tool.js'

export interface TopicParts {
  readonly foundation: Foundation
  readonly networks: Networks
}

const input = z.object({
  count: z.int().min(1).max(suggestionsMax).default(10).describe('At most so many'),
  network: networkInput,
})

const data = z.array(
  z.strictObject({
    topic: z.string(),
    score: z.number().min(0).max(100).describe('Compared with the best measured topic, which has 100'),
    source: z.enum(['performance', 'profile']),
    samples: z.int().min(0).describe('Posts that were measured'),
    reason: z.string(),
  }),
)

export function suggestTopicsTool({ foundation, networks }: TopicParts): SocialTool {
  return answering({
    name: 'suggest_topics',
    title: 'Suggest topics',
    description:
      'What to write about next, best first: topics whose posts were measured, by what they brought, then topics of the profile that have not been used for seven days. reason says where the score comes from.',
    input,
    data,
    marks: reads,
    async answer({ count, network: name }) {
      const { store, config, clock } = foundation
      const network = networks.get(name)
      const question = { business: config.business, network: network.name, now: clock.now() }
      const ranked = await rankTopics(store.db, question)
      const data = ranked
        .slice(0, count)
        .map(({ topic, score, source, samples, reason }) => ({ topic, score, source, samples, reason }))
      return { data, meta: backendOf(network.name) }
    },
  })
}
