/**
 * Checks of single head fields. A check answers what is wrong in a few words, or `undefined`.
 * Nothing here throws, whatever the value is.
 */
export type Check = (value: unknown) => string | undefined

export const text =
  (lengthMax: number, lengthMin = 1): Check =>
  (value) =>
    typeof value === 'string' && value.length >= lengthMin && value.length <= lengthMax
      ? undefined
      : `must be a string of ${lengthMin} to ${lengthMax} characters`

/** Printable ASCII without space: safe in a log line, a file name's part and a terminal. */
export const token =
  (lengthMax: number): Check =>
  (value) =>
    typeof value === 'string' && value.length <= lengthMax && /^[!-~]+$/.test(value)
      ? undefined
      : `must be 1 to ${lengthMax} printable ASCII characters without spaces`

export const matching =
  (pattern: RegExp, form: string): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : `must be ${form}`

export const integer =
  (min: number, max: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`

export const boolean: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false')

export const oneOf = (values: readonly string[]): Check => {
  const known = new Set<unknown>(values)
  return (value) => (known.has(value) ? undefined : `must be one of ${values.join(', ')}`)
}

export const bytes =
  (length: number): Check =>
  (value) =>
    value instanceof Uint8Array && value.length === length ? undefined : `must be ${length} bytes`

export const listOf =
  (check: Check, countMax: number): Check =>
  (value) => {
    if (!Array.isArray(value) || value.length > countMax) return `must be a list of at most ${countMax}`
    for (const entry of value) {
      const problem = check(entry)
      if (problem !== undefined) return `has an entry that ${problem}`
    }
    return undefined
  }

/** A field of a map: its name, its check, and whether it may be absent. */
export interface Field {
  readonly name: string
  readonly check: Check
  readonly optional: boolean
  /** Set for a nested map, whose unknown keys are dropped as well. */
  readonly fields?: readonly Field[]
}

export const required = (name: string, check: Check): Field => ({ name, check, optional: false })
export const optional = (name: string, check: Check): Field => ({ name, check, optional: true })

export const nested = (name: string, fields: readonly Field[], isOptional = false): Field => ({
  name,
  check: isMap,
  optional: isOptional,
  fields,
})

const isMap: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
    ? undefined
    : 'must be a map'

/** What picking a map's known fields came to. */
export type Picked =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly missing: boolean; readonly problem: string }

/** Copies the known fields, checked; unknown keys are left behind. nil counts as absent. [CB-7] */
export function pick(source: object, fields: readonly Field[]): Picked {
  const value: Record<string, unknown> = {}
  for (const field of fields) {
    const found = Object.hasOwn(source, field.name) ? (source as Record<string, unknown>)[field.name] : undefined
    if (found === undefined || found === null) {
      if (field.optional) continue
      return { ok: false, missing: true, problem: `${field.name} is missing` }
    }
    const problem = field.check(found)
    if (problem !== undefined) return { ok: false, missing: false, problem: `${field.name} ${problem}` }
    if (field.fields === undefined) {
      value[field.name] = found
      continue
    }
    const inner = pick(found, field.fields)
    if (!inner.ok) return { ...inner, problem: `${field.name}.${inner.problem}` }
    value[field.name] = inner.value
  }
  return { ok: true, value }
}
