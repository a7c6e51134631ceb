import { nearestName } from '@callboard/protocol/nearest-name'
import type { z } from 'zod'
import { ToolError } from './errors.js'
import { after, type Eventually } from './eventually.js'
import { parseValue } from './parse-value.js'

/** Unknown fields are refused unless the author said what becomes of them (`z.looseObject`, `.catchall()`). */
export function strictly(schema: z.ZodObject): z.ZodObject {
  return schema.def.catchall === undefined ? schema.strict() : schema
}

/** The parsed input, or a ToolError `invalid_argument` that names every bad field. */
export function parseInput(schema: z.ZodObject, input: unknown): Eventually<unknown> {
  return after(parseValue(schema, input), (parsed) => {
    if (parsed.success) return parsed.data
    throw new ToolError('invalid_argument', describeIssues(parsed.issues, input, Object.keys(schema.shape)))
  })
}

/** `field: problem; field: problem`. */
export function describeIssues(
  issues: readonly z.core.$ZodIssue[],
  input: unknown,
  known: readonly string[] = [],
): string {
  return [...new Set(issues.flatMap((issue) => describe(issue, input, known)))].join('; ')
}

function describe(issue: z.core.$ZodIssue, input: unknown, known: readonly string[]): string[] {
  const field = pathText(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map(
      (key) => `${joinPath(field, key)}: unknown field${suggestion(key, issue.path.length === 0 ? known : [])}`,
    )
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return describeUnion(issue, input)
  if (issue.code === 'invalid_type' && isAbsent(input, issue.path)) return [`${field || 'input'}: required`]
  return [`${field || 'input'}: ${issue.message}`]
}

/** The alternative that comes nearest says most: the one with the fewest problems. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, input: unknown): string[] {
  const nearest = issue.errors.reduce((best, errors) => (errors.length < best.length ? errors : best))
  return nearest.flatMap((inner) => describe({ ...inner, path: [...issue.path, ...inner.path] }, input, []))
}

function isAbsent(input: unknown, path: readonly PropertyKey[]): boolean {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return false
    value = (value as { readonly [key: PropertyKey]: unknown })[key]
  }
  return value === undefined
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : joinPath(text, String(key))),
    '',
  )
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function suggestion(key: string, known: readonly string[]): string {
  const nearest = nearestName(key, known)
  if (nearest !== undefined) return `, did you mean "${nearest}"?`
  return known.length === 0 ? '' : ` (there are: ${known.join(', ')})`
}
