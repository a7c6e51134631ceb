/** Words that stand in every description and every question. */
const stopWords = new Set(
  (
    'a an and any are as at be by can do does for from has have how i if in into is it its me my of on one or our please ' +
    'so some than that the their them then there this to tool use used uses using want was what when where which who will ' +
    'with would you your'
  ).split(' '),
)

/** `forum_postReply` and `HTTPServer` have two words each. */
export function wordsOf(text: string): string[] {
  return text
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

/** The form in which words of questions and of definitions meet; undefined for one that says nothing. */
export function termOf(word: string): string | undefined {
  const lower = word.toLowerCase()
  if (stopWords.has(lower)) return undefined
  return singular(lower)
}

/** `replies` and `reply`, `boxes` and `box`, `files` and `file` are one word. */
function singular(word: string): string {
  if (word.length <= 3 || !word.endsWith('s') || /(ss|us|is)$/.test(word)) return word
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(x|ch|sh|ss)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}
