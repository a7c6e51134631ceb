import { didYouMean } from '@callboard/protocol/nearest-name'
import { escapeControls } from '../escape-controls.js'
import { UsageError } from '../usage-error.js'

type Schema = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly inputSchema: Schema
}

/**
 * `key=value` words, or one JSON object. A value is JSON where the tool's schema takes no string there, else it is the
 * string itself; `key:=json` is always JSON.
 * @throws UsageError that names what is missing, unknown or unreadable.
 */
export function parseArguments(tool: Tool, words: readonly string[]): Record<string, unknown> {
  const properties = (tool.inputSchema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  const given =
    words.length === 1 && words[0]!.trimStart().startsWith('{')
      ? parseObject(words[0]!)
      : Object.fromEntries(words.map((word) => parseWord(word, properties)))
  requireKnown(tool, Object.keys(given), Object.keys(properties))
  requireAll(tool, given, properties)
  return given
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch (error) {
    throw misused(`The arguments are not a JSON object: ${(error as Error).message}`)
  }
}

function parseWord(word: string, properties: Readonly<Record<string, Schema>>): [string, unknown] {
  const [, key, colon, text] = /^([^=:]+)(:?)=(.*)$/s.exec(word) ?? []
  if (key === undefined || text === undefined) {
    throw misused(`${word} is no argument: write key=value, key:=json, or one JSON object.`)
  }
  const schema = properties[key]
  if (colon !== ':' && (schema === undefined || takesString(schema, text))) return [key, text]
  try {
    return [key, JSON.parse(text)]
  } catch {
    const example = schema?.['type'] === 'array' ? `, as in ${key}:='["a", "b"]'` : ''
    throw misused(`${key} must be ${describeType(schema)} as JSON${example}, and ${text} is not.`)
  }
}

function takesString(schema: Schema, text: string): boolean {
  const { type, enum: choices, const: only } = schema
  if (typeof type === 'string') return type === 'string'
  if (Array.isArray(type)) return type.includes('string')
  if (Array.isArray(choices)) return choices.includes(text)
  if (only !== undefined) return only === text
  const branches = branchesOf(schema)
  return branches === undefined ? !isJson(text) : branches.some((branch) => takesString(branch, text))
}

function branchesOf({ anyOf, oneOf }: Schema): readonly Schema[] | undefined {
  const branches = anyOf ?? oneOf
  return Array.isArray(branches) ? (branches as Schema[]) : undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function requireKnown({ name, inputSchema }: Tool, given: readonly string[], known: readonly string[]): void {
  if (inputSchema['additionalProperties'] !== false) return
  for (const key of given) {
    if (known.includes(key)) continue
    const takes = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`
    throw misused(`${name} takes no argument ${key}${didYouMean(key, known)}: ${takes}.`)
  }
}

function requireAll(
  { name, inputSchema }: Tool,
  given: Readonly<Record<string, unknown>>,
  properties: Readonly<Record<string, Schema>>,
): void {
  const required = (inputSchema['required'] ?? []) as readonly string[]
  const missing = required.filter((key) => !Object.hasOwn(given, key))
  if (missing.length === 0) return
  const named = missing.map((key) => `${key} (${describeType(properties[key])})`).join(', ')
  throw misused(`${name} needs ${named}: write ${missing.map((key) => `${key}=…`).join(' ')}.`)
}

function describeType(schema: Schema | undefined): string {
  const type = schema?.['type']
  if (typeof type === 'string') return type
  if (Array.isArray(type)) return type.join(' or ')
  const branches = schema === undefined ? undefined : branchesOf(schema)
  return branches === undefined ? 'a value' : branches.map(describeType).join(' or ')
}

/** The names in it are the worker's. */
function misused(message: string): UsageError {
  return new UsageError(escapeControls(message))
}
