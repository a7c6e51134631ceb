/** A tag as a model may write it; one that never ends is one to the end. */
const tag = /<\s{0,8}(\/?)\s{0,8}internal(?=[\s/>]|$)([^>]*)(?:>|$)/gi

/**
 * What of a text may leave: all but what stands between `<internal>` and its `</internal>`, which may hold others; without
 * an end it goes to the end of the text.
 */
export function withoutInternal(text: string): string {
  let open = 0
  let from = 0
  let kept = ''
  for (const match of text.matchAll(tag)) {
    const [whole, slash, rest = ''] = match
    if (open === 0) kept += text.slice(from, match.index)
    if (slash === '/') open = Math.max(0, open - 1)
    else if (!rest.endsWith('/')) open += 1
    from = match.index + whole.length
  }
  if (open === 0) kept += text.slice(from)
  return kept.replaceAll(/\n{3,}/g, '\n\n').trim()
}
