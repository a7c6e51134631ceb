/** An argument of a tool that HTTP clients of MCP 2026-07-28 repeat in a header, for those on the way who read no bodies. */
export interface ParamHeader {
  /** Without the prefix `Mcp-Param-`. */
  readonly name: string
  /** To the argument, through objects. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

export type ParamHeaders =
  | { readonly kind: 'valid'; readonly headers: readonly ParamHeader[] }
  | { readonly kind: 'invalid'; readonly problem: string }

const mark = 'x-mcp-header'

/** The header names of RFC 9110, section 5.1. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Clients drop a tool whose marks they can't follow, so whoever offers one is told instead. The schema's depth is bounded. */
export function paramHeadersOf(inputSchema: unknown): ParamHeaders {
  const headers: ParamHeader[] = []
  const problem = collect(inputSchema, [], headers)
  return problem === undefined ? { kind: 'valid', headers } : { kind: 'invalid', problem }
}

/** Descends along `properties`, where the place of the argument is certain; anywhere else a mark has no meaning. */
function collect(schema: unknown, path: readonly string[], headers: ParamHeader[]): string | undefined {
  if (!isObject(schema)) return undefined
  if (mark in schema) {
    const problem = take(schema, path, headers)
    if (problem !== undefined) return problem
  }
  for (const [keyword, value] of Object.entries(schema)) {
    const problem = keyword === 'properties' ? collectAll(value, path, headers) : strayMark(keyword, value, path)
    if (problem !== undefined) return problem
  }
  return undefined
}

function collectAll(properties: unknown, path: readonly string[], headers: ParamHeader[]): string | undefined {
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    const problem = collect(property, [...path, name], headers)
    if (problem !== undefined) return problem
  }
  return undefined
}

function take(schema: Record<string, unknown>, path: readonly string[], headers: ParamHeader[]): string | undefined {
  const { [mark]: name, type } = schema
  const where = path.join('.')
  if (path.length === 0) return `${mark} belongs to a property, not to the whole input`
  if (typeof name !== 'string' || !token.test(name)) return `${where}: ${mark} must be a header name`
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    return `${where}: ${mark} needs a property of type string, integer or boolean`
  }
  if (headers.some((other) => other.name.toLowerCase() === name.toLowerCase())) {
    return `${where}: ${mark} ${name} is there twice`
  }
  headers.push({ name, path, type })
  return undefined
}

/** Keywords whose values are data and no schemas. */
const dataKeywords = new Set([mark, 'default', 'const', 'enum', 'examples', 'required', 'type'])

function strayMark(keyword: string, value: unknown, path: readonly string[]): string | undefined {
  if (dataKeywords.has(keyword) || !hasMark(value)) return undefined
  const where = [...path, keyword].join('.')
  return `${where}: ${mark} is allowed only where "properties" alone lead to it`
}

function hasMark(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (!Array.isArray(value) && mark in value) return true
  return Object.entries(value).some(([keyword, entry]) => !dataKeywords.has(keyword) && hasMark(entry))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
