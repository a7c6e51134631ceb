import type { IncomingMessage } from 'node:http'

/**
 * Brings a request whose target is a whole URL, as for a proxy, into the form of all others. Its host is the one that is meant, whatever
 * `Host` says (RFC 9112, 3.2.2).
 */
export function readTarget(request: IncomingMessage): void {
  const { url = '/' } = request
  if (url.startsWith('/')) return
  const [, authority, path] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (authority === undefined || path === undefined) return
  request.headers.host = authority
  request.url = path.startsWith('/') ? path : `/${path}`
}
