import { nearestName } from '@callboard/worker/nearest-name'
import { readArguments } from '@callboard/worker/read-arguments'
import type { z } from 'zod'
import { QdaFailure } from '../failure.js'
import type { Arguments, QdaTool } from './qda-tool.js'

/** What a call gives, as the tool's schema has it. Throws a QdaFailure for the first thing that is missing, or all that is wrong. */
export async function readInput({ input, contentArguments = [] }: QdaTool, given: Arguments): Promise<Arguments> {
  const named = withKnownNames(given, Object.keys(input.shape))
  requireParameters(input, named)
  const read = await readArguments(input, withoutNulls(input, named))
  if ('data' in read) return read.data
  const [issue] = read.issues
  const isContent = issue !== undefined && contentArguments.includes(issue.path) && isUnstorable(issue.message)
  const path = issue?.path ?? ''
  if (isContent) throw new QdaFailure('INVALID_CONTENT', `${read.problem}.`, { details: { path } })
  throw new QdaFailure('INVALID_ARGUMENT', `${read.problem}.`, { details: { path, issues: read.issues } })
}

const isUnstorable = (message: string) => message.startsWith('must be valid Unicode')

/** Both spellings are in use for where a passage begins and ends. */
const aliases = new Map([
  ['start_pos', 'start_position'],
  ['end_pos', 'end_position'],
  ['start_position', 'start_pos'],
  ['end_position', 'end_pos'],
])

/** With each alias under the name that the tool has for it. Throws a QdaFailure where both names say something else. */
function withKnownNames(given: Arguments, known: readonly string[]): Arguments {
  const foreign = Object.keys(given).filter((name) => !known.includes(name) && known.includes(aliases.get(name) ?? ''))
  if (foreign.length === 0) return given
  const named = { ...given }
  for (const name of foreign) {
    const own = aliases.get(name)!
    const isSaid = !isNothing(own, named[own])
    if (isSaid && !isNothing(name, named[name]) && String(named[own]) !== String(named[name]))
      throw new QdaFailure('INVALID_ARGUMENT', `${name} and ${own} are the same, and say different things: give one.`, {
        details: { path: name },
      })
    if (!isSaid) named[own] = named[name]
    delete named[name]
  }
  return named
}

/** In the contract's words. */
function requireParameters(input: z.ZodObject, given: Arguments): void {
  const { required } = shapeOf(input)
  const missing = required.find((name) => isNothing(name, given[name]))
  if (missing === undefined) return
  const foreign = Object.keys(given).filter((key) => !Object.hasOwn(input.shape, key))
  const near = nearestName(missing, foreign)
  throw new QdaFailure('MISSING_PARAMETER', `Missing required parameter: ${missing}`, {
    details: { path: missing },
    ...(near !== undefined && { suggestions: [`You gave ${near}: did you mean ${missing}?`] }),
  })
}

/** A name of blanks alone names nothing. */
function isNothing(name: string, value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === 'string' && (/(^|_)name$/.test(name) ? value.trim() : value) === ''
}

/** Agents write null for what they do not give. */
function withoutNulls(input: z.ZodObject, given: Arguments): Arguments {
  const { nullable } = shapeOf(input)
  const isLeftOut = ([name, value]: readonly [string, unknown]) =>
    value === null && Object.hasOwn(input.shape, name) && !nullable.has(name)
  const entries = Object.entries(given)
  return entries.some(isLeftOut) ? Object.fromEntries(entries.filter((entry) => !isLeftOut(entry))) : given
}

interface Shape {
  readonly required: readonly string[]
  readonly nullable: ReadonlySet<string>
}

const shapes = new WeakMap<z.ZodObject, Shape>()

function shapeOf(input: z.ZodObject): Shape {
  let shape = shapes.get(input)
  if (shape === undefined) {
    const takes = (value: unknown) =>
      Object.entries(input.shape).flatMap(([name, schema]) =>
        (schema as z.ZodType).safeParse(value).success ? [name] : [],
      )
    const optional = takes(undefined)
    shape = {
      required: Object.keys(input.shape).filter((name) => !optional.includes(name)),
      nullable: new Set(takes(null)),
    }
    shapes.set(input, shape)
  }
  return shape
}
