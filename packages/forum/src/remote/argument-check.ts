import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { RE2JS } from 're2js'
import { isRecord } from '../json/read-json.js'
import { patternWorkMax, remoteArgumentBytesMax } from '../limits.js'

export interface ArgumentProblem {
  readonly path: string
  readonly message: string
}

/** Checks arguments by a schema that `schemaProblem` lets pass. Compiled when it is first needed; throws where it can't be. */
export function argumentCheck(schema: object): (given: unknown) => readonly ArgumentProblem[] {
  let validate: ValidateFunction | undefined
  return (given) => {
    if (Buffer.byteLength(JSON.stringify(given)) > remoteArgumentBytesMax)
      return [{ path: '', message: `must have at most ${remoteArgumentBytesMax} bytes as JSON` }]
    budget.left = patternWorkMax
    validate ??= compiled(schema)
    return validate(given) === true ? [] : (validate.errors ?? []).slice(0, problemsMax).map(problemOf)
  }
}

const problemsMax = 20

/** Of the check that runs: patterns that come when it is used up are left to the forum. */
const budget = { left: 0 }

/**
 * Whoever writes a pattern for us chooses how long it takes: in this engine the time grows with the text and the pattern alone.
 * What it does not know, such as a look ahead, is left to the forum.
 */
const linearTime = Object.assign((pattern: string) => ({ test: testOf(pattern), toString: () => pattern }), {
  code: 'linearTime',
})

function testOf(pattern: string): (text: string) => boolean {
  try {
    const compiledPattern = RE2JS.compile(pattern)
    const size = compiledPattern.programSize()
    return (text) => {
      budget.left -= size * (text.length + 1)
      return budget.left < 0 || compiledPattern.matcher(text).find()
    }
  } catch {
    return () => true
  }
}

const options: Options = {
  strict: false,
  validateFormats: false,
  allErrors: false,
  inlineRefs: false,
  addUsedSchema: false,
  logger: false,
  code: { regExp: linearTime },
}

function compiled(schema: object): ValidateFunction {
  const dialect = isRecord(schema) && typeof schema['$schema'] === 'string' ? schema['$schema'] : ''
  // An instance of its own: it keeps whatever it has compiled.
  const ajv = /draft-0[4-7]/.test(dialect) ? new Ajv(options) : new Ajv2020(options)
  return ajv.compile(withoutCostly(schema) as object)
}

/** `uniqueItems` compares each with each, `$id` and `$schema` name what is not here; the forum judges for itself. */
function withoutCostly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCostly)
  if (!isRecord(value)) return value
  const kept = Object.entries(value).filter(([key]) => !['uniqueItems', '$id', '$schema'].includes(key))
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutCostly(item)]))
}

function problemOf({
  instancePath,
  keyword,
  params,
  message = 'is not what the schema asks for',
}: ErrorObject): ArgumentProblem {
  const path = instancePath.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')
  if (keyword === 'additionalProperties')
    return { path, message: `${message}: ${String(params['additionalProperty'])}` }
  if (keyword === 'enum') return { path, message: `${message}: ${JSON.stringify(params['allowedValues'])}` }
  return { path, message }
}
