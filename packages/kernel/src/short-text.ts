/** At most so many UTF-16 units and no half character; `…` says that more was there. */
export function shortText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  const splits = isHighSurrogate(text.charCodeAt(lengthMax - 1))
  return `${text.slice(0, splits ? lengthMax - 1 : lengthMax)}…`
}

/** The same by what the text takes as JSON in UTF-8, where a character takes up to six bytes. */
export function shortJsonText(text: string, bytesMax: number): string {
  if (jsonBytes(text) <= bytesMax) return text
  let bytes = jsonBytes('…')
  let end = 0
  for (const character of text) {
    bytes += jsonBytes(character) - 2
    if (bytes > bytesMax) break
    end += character.length
  }
  return `${text.slice(0, end)}…`
}

export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00
}
