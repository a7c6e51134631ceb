/** Whether the words stand in the text as words of their own, whatever their case: "ai" is not in "said". */
export function containsWhole(text: string, words: string): boolean {
  const [inside, wanted] = [fold(text), fold(words)]
  if (wanted === '') return false
  for (let at = inside.indexOf(wanted); at !== -1; at = inside.indexOf(wanted, at + 1)) {
    const end = at + wanted.length
    // One character is two units at most.
    const [before, after] = [inside.slice(Math.max(0, at - 2), at), inside.slice(end, end + 2)]
    if (!isJoined(before, wanted) && !isJoined(wanted, after)) return true
  }
  return false
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim()
}

/** Whether a word runs on over the border. Scripts that set no blanks have no such borders. */
function isJoined(left: string, right: string): boolean {
  return (
    /[\p{L}\p{N}_@]$/u.test(left) &&
    /^[\p{L}\p{N}_@]/u.test(right) &&
    !unspaced.test(left) &&
    !unspacedStart.test(right)
  )
}

const scripts = ['Han', 'Hiragana', 'Katakana', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const characters = scripts.map((script) => `\\p{Script=${script}}`).join('')
const unspaced = new RegExp(`[${characters}]$`, 'u')
const unspacedStart = new RegExp(`^[${characters}]`, 'u')
