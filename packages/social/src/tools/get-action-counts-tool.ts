import { z } from 'zod'
import { countLog } from '../activity/action-log.js'
import type { Foundation } from '../foundation.js'
import { hourMs } from '../limits.js'
import { sinceHoursInput } from './common-input.js'
import { backendOfAll, networkFilter } from './network-input.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const input = z.strictObject({
  since_hours: sinceHoursInput,
  network: networkFilter,
})

export function getActionCountsTool({ config, store, clock }: Foundation): SocialTool {
  return answering({
    name: 'get_action_counts',
    title: 'Action counts',
    description: 'How many entries the action log has of each type, whatever became of them.',
    input,
    data: z.record(z.string(), z.int()),
    marks: reads,
    async answer({ since_hours, network }) {
      const since = clock.now() - since_hours * hourMs
      return {
        data: { ...(await countLog(store.db, { since, network })) },
        meta: backendOfAll(config.networks, network),
      }
    },
  })
}
