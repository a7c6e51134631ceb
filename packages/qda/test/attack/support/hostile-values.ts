import fc from 'fast-check'

/** What a JSON schema says, as far as it matters here. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

const long = 'x'.repeat(1_000_000)
const deep = JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`) as unknown

const texts = [
  '',
  ' ',
  'Hope',
  'Text.txt',
  "'; DROP TABLE source; --",
  '" OR 1=1 --',
  '../../../etc/passwd',
  '/etc',
  '/docs/../../x',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '(a+)+$',
  '[',
  '(?<a>',
  '\\',
  '%_',
  '\u2029',
  '\u202e',
  'é'.normalize('NFD'),
  '1e999',
  'NaN',
  '-1',
  '99999999999999999999',
  '#ABC',
  '#GGGGGG',
  long,
]
const numbers = [0, -0, 1, 2, 3, -1, 0.5, 1e308, 2 ** 31, 2 ** 53, 2 ** 63, Number.MAX_SAFE_INTEGER, -(2 ** 53)]
const others = [null, true, false, [], {}, deep, { toString: 1 }, JSON.parse('{"__proto__":{"x":1}}'), [null], [[]]]

const anything = fc.constantFrom<unknown>(...texts, ...numbers, ...others)

/** Arguments that a schema describes, or nearly so: each of any type and size. */
export function hostileArguments(schema: Schema): fc.Arbitrary<{ [name: string]: unknown }> {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([name, property]) => [name, hostileValue(property)]),
  )
  const stray = fc.dictionary(fc.constantFrom('nothing', 'Name', 'constructor', 'toString'), anything, { maxKeys: 1 })
  return fc
    .tuple(fc.record(properties, { requiredKeys: [] }), fc.option(stray, { freq: 8, nil: {} }))
    .map(([given, more]) => ({ ...given, ...more }))
}

function hostileValue(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 4, arbitrary: fittingValue(schema) }, { weight: 1, arbitrary: anything })
}

function fittingValue(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return fc.oneof(...options.map(fittingValue))
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return fc.constantFrom(...texts)
    case 'integer':
    case 'number':
      return fc.constantFrom<unknown>(...numbers, 1, 1, 1, 2, 2, '1', '2')
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(hostileValue(schema.items ?? {}), { maxLength: 3 })
    case 'object':
      return schema.properties === undefined ? anything : hostileArguments(schema)
    default:
      return anything
  }
}
