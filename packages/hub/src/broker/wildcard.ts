/**
 * Whether a text fits a pattern, in which `*` stands for any run of characters. By hand and not by a regular expression: one of
 * many `*` would take exponential time over a name made for it.
 */
export function wildcard(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*')
  const [first, last] = [parts[0]!, parts.at(-1)!]
  if (parts.length === 1) return (text) => text === first
  const between = parts.slice(1, -1)
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false
    const end = text.length - last.length
    let at = first.length
    for (const part of between) {
      const found = text.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= end
  }
}
