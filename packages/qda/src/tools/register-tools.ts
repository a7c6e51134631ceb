import type { Worker } from '@callboard/worker'
import { Decisions } from '../approvals/decide.js'
import type { Foundation } from '../foundation.js'
import { PatternSearch } from '../patterns/pattern-search.js'
import { SessionResources } from '../resources/session-resources.js'
import { ProjectDesk } from '../sessions/project-desk.js'
import { WriteEffects } from '../sessions/write-effects.js'
import { allTools } from './all-tools.js'
import { hiddenTools } from './hidden-tools.js'
import type { FileTool, QdaTool, WriteTool } from './qda-tool.js'
import { WriteRunner } from './run-write.js'
import { completed, serveTool } from './serve-tool.js'
import type { ToolParts } from './tool-parts.js'

/** What the tools hold open. */
export interface RegisteredTools {
  /** Gives up searches, and closes every project. Idempotent. */
  close(): Promise<void>
}

/** What there is to be called, of these parts. */
export type ToolsOf = (parts: ToolParts) => readonly QdaTool[]

export function registerTools(worker: Worker, foundation: Foundation, toolsOf: ToolsOf = allTools): RegisteredTools {
  const desk = new ProjectDesk(foundation.clock)
  const effects = new WriteEffects(worker, desk, foundation)
  const resources = new SessionResources(worker, desk)
  const decisions = new Decisions(effects)
  const patterns = new PatternSearch({ clock: foundation.clock, timeoutMs: foundation.config.regexTimeoutMs })
  const parts = { ...foundation, desk, effects, resources, decisions, patterns }
  const tools = toolsOf(parts).map((tool) => completed(tool, foundation.config))
  const hidden = hiddenTools().map((tool) => completed(tool, foundation.config))
  decisions.decideOn([...tools.filter(isWrite), ...hidden])
  const writes = new WriteRunner(foundation, effects)
  for (const tool of tools) serveTool(worker, tool, { ...foundation, desk, writes })
  worker.onSessionClosed((session) => desk.close(session))
  return {
    close: async () => {
      await patterns.close()
      await desk.closeAll()
    },
  }
}

const isWrite = (tool: QdaTool): tool is WriteTool | FileTool => tool.kind === 'rows' || tool.kind === 'operation'
