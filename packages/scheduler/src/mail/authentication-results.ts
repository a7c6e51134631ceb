/**
 * Whether this Authentication-Results header (RFC 8601) is by the server `authservId` and says that DMARC passed for the
 * domain. Quoted strings and comments hold text of the sender's choice, so they are never read for results.
 */
export function dmarcPassed(header: string, authservId: string, domain: string): boolean {
  const [server = '', ...results] = clauses(header)
  if (server.split(/\s+/)[0]?.toLowerCase() !== authservId.toLowerCase()) return false
  const dmarc = results.filter((result) => /^dmarc\s*=/i.test(result))
  return dmarc.length > 0 && dmarc.every((result) => isPass(result, domain))
}

function isPass(result: string, domain: string): boolean {
  const [verdict, ...properties] = result.replaceAll(/\s*=\s*/g, '=').split(/\s+/)
  const domains = properties.flatMap((property) => /^header\.from=(.*)$/i.exec(property)?.[1] ?? [])
  return (
    verdict?.toLowerCase() === 'dmarc=pass' && domains.every((value) => value.toLowerCase() === domain.toLowerCase())
  )
}

/** The header's parts between semicolons, without comments; none when a comment or a quoted string does not end. */
function clauses(header: string): string[] {
  const found: string[] = ['']
  let commentDepth = 0
  let isQuoted = false
  const add = (text: string) => (found[found.length - 1] += text)
  for (const [token] of header.matchAll(/\\[\s\S]|[^\\]/gu)) {
    if (commentDepth > 0) commentDepth += token === '(' ? 1 : token === ')' ? -1 : 0
    else if (token === '"') isQuoted = !isQuoted
    // Only the server's own name, which stands first, may be quoted and count.
    else if (isQuoted) add(found.length === 1 ? token : '_')
    else if (token === '(') commentDepth = 1
    else if (token === ';') found.push('')
    else add(token)
  }
  return commentDepth > 0 || isQuoted ? [] : found.map((clause) => clause.trim())
}
