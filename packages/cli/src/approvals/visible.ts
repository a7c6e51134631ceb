import { escapeControls } from '../escape-controls.js'

/**
 * What is on no screen, and goes out all the same: format characters, fillers, selectors and line separators, but for what
 * joins emoji or chooses their look.
 */
const unseen =
  /(?!\u200d\p{Extended_Pictographic}|(?<=[\p{Extended_Pictographic}\d#*])\ufe0f)[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** A line for the person who decides: whatever is in it can be seen, and nothing is obeyed. */
export function visible(line: string): string {
  return escapeControls(line, '\t').replace(unseen, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`)
}

/** A text in lines that begin with a mark of ours, so that none of it can be taken for what we say. */
export function quoted(text: string, mark: string): readonly string[] {
  return text.split('\n').map((line) => `${mark}${visible(line)}`.trimEnd())
}

/** The beginning, in one line. */
export function firstWords(text: string, charactersMax: number): string {
  const characters = [...visible(text.replace(/\s+/g, ' ').trim())]
  return characters.length <= charactersMax
    ? characters.join('')
    : `${characters.slice(0, charactersMax - 1).join('')}…`
}
