import type { Decisions } from '../approvals/decide.js'
import type { Foundation } from '../foundation.js'
import type { PatternSearch } from '../patterns/pattern-search.js'
import type { SessionResources } from '../resources/session-resources.js'
import type { ProjectDesk } from '../sessions/project-desk.js'
import type { WriteEffects } from '../sessions/write-effects.js'

/** What tools are made of. */
export interface ToolParts extends Foundation {
  readonly desk: ProjectDesk
  readonly effects: WriteEffects
  readonly resources: SessionResources
  readonly decisions: Decisions
  readonly patterns: PatternSearch
}
