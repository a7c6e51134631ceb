import type { Foundation } from '../foundation.js'
import type { Networks } from '../networks/networks.js'
import { getItemTool } from './get-item-tool.js'
import { getPendingCountTool } from './get-pending-count-tool.js'
import { listOutboxTool } from './list-outbox-tool.js'
import { listPendingApprovalsTool } from './list-pending-approvals-tool.js'
import type { SocialTool } from './social-tool.js'

export type QueueParts = Pick<Foundation, 'store' | 'clock' | 'config'> & { readonly networks: Networks }

/** What waits, what was decided, what became of it: an agent's own, an operator's all. */
export function queueTools(parts: QueueParts): readonly SocialTool[] {
  return [listPendingApprovalsTool(parts), getPendingCountTool(parts), getItemTool(parts), listOutboxTool(parts)]
}
