import type { Foundation } from '../foundation.js'
import type { Networks } from '../networks/networks.js'
import { approveAllTool } from './approve-all-tool.js'
import { approveItemTool } from './approve-item-tool.js'
import { rejectItemTool } from './reject-item-tool.js'
import { resolveItemTool } from './resolve-item-tool.js'
import { retryItemTool } from './retry-item-tool.js'
import type { SocialTool } from './social-tool.js'
import { unscheduleItemTool } from './unschedule-item-tool.js'

export interface DecisionParts extends Foundation {
  readonly networks: Networks
  readonly wakePublisher: () => void
}

/** What people decide, and nobody else: for agents these tools do not exist. */
export function decisionTools(parts: DecisionParts): readonly SocialTool[] {
  return [
    approveItemTool(parts),
    rejectItemTool(parts),
    approveAllTool(parts),
    retryItemTool(parts),
    resolveItemTool(parts),
    unscheduleItemTool(parts),
  ]
}
