import type { Suggestion } from '../approvals/suggestions.js'
import type { Writer } from '../changes/writer.js'
import type { FileTool, ProjectCall, WriteTool } from '../tools/qda-tool.js'

/** What else a write brings with it. */
export interface AfterWrites {
  /** Before the first write of a session to a project: a backup. */
  beforeFirst(call: ProjectCall): Promise<void>
  /** After the transaction: files that move with it, what was kept of the old state, the log, and the other sessions. */
  written(call: ProjectCall, tool: WriteTool, writer: Writer): Promise<void>
  operated(call: ProjectCall, tool: FileTool): Promise<void>
  queued(call: ProjectCall, suggestion: Suggestion): Promise<void>
  decided(call: ProjectCall, suggestionId: string): Promise<void>
}
