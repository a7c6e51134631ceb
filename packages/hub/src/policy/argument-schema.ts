import { didYouMean } from '@callboard/protocol/nearest-name'
import { isObject, oneOf, type Report, shown } from '../config-fields.js'
import { checkWorkMax, patternLengthMax, schemaDepthMax, schemaNodesMax } from './limits.js'

/** What is wrong with arguments, as the end of a sentence; undefined: nothing. */
export type ArgumentCheck = (given: unknown) => string | undefined

/** An engine for patterns that takes linear time. `work`: about what a character costs it. @throws for what is none. */
export type CompilePattern = (pattern: string) => { readonly work: number; test(text: string): boolean }

/**
 * Reads a schema, which is JSON Schema 2020-12 as far as {@link keywords} go. Anything else in it is refused: a keyword that is
 * passed over would be a condition that does not hold anybody.
 */
export function compileSchema(
  schema: unknown,
  where: string,
  compilePattern: CompilePattern,
  report: Report,
): ArgumentCheck {
  const compiler = new Compiler(compilePattern, report)
  const test = compiler.compile(schema, where, 0, true)
  return (given) => {
    try {
      return test(given, 'the arguments', { left: checkWorkMax })
    } catch (error) {
      if (error instanceof TooMuchWork) return 'they are too long to be checked'
      throw error
    }
  }
}

interface Work {
  left: number
}

/** No verdict at all: within a `not`, too, it must not become a good one. */
class TooMuchWork extends Error {}

function spend(work: Work, steps: number): void {
  work.left -= steps
  if (work.left < 0) throw new TooMuchWork()
}

/** `at`: the value, in words. */
type Test = (value: unknown, at: string, work: Work) => string | undefined
type Schema = Readonly<Record<string, unknown>>

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const
type TypeName = (typeof types)[number]

/** The types that a keyword speaks of: of values of any other it says nothing, which is not what its author means. */
const about: Readonly<Record<string, readonly TypeName[]>> = {
  properties: ['object'],
  required: ['object'],
  additionalProperties: ['object'],
  propertyNames: ['object'],
  minProperties: ['object'],
  maxProperties: ['object'],
  items: ['array'],
  minItems: ['array'],
  maxItems: ['array'],
  minLength: ['string'],
  maxLength: ['string'],
  pattern: ['string'],
  minimum: ['number', 'integer'],
  maximum: ['number', 'integer'],
  exclusiveMinimum: ['number', 'integer'],
  exclusiveMaximum: ['number', 'integer'],
}
const general = ['type', 'const', 'enum', 'allOf', 'anyOf', 'oneOf', 'not']
const words = ['title', 'description', '$comment']
const keywords = [...Object.keys(about), ...general, ...words]

class Compiler {
  readonly #compilePattern: CompilePattern
  readonly #report: Report
  #nodes = 0

  constructor(compilePattern: CompilePattern, report: Report) {
    this.#compilePattern = compilePattern
    this.#report = report
  }

  /** `isObjects`: it is for the arguments, which are an object without its saying so. */
  compile(schema: unknown, where: string, depth: number, isObjects = false): Test {
    if (typeof schema === 'boolean') return (_, at) => (schema ? undefined : `${at} must not be there`)
    if (!isObject(schema)) return this.#wrong(where, 'must be a JSON Schema: an object, true or false')
    if (++this.#nodes > schemaNodesMax) return this.#tooMany(where)
    if (depth > schemaDepthMax) return this.#wrong(where, `is deeper than ${schemaDepthMax}`)
    const own = schema as Schema
    const tests = Object.keys(own).flatMap((key) => this.#keyword(own, key, `${where}.${key}`, depth, isObjects) ?? [])
    return (value, at, work) => {
      spend(work, 1 + tests.length)
      for (const test of tests) {
        const problem = test(value, at, work)
        if (problem !== undefined) return problem
      }
      return undefined
    }
  }

  #keyword(schema: Schema, key: string, where: string, depth: number, isObjects: boolean): Test | undefined {
    if (words.includes(key)) return undefined
    if (!keywords.includes(key)) {
      const hint = didYouMean(key, keywords) || `: what a policy knows is ${oneOf(keywords)}`
      return this.#wrong(where, `is no keyword that a policy knows${hint}`)
    }
    const types = Object.hasOwn(about, key) ? about[key] : undefined
    if (types !== undefined && !speaksOf(schema, types, isObjects)) {
      return this.#wrong(where, `says nothing of values of other types: add "type": "${types[0]}" beside it`)
    }
    return this.#test(schema, key, where, depth, isObjects)
  }

  #test(schema: Schema, key: string, where: string, depth: number, isObjects: boolean): Test | undefined {
    const operand = schema[key]
    switch (key) {
      case 'type':
        return this.#type(operand, where)
      case 'const':
        return (value, at, work) => {
          spend(work, sizeOf(value) ?? 0)
          return isSame(value, operand) ? undefined : `${at} must be ${shown(operand)}`
        }
      case 'enum':
        return this.#enum(operand, where)
      case 'properties':
        return this.#properties(operand, where, depth)
      case 'required':
        return this.#required(operand, where)
      case 'additionalProperties':
        return this.#additional(schema, where, depth)
      case 'propertyNames':
        return this.#names(operand, where, depth)
      case 'items':
        return this.#items(operand, where, depth)
      case 'pattern':
        return this.#pattern(operand, where)
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        return this.#branches(key, operand, where, depth, isObjects)
      case 'not': {
        const test = this.compile(operand, where, depth + 1, isObjects)
        return (value, at, work) =>
          test(value, at, work) === undefined ? `${at} must not be what the policy excludes` : undefined
      }
      default:
        return this.#bound(key, operand, where)
    }
  }

