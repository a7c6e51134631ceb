import type { ToolDefinition } from '@callboard/protocol'
import type { z } from 'zod'
import type { Context, SessionTool, ToolReturn, ToolSpec } from './api.js'
import { viewsMax } from './limits.js'
import { makeTool, type Tool } from './tool.js'

/** A tool for the views of single sessions. It exists where `setView` names it; throws a TypeError as `worker.tool` does. */
export function sessionTool<Input extends z.ZodObject, Output extends z.ZodType = z.ZodUnknown>(
  name: string,
  spec: ToolSpec<Input, Output>,
  handler: (
    input: z.output<Input>,
    context: Context,
  ) => Promise<ToolReturn<z.input<Output>>> | ToolReturn<z.input<Output>>,
): SessionTool {
  const tool = makeTool(name, spec, handler as Tool['handler'])
  if (spec.listed === false) throw new TypeError(`tool ${name}: listed: a session's own tool always is`)
  return new MadeSessionTool(tool)
}

export class MadeSessionTool implements SessionTool {
  readonly tool: Tool

  constructor(tool: Tool) {
    this.tool = tool
  }

  get name(): string {
    return this.tool.definition.name
  }

  get definition(): ToolDefinition {
    return this.tool.definition
  }
}

/** Which session has which tools of its own. */
export class SessionTools {
  /** By session, in the order in which they were last set, and by name. */
  readonly #tools = new Map<string, ReadonlyMap<string, Tool>>()

  set(session: string, tools: readonly MadeSessionTool[]): void {
    this.#tools.delete(session)
    if (tools.length === 0) return
    this.#tools.set(session, new Map(tools.map(({ name, tool }) => [name, tool])))
    if (this.#tools.size > viewsMax) this.#tools.delete(this.#tools.keys().next().value!)
  }

  find(session: string, name: string): Tool | undefined {
    return this.#tools.get(session)?.get(name)
  }

  close(session: string): void {
    this.#tools.delete(session)
  }
}
