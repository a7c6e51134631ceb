import { createHash } from 'node:crypto'

/** SHA-256 (hex) of a JSON value, whatever the order of its keys. */
export function hashOfJson(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex')
}

/** One text for one JSON value: keys in order. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  )
}
