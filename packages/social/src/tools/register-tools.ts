import type { Worker } from '@callboard/worker'
import type { Foundation } from '../foundation.js'
import { serveTool } from './serve-tool.js'
import type { SocialTool } from './social-tool.js'

export function registerTools(worker: Worker, tools: readonly SocialTool[], foundation: Foundation): void {
  for (const tool of tools) serveTool(worker, tool, foundation)
}
