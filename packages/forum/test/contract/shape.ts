/**
 * What an answer looks like. A name is a type (`int`, `text`, `truth`, `json` for anything, or words of which it is one, as in
 * `done|queued`), a list of one shape is a list, an object has these keys; `?` behind a key: it may be left out.
 */
export type Shape = string | readonly [Shape] | { readonly [key: string]: Shape }

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema, looked into.
type Schema = any

/** The shape that a JSON schema asks for; whether something may be null is left out of it. */
export function shapeOf(schema: Schema): Shape {
  const branches = (schema.anyOf ?? [schema]).filter(({ type }: Schema) => type !== 'null')
  const [only] = branches
  if (branches.length !== 1) throw new Error(`not one type: ${JSON.stringify(schema)}`)
  if (only.enum !== undefined) return only.enum.join('|')
  if (only.const !== undefined) return String(only.const)
  if (only.type === 'array') return [shapeOf(only.items)]
  if (only.type === 'object') return shapeOfObject(only)
  const type = [only.type ?? 'any'].flat().filter((each) => each !== 'null')
  return names[type.join()] ?? `unknown type ${type}`
}

const names: { readonly [type: string]: string } = { integer: 'int', string: 'text', boolean: 'truth', any: 'json' }

function shapeOfObject({ properties = {}, required = [], additionalProperties }: Schema): Shape {
  if (additionalProperties !== false) throw new Error('an object that takes any other key')
  const entries = Object.entries(properties).map(([key, schema]): [string, Shape] => [
    required.includes(key) ? key : `${key}?`,
    shapeOf(schema),
  ])
  return Object.fromEntries(entries)
}

/** Where a value is not of that shape, each place with what is wrong; null is of any. An empty list shows nothing, which is wrong. */
export function misfits(shape: Shape, value: unknown, path = '$'): readonly string[] {
  if (value === null) return []
  if (typeof shape === 'string')
    return isNamed(shape, value) ? [] : [`${path}: ${JSON.stringify(value)} is no ${shape}`]
  if (Array.isArray(shape)) return misfitsOfList(shape[0], value, path)
  if (typeof value !== 'object' || Array.isArray(value)) return [`${path}: no object`]
  return misfitsOfObject(shape as { readonly [key: string]: Shape }, value, path)
}

function isNamed(name: string, value: unknown): boolean {
  if (name === 'json') return true
  if (name === 'int') return Number.isSafeInteger(value)
  if (name === 'truth') return typeof value === 'boolean'
  if (name === 'text') return typeof value === 'string'
  return name.split('|').includes(String(value))
}

function misfitsOfList(shape: Shape, value: unknown, path: string): readonly string[] {
  if (!Array.isArray(value)) return [`${path}: no list`]
  if (value.length === 0) return [`${path}: nothing in it`]
  return value.flatMap((item, index) => misfits(shape, item, `${path}[${index}]`))
}

function misfitsOfObject(shape: { readonly [key: string]: Shape }, value: object, path: string): readonly string[] {
  const known = new Map(Object.entries(shape).map(([key, inner]) => [key.replace('?', ''), inner]))
  const missing = Object.keys(shape).filter((key) => !key.endsWith('?') && !(key in value))
  const wrong = Object.entries(value).flatMap(([key, inner]) => {
    const expected = known.get(key)
    return expected === undefined
      ? [`${path}.${key}: there is no such key`]
      : misfits(expected, inner, `${path}.${key}`)
  })
  return [...missing.map((key) => `${path}.${key}: missing`), ...wrong]
}
