/** Where and why a text is no JSON; undefined: it is. Holds nothing of the text but the place. */
export function jsonMistake(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const at = mistakeAt(text, (error as SyntaxError).message)
    return at === undefined ? 'is not JSON' : `is not JSON: there is a mistake at ${lineAndColumn(text, at)}`
  }
}

/** V8 tells the position of some mistakes only; the others are words that JSON does not have, or a text that just ends. */
function mistakeAt(text: string, message: string): number | undefined {
  const told = /at position (\d+)/.exec(message)?.[1]
  if (told !== undefined) return Number(told)
  const jsonWords = /[\s{}[\]:,]+|"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null/y
  let at = 0
  while (jsonWords.test(text)) at = jsonWords.lastIndex
  return at < text.length || message.startsWith('Unexpected end') ? at : undefined
}

function lineAndColumn(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1}`
}
