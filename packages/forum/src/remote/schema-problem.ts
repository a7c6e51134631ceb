import { isRecord } from '../json/read-json.js'
import { schemaDepthMax, schemaLengthMax, schemaValuesMax, schemaWorkMax } from '../limits.js'

/**
 * Why a schema that a stranger wrote can't be used, in words; undefined where it can. What is left needs a bounded time to check
 * anything by: it refers to itself alone, in no circle, and is small also with every reference written out.
 */
export function schemaProblem(schema: unknown): string | undefined {
  try {
    countCharacters(schema)
    countValues(schema, 0, { left: schemaValuesMax })
    countWork(schema, { root: schema, left: schemaWorkMax, open: new Set(), depth: 0 })
    return undefined
  } catch (error) {
    if (error instanceof SchemaProblem) return error.message
    throw error
  }
}

class SchemaProblem extends Error {}

function countCharacters(schema: unknown): void {
  if (JSON.stringify(schema).length > schemaLengthMax)
    throw new SchemaProblem(`it has more than ${schemaLengthMax} characters`)
}

function countValues(value: unknown, depth: number, budget: { left: number }): void {
  budget.left -= 1
  if (budget.left < 0) throw new SchemaProblem(`it has more than ${schemaValuesMax} values`)
  if (depth > schemaDepthMax) throw new SchemaProblem(`it is nested deeper than ${schemaDepthMax}`)
  if (typeof value !== 'object' || value === null) return
  for (const item of Object.values(value)) countValues(item, depth + 1, budget)
}

interface Work {
  readonly root: unknown
  left: number
  /** References that are being followed. */
  readonly open: Set<string>
  depth: number
}

function countWork(value: unknown, work: Work): void {
  work.left -= 1
  if (work.left < 0) throw new SchemaProblem(`with its references it has more than ${schemaWorkMax} values`)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    if (key === '$async' || key === '$dynamicRef' || key === '$recursiveRef') throw new SchemaProblem(`it uses ${key}`)
    if (key === '$ref') countReference(item, work)
    else countWork(item, work)
  }
}

function countReference(reference: unknown, work: Work): void {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference))
    throw new SchemaProblem('it refers to something outside of itself')
  if (work.open.has(reference)) throw new SchemaProblem('it refers to itself in a circle')
  work.open.add(reference)
  countWork(targetOf(reference, work.root), work)
  work.open.delete(reference)
}

/** RFC 6901, in a fragment. */
function targetOf(reference: string, root: unknown): unknown {
  const steps = decoded(reference.slice(1)).split('/').slice(1)
  return steps.reduce<unknown>((value, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if ((isRecord(value) || Array.isArray(value)) && Object.hasOwn(value, key)) return Reflect.get(value, key)
    throw new SchemaProblem(`nothing is at ${reference.slice(0, 100)}`)
  }, root)
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    throw new SchemaProblem('it has a reference that is none')
  }
}
