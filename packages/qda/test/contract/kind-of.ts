/** What a value is, at any depth: `int`, `number`, `string`, `boolean`, `null`, an object of those, or a list with each kind of item that it has. */
export type Kind = string | readonly Kind[] | { readonly [key: string]: Kind }

export function kindOf(value: unknown): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return distinct(value.map(kindOf))
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, kindOf(inner)]))
  return Number.isSafeInteger(value) ? 'int' : typeof value
}

/** Without the marks of keys that are added to the contract's. */
export function unmarked(kind: Kind): Kind {
  if (typeof kind === 'string') return kind
  if (Array.isArray(kind)) return kind.map(unmarked)
  return Object.fromEntries(Object.entries(kind).map(([key, inner]) => [key.replace(/^\+/, ''), unmarked(inner)]))
}

function distinct(kinds: readonly Kind[]): readonly Kind[] {
  const seen = new Set<string>()
  return kinds.filter((kind) => {
    const key = JSON.stringify(kind)
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew
  })
}
