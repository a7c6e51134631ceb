/** What a forum answers, which may be anything: each reader gives what is there in the right form, else nothing. */

export type JsonRecord = { readonly [key: string]: unknown }

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An object without keys where there is none. */
export function recordAt(value: unknown, key: string): JsonRecord {
  const found = isRecord(value) ? value[key] : undefined
  return isRecord(found) ? found : {}
}

/** A list without entries where there is none. */
export function listAt(value: unknown, key: string): readonly unknown[] {
  const found = isRecord(value) ? value[key] : undefined
  return Array.isArray(found) ? found : []
}

/** The objects in a list. */
export function recordsAt(value: unknown, key: string): readonly JsonRecord[] {
  return listAt(value, key).filter(isRecord)
}

export function textAt(value: unknown, key: string): string | undefined {
  const found = isRecord(value) ? value[key] : undefined
  return typeof found === 'string' ? found : undefined
}

/** A safe integer. */
export function integerAt(value: unknown, key: string): number | undefined {
  const found = isRecord(value) ? value[key] : undefined
  return Number.isSafeInteger(found) ? (found as number) : undefined
}

/** An id that something can be asked for by: above zero. */
export function idAt(value: unknown, key: string): number | undefined {
  const id = integerAt(value, key)
  return id !== undefined && id > 0 ? id : undefined
}

export function truthAt(value: unknown, key: string): boolean | undefined {
  const found = isRecord(value) ? value[key] : undefined
  return typeof found === 'boolean' ? found : undefined
}