  #type(operand: unknown, where: string): Test {
    const wanted = Array.isArray(operand) ? operand : [operand]
    const known = wanted.filter((each): each is TypeName => types.some((type) => type === each))
    if (known.length === 0 || known.length < wanted.length) return this.#wrong(where, `must be ${oneOf(types)}`)
    return (value, at) => (known.some((type) => isOf(value, type)) ? undefined : `${at} must be ${known.join(' or ')}`)
  }

  #enum(operand: unknown, where: string): Test {
    if (!Array.isArray(operand) || operand.length === 0) return this.#wrong(where, 'must be a list of values')
    return (value, at, work) => {
      spend(work, operand.length * (1 + (sizeOf(value) ?? 0)))
      return operand.some((each) => isSame(value, each)) ? undefined : `${at} must be one of ${shown(operand)}`
    }
  }

  #properties(operand: unknown, where: string, depth: number): Test {
    if (!isObject(operand)) return this.#wrong(where, 'must be an object of schemas')
    const tests = Object.entries(operand).map(
      ([name, schema]) => [name, this.compile(schema, `${where}.${name}`, depth + 1)] as const,
    )
    return (value, at, work) => {
      if (!isObject(value)) return undefined
      spend(work, tests.length)
      for (const [name, test] of tests) {
        if (!Object.hasOwn(value, name)) continue
        const problem = test((value as Schema)[name], within(at, name), work)
        if (problem !== undefined) return problem
      }
      return undefined
    }
  }

  #required(operand: unknown, where: string): Test {
    if (!isTexts(operand)) return this.#wrong(where, 'must be a list of names, like ["path"]')
    return (value, at) => {
      const missing = isObject(value) ? operand.find((name) => !Object.hasOwn(value, name)) : undefined
      return missing === undefined ? undefined : `${within(at, missing)} is missing`
    }
  }

  #additional(schema: Schema, where: string, depth: number): Test {
    const { properties } = schema
    const known = new Set(isObject(properties) ? Object.keys(properties) : [])
    const test = this.compile(schema['additionalProperties'], where, depth + 1)
    return eachProperty((name, value, at, work) => (known.has(name) ? undefined : test(value, within(at, name), work)))
  }

  #names(operand: unknown, where: string, depth: number): Test {
    const test = this.compile(operand, where, depth + 1)
    return eachProperty((name, _, at, work) => test(name, `the name ${shown(name)} in ${at}`, work))
  }

  #items(operand: unknown, where: string, depth: number): Test {
    const test = this.compile(operand, where, depth + 1)
    return (value, at, work) => {
      if (!Array.isArray(value)) return undefined
      for (const [index, item] of value.entries()) {
        const problem = test(item, within(at, String(index)), work)
        if (problem !== undefined) return problem
      }
      return undefined
    }
  }

  #pattern(operand: unknown, where: string): Test {
    if (typeof operand !== 'string' || operand.length > patternLengthMax) {
      return this.#wrong(where, `must be a pattern of ${patternLengthMax} characters at most`)
    }
    try {
      const { work: cost, test } = this.#compilePattern(operand)
      return (value, at, work) => {
        if (typeof value !== 'string') return undefined
        spend(work, cost * (value.length + 1))
        return test(value) ? undefined : `${at} must match ${operand}`
      }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return this.#wrong(where, `${shown(operand)} is no pattern in RE2's syntax, which has no look-around (${why})`)
    }
  }

  #branches(
    key: 'allOf' | 'anyOf' | 'oneOf',
    operand: unknown,
    where: string,
    depth: number,
    isObjects: boolean,
  ): Test {
    if (!Array.isArray(operand) || operand.length === 0) return this.#wrong(where, 'must be a list of schemas')
    const tests = operand.map((each, index) => this.compile(each, `${where}[${index}]`, depth + 1, isObjects))
    return (value, at, work) => {
      const problems = tests.map((test) => test(value, at, work))
      const fitting = problems.filter((problem) => problem === undefined).length
      if (key === 'allOf') return problems.find((problem) => problem !== undefined)
      if (fitting === 0) return problems[0]
      return key === 'oneOf' && fitting > 1 ? `${at} must fit one of the choices only` : undefined
    }
  }

  #bound(key: string, operand: unknown, where: string): Test {
    if (typeof operand !== 'number' || !Number.isFinite(operand)) return this.#wrong(where, 'must be a number')
    const [measure, holds, text] = bounds[key]!
    return (value, at, work) => {
      const size = measure(value)
      if (size !== undefined && typeof value !== 'number') spend(work, size)
      return size === undefined || holds(size, operand) ? undefined : `${at} must ${text} ${operand}`
    }
  }

  /** Said once. */
  #tooMany(where: string): Test {
    if (this.#nodes === schemaNodesMax + 1) this.#report(`${where}: is one of more than ${schemaNodesMax} parts`)
    return () => 'the policy is broken'
  }

  #wrong(where: string, what: string): Test {
    this.#report(`${where}: ${what}`)
    return () => 'the policy is broken'
  }
}

