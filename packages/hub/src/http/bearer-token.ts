import type { IncomingHttpHeaders } from 'node:http'

/** Undefined for a request that presents nothing: what presents something else is not to be taken for it. */
export function bearerTokenOf({
  authorization,
}: IncomingHttpHeaders): { readonly token: string } | 'malformed' | undefined {
  if (authorization === undefined) return undefined
  const token = /^Bearer +(\S.*)$/i.exec(authorization)?.[1]
  return token === undefined ? 'malformed' : { token }
}
