import type { Caller, SessionView, ToolDefinition } from '@callboard/protocol'

/** What a hub lists of a worker's tools for one session. [CB-26] [CB-28] */
export function listedTools(
  everybodys: readonly ToolDefinition[],
  { hiddenTools = [], shownTools = [], tools: own = [] }: SessionView,
  roles: Caller['roles'],
): readonly ToolDefinition[] {
  const isListed = ({ name, _meta }: ToolDefinition) =>
    (_meta?.['callboard/listed'] !== false || shownTools.includes(name)) && !hiddenTools.includes(name)
  const inPlace = everybodys.flatMap(
    (tool) => own.find(({ name }) => name === tool.name) ?? (isListed(tool) ? [tool] : []),
  )
  const behind = own.filter(({ name }) => everybodys.every((tool) => tool.name !== name))
  return [...inPlace, ...behind].filter((tool) => isFor(tool, roles)).map(asAgentsGet)
}

function isFor({ _meta }: ToolDefinition, roles: Caller['roles']): boolean {
  const wanted = _meta?.['callboard/roles']
  return !Array.isArray(wanted) || wanted.some((role) => roles.includes(role))
}

function asAgentsGet({ _meta = {}, ...tool }: ToolDefinition): ToolDefinition {
  const shown = Object.entries(_meta).filter(([key]) => !key.startsWith('callboard/'))
  return { ...tool, ...(shown.length > 0 && { _meta: Object.fromEntries(shown) }) }
}
