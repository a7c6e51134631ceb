import { applySuggestedCodingTool } from './apply-suggested-coding-tool.js'
import type { WriteTool } from './qda-tool.js'
import { setSourceMetadataTool } from './set-source-metadata-tool.js'

/** What only an approved suggestion does. */
export function hiddenTools(): readonly WriteTool[] {
  return [applySuggestedCodingTool(), setSourceMetadataTool()]
}
