import { z } from 'zod'
import { standingOf } from '../approval/standing.js'
import type { Foundation } from '../foundation.js'
import { answering, reads, type SocialTool } from './social-tool.js'

const data = z.strictObject({
  mode: z.enum(['autopilot', 'composer']),
  approval_mode: z.boolean().describe('Whether a person has to approve: in composer mode always'),
})

export function getModeTool({ config }: Foundation): SocialTool {
  return answering({
    name: 'get_mode',
    title: 'Mode',
    description:
      'Whether this worker writes by itself (autopilot) or only helps you to (composer), and whether a person approves what goes out.',
    input: z.strictObject({}),
    data,
    marks: reads,
    answer: async () => ({ data: standingOf(config) }),
  })
}
