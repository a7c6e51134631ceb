/**
 * The id behind which the next page begins, of a `Link` header. Of its address nothing else is used: whoever writes it would
 * choose where our token goes.
 */
export function nextPageId(link: string | null): string | undefined {
  const next = /<([^<>]*)>\s*;\s*rel="?next"?/i.exec(link ?? '')?.[1]
  if (next === undefined || !URL.canParse(next)) return undefined
  const id = new URL(next).searchParams.get('max_id')
  return id !== null && /^[\w-]{1,64}$/.test(id) ? id : undefined
}
