/** What both databases can hold: PostgreSQL refuses U+0000, UTF-8 has no lone surrogates. */
export function storable(text: string, lengthMax: number): string {
  const short = text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text
  return Buffer.from(short).toString('utf8').replaceAll('\0', '\uFFFD')
}
