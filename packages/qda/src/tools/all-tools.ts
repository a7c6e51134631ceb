import { addTextSourceTool } from './add-text-source-tool.js'
import { batchApplyCodesTool } from './batch-apply-codes-tool.js'
import { closeProjectTool } from './close-project-tool.js'
import { createFolderTool } from './create-folder-tool.js'
import { createProjectTool } from './create-project-tool.js'
import { approveSuggestionTool, rejectSuggestionTool } from './decision-tools.js'
import { deleteFolderTool } from './delete-folder-tool.js'
import { getProjectContextTool } from './get-project-context-tool.js'
import { getSuggestionTool } from './get-suggestion-tool.js'
import { listBackupsTool } from './list-backups-tool.js'
import { listChangesTool } from './list-changes-tool.js'
import { listFoldersTool } from './list-folders-tool.js'
import { listPendingTool } from './list-pending-tool.js'
import { listSegmentsForCodeTool } from './list-segments-for-code-tool.js'
import { listSegmentsForSourceTool } from './list-segments-for-source-tool.js'
import { listSourcesTool } from './list-sources-tool.js'
import { listSuggestionsTool } from './list-suggestions-tool.js'
import { moveSourceToFolderTool } from './move-source-to-folder-tool.js'
import { navigateToSegmentTool } from './navigate-to-segment-tool.js'
import { openProjectTool } from './open-project-tool.js'
import type { QdaTool } from './qda-tool.js'
import { readSourceContentTool } from './read-source-content-tool.js'
import { removeCodingTool } from './remove-coding-tool.js'
import { removeSourceTool } from './remove-source-tool.js'
import { renameFolderTool } from './rename-folder-tool.js'
import { restoreBackupTool } from './restore-backup-tool.js'
import type { ToolParts } from './tool-parts.js'
import { undoChangeSetTool } from './undo-change-set-tool.js'
import { withdrawSuggestionTool } from './withdraw-suggestion-tool.js'

/** Everything that agents and operators may call, in the order of lists. */
export function allTools(parts: ToolParts): readonly QdaTool[] {
  return [
    // Projects
    getProjectContextTool(parts.desk),
    openProjectTool(parts),
    closeProjectTool(parts),
    createProjectTool(parts),
    // Sources
    listSourcesTool(),
    readSourceContentTool(),
    navigateToSegmentTool(parts),
    addTextSourceTool(),
    removeSourceTool(),
    // Folders
    listFoldersTool(),
    createFolderTool(),
    renameFolderTool(),
    deleteFolderTool(),
    moveSourceToFolderTool(),
    // Codes
    // Codings
    batchApplyCodesTool(parts),
    listSegmentsForSourceTool(),
    listSegmentsForCodeTool(parts),
    removeCodingTool(),
    // Automatic coding
    // Memos and journals
    // Search and statistics
    // Suggestions
    listPendingTool(),
    getSuggestionTool(),
    withdrawSuggestionTool(parts),
    listSuggestionsTool(parts),
    approveSuggestionTool(parts),
    rejectSuggestionTool(parts),
    // Exchange
    // Changes, backups, repair
    listChangesTool(),
    undoChangeSetTool(),
    listBackupsTool(),
    restoreBackupTool(parts),
  ]
}
