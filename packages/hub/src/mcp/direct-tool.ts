import type { ToolDefinition } from '@callboard/protocol'
import { isRecord } from './json-rpc.js'
import { taskSupportOf } from './tasks/task-support.js'

const known = new WeakMap<ToolDefinition, boolean>()

/** Whether calls of a tool may take the direct way: none of them is a task, and its results need no adapting to an era. */
export function isDirectTool(definition: ToolDefinition): boolean {
  const before = known.get(definition)
  if (before !== undefined) return before
  const { outputSchema } = definition
  const isPlain = outputSchema === undefined || (isRecord(outputSchema) && outputSchema['type'] === 'object')
  const isDirect = isPlain && taskSupportOf(definition) === 'forbidden'
  known.set(definition, isDirect)
  return isDirect
}
