/** Whether a topic has one, or a style wants some. */
export function asksForHashtags(text: string | undefined): boolean {
  if (text === undefined) return false
  if (/(^|\s)#\p{L}/u.test(text)) return true
  return /hashtag/i.test(text) && !/\b(no|not|never|without|avoid|don't)\b[^.;\n]{0,40}hashtag/i.test(text)
}
