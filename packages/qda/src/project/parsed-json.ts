/** Of a column that holds JSON unless somebody else wrote the file; undefined: it holds none. */
export function parsedJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

/** The same for a JSON object. */
export function parsedObject(text: unknown): { readonly [key: string]: unknown } | undefined {
  const value = parsedJson(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as { readonly [key: string]: unknown }) : undefined
}
