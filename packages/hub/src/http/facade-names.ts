import type { ToolDefinition } from '@callboard/protocol'
import type { Connection } from '../port.js'

/** Tools by their contracts' names. The same object for as long as nothing changes. */
export type ContractNames = ReadonlyMap<string, ToolDefinition>

/** Lists are made anew only when something changed. */
const known = new WeakMap<readonly ToolDefinition[], ContractNames>()

/**
 * The tools by the names that their contracts give them, also where agents see them with prefixes. A name that two
 * services share is nobody's: those tools keep their prefixes.
 */
export function contractNamesOf(connection: Connection): ContractNames {
  const tools = connection.tools('session')
  let names = known.get(tools)
  if (names === undefined) {
    names = namesOf(tools, connection)
    known.set(tools, names)
  }
  return names
}

function namesOf(tools: readonly ToolDefinition[], connection: Connection): ContractNames {
  const own = tools.map(({ name }) => connection.tool(name)?.workerName ?? name)
  const taken = new Set(tools.map(({ name }) => name))
  const counts = new Map<string, number>()
  for (const name of own) counts.set(name, (counts.get(name) ?? 0) + 1)
  const isFree = (name: string, listed: string) => counts.get(name) === 1 && (name === listed || !taken.has(name))
  return new Map(tools.map((tool, index) => [isFree(own[index]!, tool.name) ? own[index]! : tool.name, tool]))
}
