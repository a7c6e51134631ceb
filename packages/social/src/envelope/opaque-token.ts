/** Any JSON value as text that nobody is to look into. */
export function writeToken(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** What the text holds; undefined for text that holds nothing. Whoever sends it may have made it up. */
export function readToken(token: string): unknown {
  try {
    return JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
