import { addJournalTool } from './add-journal-tool.js'
import { addTextSourceTool } from './add-text-source-tool.js'
import { autoCodePatternTool } from './auto-code-pattern-tool.js'
import { autoCodeSpeakerTool } from './auto-code-speaker-tool.js'
import { batchApplyCodesTool } from './batch-apply-codes-tool.js'
import { closeProjectTool } from './close-project-tool.js'
import { codeCooccurrenceTool } from './code-cooccurrence-tool.js'
import { coderAgreementTool } from './coder-agreement-tool.js'
import { createCategoryTool } from './create-category-tool.js'
import { createCodeTool } from './create-code-tool.js'
import { createFolderTool } from './create-folder-tool.js'
import { createProjectTool } from './create-project-tool.js'
import { approveSuggestionTool, rejectSuggestionTool } from './decision-tools.js'
import { deleteCodeTool } from './delete-code-tool.js'
import { deleteFolderTool } from './delete-folder-tool.js'
import { exportQdcTool } from './export-qdc-tool.js'
import { exportQdpxTool } from './export-qdpx-tool.js'
import { getCodeTool } from './get-code-tool.js'
import { getMemoTool } from './get-memo-tool.js'
import { getProjectContextTool } from './get-project-context-tool.js'
import { getSuggestionTool } from './get-suggestion-tool.js'
import { importQdcTool } from './import-qdc-tool.js'
import { importQdpxTool } from './import-qdpx-tool.js'
import { listBackupsTool } from './list-backups-tool.js'
import { listCategoriesTool } from './list-categories-tool.js'
import { listChangesTool } from './list-changes-tool.js'
import { listCodesTool } from './list-codes-tool.js'
import { listFoldersTool } from './list-folders-tool.js'
import { listJournalsTool } from './list-journals-tool.js'
import { listPendingTool } from './list-pending-tool.js'
import { listSegmentsForCodeTool } from './list-segments-for-code-tool.js'
import { listSegmentsForSourceTool } from './list-segments-for-source-tool.js'
import { listSourcesTool } from './list-sources-tool.js'
import { listSuggestionsTool } from './list-suggestions-tool.js'
import { mergeCodesTool } from './merge-codes-tool.js'
import { moveSourceToFolderTool } from './move-source-to-folder-tool.js'
import { navigateToSegmentTool } from './navigate-to-segment-tool.js'
import { openProjectTool } from './open-project-tool.js'
import type { QdaTool } from './qda-tool.js'
import { readJournalTool } from './read-journal-tool.js'
import { readSourceContentTool } from './read-source-content-tool.js'
import { removeCodingTool } from './remove-coding-tool.js'
import { removeSourceTool } from './remove-source-tool.js'
import { renameFolderTool } from './rename-folder-tool.js'
import { repairPositionsTool } from './repair-positions-tool.js'
import { restoreBackupTool } from './restore-backup-tool.js'
import { searchSegmentsTool } from './search-segments-tool.js'
import { searchTextTool } from './search-text-tool.js'
import { setMemoTool } from './set-memo-tool.js'
import { suggestCodingsTool } from './suggest-codings-tool.js'
import { suggestSourceMetadataTool } from './suggest-source-metadata-tool.js'
import type { ToolParts } from './tool-parts.js'
import { undoChangeSetTool } from './undo-change-set-tool.js'
import { updateCategoryTool } from './update-category-tool.js'
import { updateCodeTool } from './update-code-tool.js'
import { verifyProjectTool } from './verify-project-tool.js'
import { withdrawSuggestionTool } from './withdraw-suggestion-tool.js'

/** Everything that agents and operators may call, in the order of lists. */
export function allTools(parts: ToolParts): readonly QdaTool[] {
  return [
    // Projects
    getProjectContextTool(parts.desk),
    openProjectTool(parts),
    closeProjectTool(parts),
    createProjectTool(parts),
    verifyProjectTool(parts),
    repairPositionsTool(parts),
    // Sources
    listSourcesTool(),
    readSourceContentTool(),
    navigateToSegmentTool(parts),
    addTextSourceTool(),
    removeSourceTool(),
    suggestSourceMetadataTool(parts),
    // Folders
    listFoldersTool(),
    createFolderTool(),
    renameFolderTool(),
    deleteFolderTool(),
    moveSourceToFolderTool(),
    // Codes
    listCodesTool(),
    getCodeTool(),
    createCodeTool(),
    updateCodeTool(),
    deleteCodeTool(),
    mergeCodesTool(),
    listCategoriesTool(),
    createCategoryTool(),
    updateCategoryTool(),
    // Codings
    batchApplyCodesTool(parts),
    listSegmentsForSourceTool(),
    listSegmentsForCodeTool(parts),
    removeCodingTool(),
    suggestCodingsTool(parts),
    searchSegmentsTool(parts),
    // Automatic coding
    autoCodePatternTool(parts),
    autoCodeSpeakerTool(parts),
    // Memos and journals
    getMemoTool(),
    setMemoTool(),
    listJournalsTool(),
    readJournalTool(),
    addJournalTool(),
    // Search and statistics
    searchTextTool(parts),
    coderAgreementTool(parts),
    codeCooccurrenceTool(parts),
    // Suggestions
    listPendingTool(),
    getSuggestionTool(),
    withdrawSuggestionTool(parts),
    listSuggestionsTool(parts),
    approveSuggestionTool(parts),
    rejectSuggestionTool(parts),
    // Exchange
    exportQdpxTool(parts),
    exportQdcTool(parts),
    importQdpxTool(parts),
    importQdcTool(parts),
    // Changes, backups, repair
    listChangesTool(),
    undoChangeSetTool(),
    listBackupsTool(),
    restoreBackupTool(parts),
  ]
}
