import { ModuleError } from './module-api.js'
import { quoted } from './trigger.js'

/** Parameters of one request, read field by field: a wrong type is a TypeError in Python, a wrong value a ValueError. */
export class Params {
  readonly #method: string
  readonly #values: { readonly [name: string]: unknown }

  /** Refuses names that the method does not have. */
  constructor(method: string, values: { readonly [name: string]: unknown }, known: readonly string[]) {
    this.#method = method
    this.#values = values
    const unknown = Object.keys(values).filter((name) => !known.includes(name))
    if (unknown.length > 0) {
      const allowed = known.length === 0 ? 'none' : known.join(', ')
      throw new ModuleError('TypeError', `${method} has no parameter ${unknown.join(', ')}; it has ${allowed}.`)
    }
  }

  /** Absent and null mean the same. */
  has(name: string): boolean {
    return this.#value(name) !== undefined
  }

  json(name: string, bytesMax: number): unknown {
    const value = this.#value(name) ?? null
    const bytes = Buffer.byteLength(JSON.stringify(value))
    if (bytes > bytesMax) throw this.#wrong(name, `may have ${bytesMax} bytes as JSON, not ${bytes}`)
    return value
  }

  maybeNumber(name: string, least: number, most: number): number | undefined {
    const value = this.#value(name)
    if (value === undefined) return undefined
    if (typeof value !== 'number') throw this.#wrongType(name, 'a number', value)
    if (!(value >= least && value <= most)) throw this.#wrong(name, `must be from ${least} to ${most}, not ${value}`)
    return value
  }

  number(name: string, least: number, most: number): number {
    return this.maybeNumber(name, least, most) ?? this.#missing(name)
  }

  whole(name: string, least: number, most: number): number | undefined {
    const value = this.maybeNumber(name, least, most)
    if (value !== undefined && !Number.isInteger(value)) throw this.#wrong(name, `must be a whole number, not ${value}`)
    return value
  }

  maybeText(name: string, lengthMax: number): string | undefined {
    const value = this.#value(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string') throw this.#wrongType(name, 'text', value)
    if (value.length > lengthMax) throw this.#wrong(name, `may have ${lengthMax} characters, not ${value.length}`)
    return value
  }

  text(name: string, lengthMax: number): string {
    return this.maybeText(name, lengthMax) ?? this.#missing(name)
  }

  /** Not empty, and nothing that breaks a line or a database. */
  maybeName(name: string, lengthMax: number): string | undefined {
    const value = this.maybeText(name, lengthMax)
    if (value === undefined) return undefined
    if (value.trim() === '') throw this.#wrong(name, 'must not be empty')
    if (/\p{Cc}|\p{Cs}/u.test(value)) throw this.#wrong(name, 'must not contain control characters')
    return value
  }

  name(name: string, lengthMax: number): string {
    return this.maybeName(name, lengthMax) ?? this.#missing(name)
  }

  flag(name: string): boolean | undefined {
    const value = this.#value(name)
    if (value !== undefined && typeof value !== 'boolean') throw this.#wrongType(name, 'True or False', value)
    return value
  }

  texts(name: string, countMax: number): readonly string[] | undefined {
    const value = this.#value(name)
    if (value === undefined) return undefined
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
      throw this.#wrongType(name, 'a list of text', value)
    }
    if (value.length > countMax) throw this.#wrong(name, `may have ${countMax} items, not ${value.length}`)
    return value
  }

  object(name: string, bytesMax: number): { readonly [field: string]: unknown } | undefined {
    const value = this.#value(name)
    if (value === undefined) return undefined
    if (typeof value !== 'object' || Array.isArray(value)) throw this.#wrongType(name, 'a dict', value)
    return this.json(name, bytesMax) as { readonly [field: string]: unknown }
  }

  oneOf<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
    const value = this.maybeText(name, 100)
    if (value === undefined) return undefined
    const found = values.find((candidate) => candidate === value)
    return found ?? this.#fail(name, `must be ${values.join(', ')}; got ${quoted(value)}`)
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? (this.#values[name] ?? undefined) : undefined
  }

  #missing(name: string): never {
    throw new ModuleError('TypeError', `${this.#method} needs ${name}.`)
  }

  #fail(name: string, what: string): never {
    throw this.#wrong(name, what)
  }

  #wrong(name: string, what: string): ModuleError {
    return new ModuleError('ValueError', `${name} of ${this.#method} ${what}.`)
  }

  #wrongType(name: string, wanted: string, value: unknown): ModuleError {
    const got = Array.isArray(value) ? 'a list' : value === null ? 'None' : typeof value
    return new ModuleError('TypeError', `${name} of ${this.#method} must be ${wanted}, not ${got}.`)
  }
}