type Bound = readonly [(value: unknown) => number | undefined, (size: number, operand: number) => boolean, string]

const atLeast = (size: number, operand: number): boolean => size >= operand
const atMost = (size: number, operand: number): boolean => size <= operand
const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined)
/** By code points, as JSON Schema counts. */
const lengthOf = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined)
const countOf = (value: unknown) => (Array.isArray(value) ? value.length : undefined)
const sizeOf = (value: unknown) => (isObject(value) ? Object.keys(value).length : undefined)

const bounds: Readonly<Record<string, Bound>> = {
  minimum: [numberOf, atLeast, 'be at least'],
  maximum: [numberOf, atMost, 'be at most'],
  exclusiveMinimum: [numberOf, (size, operand) => size > operand, 'be more than'],
  exclusiveMaximum: [numberOf, (size, operand) => size < operand, 'be less than'],
  minLength: [lengthOf, atLeast, 'have a length of at least'],
  maxLength: [lengthOf, atMost, 'have a length of at most'],
  minItems: [countOf, atLeast, 'have at least this many items:'],
  maxItems: [countOf, atMost, 'have at most this many items:'],
  minProperties: [sizeOf, atLeast, 'have at least this many keys:'],
  maxProperties: [sizeOf, atMost, 'have at most this many keys:'],
}

function eachProperty(test: (name: string, value: unknown, at: string, work: Work) => string | undefined): Test {
  return (value, at, work) => {
    if (!isObject(value)) return undefined
    for (const [name, each] of Object.entries(value)) {
      spend(work, 1)
      const problem = test(name, each, at, work)
      if (problem !== undefined) return problem
    }
    return undefined
  }
}

function speaksOf(schema: Schema, wanted: readonly TypeName[], isObjects: boolean): boolean {
  if (isObjects && wanted.includes('object')) return true
  const { type } = schema
  const named: readonly unknown[] = Array.isArray(type) ? type : [type]
  return named.some((each) => wanted.some((one) => one === each))
}

function isOf(value: unknown, type: TypeName): boolean {
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'null':
      return value === null
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [keys, others] = [Object.keys(one), Object.keys(other)]
  const isPart = (key: string) => Object.hasOwn(other, key) && isSame((one as Schema)[key], (other as Schema)[key])
  return keys.length === others.length && keys.every(isPart)
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

const within = (at: string, name: string): string =>
  at === 'the arguments' ? shown(name).slice(1, -1) : `${at}.${shown(name).slice(1, -1)}`
