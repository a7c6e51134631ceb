import { isRecord, type JsonRecord } from '../../json/read-json.js'
import { invalidParameters, missingParameter } from './refusal.js'

/** Parameters of a request as core reads them: from the query and from the body, the body winning. */
export class Input {
  readonly all: JsonRecord

  constructor(...parts: readonly JsonRecord[]) {
    this.all = Object.assign(Object.create(null) as object, ...parts)
  }

  has(name: string): boolean {
    return this.all[name] !== undefined && this.all[name] !== null
  }

  text(name: string): string | undefined {
    const value = this.all[name]
    if (typeof value === 'string') return value
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  }

  /** @throws Refusal where it is absent or empty. */
  required(name: string): string {
    const value = this.text(name)
    if (value === undefined || value === '') throw missingParameter(name)
    return value
  }

  /** What is no whole number is none at all. */
  integer(name: string): number | undefined {
    const value = Number(this.text(name) || Number.NaN)
    return Number.isSafeInteger(value) ? value : undefined
  }

  /** @throws Refusal where it is given and not in the range. */
  limited(name: string, fallback: number, max: number, min = 1): number {
    if (!this.has(name)) return fallback
    const value = this.integer(name)
    if (value === undefined || value < min || value > max) throw invalidParameters(name)
    return value
  }

  flag(name: string): boolean {
    return ['true', '1', 't', 'on', 'yes'].includes((this.text(name) ?? '').toLowerCase())
  }

  list(name: string): readonly unknown[] | undefined {
    const value = this.all[name]
    return Array.isArray(value) ? value : undefined
  }

  integers(name: string): readonly number[] {
    return (this.list(name) ?? []).map(Number).filter((id) => Number.isSafeInteger(id))
  }

  inner(name: string): Input {
    const value = this.all[name]
    return new Input(isRecord(value) ? value : {})
  }
}

/** `a=1&ids[]=2&post[raw]=x`, from a query or a form. */
export function fromPairs(pairs: Iterable<readonly [string, unknown]>): JsonRecord {
  const record: Record<string, unknown> = Object.create(null)
  for (const [key, value] of pairs) {
    const [, name = key, inner] = /^([^[\]]+)\[([^[\]]*)\]/.exec(key) ?? []
    if (inner === undefined) record[name] = value
    else if (inner === '') listIn(record, name).push(value)
    else record[name] = { ...(isRecord(record[name]) ? record[name] : {}), [inner]: value }
  }
  return record
}

function listIn(record: Record<string, unknown>, name: string): unknown[] {
  const list = record[name]
  if (Array.isArray(list)) return list
  const fresh: unknown[] = []
  record[name] = fresh
  return fresh
}
