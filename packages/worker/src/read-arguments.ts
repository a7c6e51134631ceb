import { didYouMean } from '@callboard/protocol/nearest-name'
import type { z } from 'zod'
import { placeOf, wordsOf } from './issue-words.js'
import { argumentDepthMax, shownProblemsMax, shownValueMax } from './limits.js'

export type ArgumentsRead<Input extends z.ZodObject> =
  | { readonly data: z.output<Input> }
  /** All that is wrong, in words that say what is right; for the agent. `issues`: the same, one by one. */
  | { readonly problem: string; readonly issues: readonly ArgumentIssue[] }

export interface ArgumentIssue {
  /** `groups[2].name`; empty for the arguments as a whole. */
  readonly path: string
  readonly message: string
}

/**
 * What a call gives, as the tool's schema has it: for workers that refuse input in a shape of their own. Text is refused that
 * no database keeps: NUL, lone surrogates, objects nested deeper than 64 levels.
 */
export async function readArguments<Input extends z.ZodObject>(
  schema: Input,
  given: { readonly [key: string]: unknown },
): Promise<ArgumentsRead<Input>> {
  const unstorable = Object.entries(given).filter(([key, value]) => !isStorable(key) || !isStorable(value))
  if (unstorable.length > 0) return refused(unstorable.map(unstorableIssue))
  const parsed = await schema.safeParseAsync(given)
  if (parsed.success) return { data: parsed.data }
  return refused(parsed.error.issues.flatMap((issue) => issuesOf(issue, given, Object.keys(schema.shape))))
}

function refused(issues: readonly ArgumentIssue[]) {
  return { problem: joined(issues.map(sentenceOf)), issues: issues.slice(0, shownProblemsMax) }
}

/** `limit: must be at most 500 (got 501)`. */
const sentenceOf = ({ path, message }: ArgumentIssue) => (path === '' ? message : `${path}: ${message}`)

function joined(problems: readonly string[]): string {
  const different = [...new Set(problems)]
  const left = different.length - shownProblemsMax
  const more = left > 0 ? [`and ${left} more`] : []
  return [...different.slice(0, shownProblemsMax), ...more].join('; ')
}

function issuesOf(issue: z.core.$ZodIssue, given: unknown, known: readonly string[]): readonly ArgumentIssue[] {
  const path = placeOf(issue.path)
  if (issue.code === 'unrecognized_keys') {
    const accepted = issue.path.length === 0 ? known : undefined
    return issue.keys.map((key) => unknownParameter(placeOf([...issue.path, key]), accepted))
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return issuesOfUnion(issue, given, known)
  if (path === '') return [{ path, message: wordsOf(issue) }]
  const value = valueAt(given, issue.path)
  const words = wordsOf(issue)
  return [{ path, message: value === undefined ? `required; ${words}` : `${words} (got ${shown(value)})` }]
}

/** The alternative that comes nearest says most: the one with the fewest problems. */
function issuesOfUnion(
  issue: z.core.$ZodIssueInvalidUnion,
  given: unknown,
  known: readonly string[],
): readonly ArgumentIssue[] {
  const nearest = issue.errors.reduce((best, errors) => (errors.length < best.length ? errors : best))
  return nearest.flatMap((inner) => issuesOf({ ...inner, path: [...issue.path, ...inner.path] }, given, known))
}

function unknownParameter(name: string, accepted: readonly string[] | undefined): ArgumentIssue {
  const path = name.length > shownValueMax ? `${name.slice(0, shownValueMax)}…` : name
  const what = 'there is no such parameter'
  if (accepted === undefined) return { path, message: what }
  if (accepted.length === 0) return { path, message: `${what}; this tool takes none` }
  return { path, message: `${what}${didYouMean(name, accepted)}; accepted: ${accepted.join(', ')}` }
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as { readonly [key: PropertyKey]: unknown })[key]
        : undefined,
    given,
  )
}

function shown(value: unknown): string {
  // Cut before it is written: a value may have megabytes.
  const short = typeof value === 'string' ? value.slice(0, shownValueMax + 1) : value
  const json = JSON.stringify(short) ?? String(short)
  return json.length > shownValueMax ? `${json.slice(0, shownValueMax)}…` : json
}

function unstorableIssue([key, value]: readonly [string, unknown]): ArgumentIssue {
  const path = isStorable(key) && key.length <= shownValueMax ? key : shown(key)
  // Of an object nobody knows yet how deep it is.
  const got = typeof value === 'string' ? ` (got ${shown(value)})` : ''
  return { path, message: `must be valid Unicode without NUL, nested at most ${argumentDepthMax} deep${got}` }
}

/** Both databases keep it, it means the same to whoever reads it, and nothing that walks through it runs out of stack. */
function isStorable(value: unknown, depthLeft = argumentDepthMax): boolean {
  if (typeof value === 'string') return /^[^\0\p{Cs}]*$/u.test(value)
  if (typeof value !== 'object' || value === null) return true
  if (depthLeft === 0) return false
  return Object.entries(value).every(([key, item]) => isStorable(key) && isStorable(item, depthLeft - 1))
}
