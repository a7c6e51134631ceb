/** What separates the parts of a thread in an editor: a line of its own. */
const separator = '---'

/** Whether the parts come back from a text as they went into it. */
export function fitsOneText(parts: readonly string[]): boolean {
  return !parts.some((part) => part.split('\n').some((line) => line.trimEnd() === separator))
}

export function textOf(parts: readonly string[]): string {
  return `${parts.join(`\n${separator}\n`)}\n`
}

/** Without the line ends around each, which editors add. */
export function partsOf(text: string): readonly string[] {
  const parts: string[][] = [[]]
  for (const line of text.replaceAll('\r\n', '\n').split('\n')) {
    if (line.trimEnd() === separator) parts.push([])
    else parts.at(-1)!.push(line)
  }
  return parts.map((lines) => lines.join('\n').replace(/^\n+|\n+$/g, ''))
}
