import { patternsMax } from '../broker/limits.js'
import { isPattern, patternRule } from '../broker/tool-filter.js'
import type { ClientView } from '../catalogue-config.js'
import { toolsTextLengthMax } from './limits.js'

/**
 * What a client asks for itself, by `callboard stdio --tools … --search` or `/mcp?tools=…&mode=search`. A sentence where it is
 * wrong: a filter that is not understood must not show everything.
 */
export function parseClientView(tools: unknown, mode: unknown): ClientView | string {
  if (mode !== undefined && mode !== 'search') return '"mode" must be search'
  const only = tools === undefined ? undefined : parsePatterns(tools)
  if (typeof only === 'string') return only
  return { ...(only !== undefined && { only }), ...(mode !== undefined && { mode }) }
}

function parsePatterns(text: unknown): readonly string[] | string {
  if (typeof text !== 'string' || text.length > toolsTextLengthMax) {
    return `"tools" must be a text of at most ${toolsTextLengthMax} characters`
  }
  const patterns = text
    .split(',')
    .map((pattern) => pattern.trim())
    .filter((pattern) => pattern !== '')
  if (patterns.length === 0) return `"tools" must name at least one tool: ${patternRule}`
  if (patterns.length > patternsMax) return `"tools" may have at most ${patternsMax} patterns`
  const wrong = patterns.find((pattern) => !isPattern(pattern))
  return wrong === undefined ? patterns : `"tools": ${JSON.stringify(wrong)} is no pattern: ${patternRule}`
}
