import type { Proposals } from '../approval/proposals.js'
import type { NetworkName, SocialConfig } from '../config.js'
import type { ContentWriter } from '../content/content-writer.js'
import type { DiscoveredPosts } from '../discovery/discovered-posts.js'
import type { SocialFailure } from '../envelope/failure.js'
import type { Foundation } from '../foundation.js'
import type { NetworkAdapter } from '../networks/network-adapter.js'
import type { Candidate } from '../policy/safety-checks.js'
import type { Database } from '../records/schema.js'

/** Owner of all that nobody asked for. */
export const autopilotOwner = 'system:autopilot'

/** What the autopilot of one network works with. */
export interface AutopilotParts {
  readonly foundation: Foundation
  readonly network: NetworkAdapter
  readonly discovered: Pick<DiscoveredPosts, 'feed'>
  readonly writer: ContentWriter
  readonly proposals: Proposals
  /** The rules that a proposal will be judged by: policy/safety-checks.ts. */
  safetyProblem(db: Database, candidate: Candidate, config: SocialConfig): Promise<SocialFailure | undefined>
  /** What to write about now; undefined: nothing is known, and the writer chooses. */
  chooseTopic(network: NetworkName): Promise<string | undefined>
}

/** Whether texts can be had at all: without a model they are templates, unless an operator has switched these off. */
export function canWrite({ writer, foundation }: AutopilotParts): boolean {
  return writer.hasModel || foundation.config.llm.templates
}
