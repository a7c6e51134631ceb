import type { ForumTool, ToolMarks } from './forum-tool.js'

const reads: ToolMarks = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }

/** Chooses a forum for the session; once more changes nothing more. */
export const selects: ToolMarks = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}

/** Nobody knows what a forum's own tool does. */
export const mayDoAnything: ToolMarks = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
}

export function marksOf(tool: ForumTool): ToolMarks {
  return tool.kind === 'read'
    ? { ...reads, ...tool.marks }
    : { readOnlyHint: false, openWorldHint: true, ...tool.marks }
}
