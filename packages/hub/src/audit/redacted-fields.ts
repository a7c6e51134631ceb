import { redactionDepthMax } from './limits.js'
import { redacted } from './redaction.js'

/** What is left out of a record: members by their name wherever they are, and single places. */
export interface Fields {
  readonly keys: readonly string[]
  /** JSON pointers, RFC 6901. */
  readonly pointers: readonly string[]
}

/** A copy in which they are marked as left out. */
export function withoutFields(value: unknown, { keys, pointers }: Fields): unknown {
  if (keys.length + pointers.length === 0) return value
  const names = new Set(keys)
  const places = new Set(pointers)
  const walk = (each: unknown, place: string, depth: number): unknown => {
    if (places.has(place)) return redacted
    if (typeof each !== 'object' || each === null) return each
    if (depth >= redactionDepthMax) return redacted
    if (Array.isArray(each)) return each.map((item, index) => walk(item, `${place}/${index}`, depth + 1))
    const members = Object.entries(each).map(([key, member]): [string, unknown] => [
      key,
      names.has(key) ? redacted : walk(member, `${place}/${escaped(key)}`, depth + 1),
    ])
    return Object.fromEntries(members)
  }
  return walk(value, '', 0)
}

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1')
