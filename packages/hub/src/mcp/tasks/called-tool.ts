import type { JSONRPCRequest } from '@modelcontextprotocol/server'
import type { Connection } from '../../port.js'
import { callToolDefinition, parseCallArguments } from '../tool-search/own-tools.js'
import { type TaskSupport, taskSupportOf } from './task-support.js'

/** The tool that a `tools/call` is about. */
export interface CalledTool {
  /** The call by the tool's own name. */
  readonly request: JSONRPCRequest
  /** Undefined: there is no such tool. */
  readonly support: TaskSupport | undefined
  /** It is reached through `call_tool`, which can be a task whatever the tool says: a worker notices nothing of tasks. */
  readonly isThroughSearch: boolean
  /** Why `call_tool` can't be called so. */
  readonly problem?: string
}

/** Whether a call becomes a task is decided by the tool that does the work, and not by the one that finds it. */
export function calledTool(request: JSONRPCRequest, connection: Connection): CalledTool {
  const definition = definitionOf(request.params?.['name'], connection)
  if (definition !== callToolDefinition) {
    return { request, support: definition && taskSupportOf(definition), isThroughSearch: false }
  }
  const wish = parseCallArguments(request.params?.['arguments'])
  if (typeof wish === 'string') return { request, support: 'forbidden', isThroughSearch: true, problem: wish }
  const direct = { ...request, params: { ...request.params, name: wish.name, arguments: wish.arguments } }
  const wished = definitionOf(wish.name, connection)
  // What a worker has by that name is found by the search only.
  const support = wished === callToolDefinition ? 'forbidden' : wished && taskSupportOf(wished)
  return { request: direct, support, isThroughSearch: true }
}

function definitionOf(name: unknown, connection: Connection) {
  return typeof name === 'string' ? connection.tool(name)?.definition : undefined
}
