import type { WriteTool } from './qda-tool.js'

/** What only an approved suggestion does. */
export function hiddenTools(): readonly WriteTool[] {
  return []
}
