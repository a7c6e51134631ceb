import { foldText } from '../../text/fold-text.js'

/** Whether the words stand in the text as words of their own, whatever their case: "ai" is not in "said". */
export function containsWhole(text: string, words: string): boolean {
  const [inside, wanted] = [foldText(text), foldText(words).trim()]
  if (wanted === '') return false
  for (let at = inside.indexOf(wanted); at !== -1; at = inside.indexOf(wanted, at + 1)) {
    const end = at + wanted.length
    // One character is two units at most.
    const [before, after] = [inside.slice(Math.max(0, at - 2), at), inside.slice(end, end + 2)]
    if (!isJoined(before, wanted) && !isJoined(wanted, after)) return true
  }
  return false
}

/** Whether a word, or a name, runs on over the border. Scripts that set no blanks have no such borders. */
function isJoined(left: string, right: string): boolean {
  return ends.test(left.slice(-2)) && begins.test(right)
}

const ends = /[\p{L}\p{M}\p{N}_@]$/u
const begins = /^[\p{L}\p{M}\p{N}_@]/u
