import { closeProjectTool } from './close-project-tool.js'
import { getProjectContextTool } from './get-project-context-tool.js'
import { openProjectTool } from './open-project-tool.js'
import type { QdaTool } from './qda-tool.js'
import type { ToolParts } from './tool-parts.js'

/** Everything that agents and operators may call, in the order of lists. */
export function allTools(parts: ToolParts): readonly QdaTool[] {
  return [
    // Projects
    getProjectContextTool(parts.desk),
    openProjectTool(parts),
    closeProjectTool(parts.desk),
    // Sources
    // Folders
    // Codes
    // Codings
    // Automatic coding
    // Memos and journals
    // Search and statistics
    // Suggestions
    // Exchange
    // Changes, backups, repair
  ]
}
