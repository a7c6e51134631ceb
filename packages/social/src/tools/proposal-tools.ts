import type { Proposals } from '../approval/proposals.js'
import type { Foundation } from '../foundation.js'
import type { MediaStore } from '../media/media-store.js'
import type { Networks } from '../networks/networks.js'
import { editItemTool } from './edit-item-tool.js'
import { proposePostTool } from './propose-post-tool.js'
import type { SocialTool } from './social-tool.js'
import { verifyPostTool } from './verify-post-tool.js'
import { withdrawItemTool } from './withdraw-item-tool.js'

export interface ProposalParts extends Foundation {
  readonly networks: Networks
  readonly proposals: Proposals
  readonly media: MediaStore
}

/** What agents may do with posts of their own; what they can not do is let one out. */
export function proposalTools(parts: ProposalParts): readonly SocialTool[] {
  return [proposePostTool(parts), editItemTool(parts), withdrawItemTool(parts), verifyPostTool(parts)]
}
