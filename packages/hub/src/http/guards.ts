import type { IncomingHttpHeaders } from 'node:http'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

/** Refuses what a web page could make a browser send to a loopback port (DNS rebinding, cross-site requests). */
export class RequestGuard {
  readonly #hosts: ReadonlySet<string>

  /** `boundHosts`: addresses that we listen on, allowed as `Host` beside the loopback names. */
  constructor(boundHosts: readonly string[]) {
    this.#hosts = new Set([...loopbackNames, ...boundHosts.map(bracketed)])
  }

  /** Says what is wrong with a request, if anything. */
  refusalOf(headers: IncomingHttpHeaders): string | undefined {
    const host = hostnameOf(`http://${headers.host ?? ''}`)
    if (host === undefined || !this.#hosts.has(host)) return 'the Host header names none of our addresses'
    if (headers.origin === undefined) return undefined
    const origin = hostnameOf(headers.origin)
    return origin !== undefined && loopbackNames.includes(origin)
      ? undefined
      : 'requests of this Origin are not allowed'
  }
}

/** Brackets included where the name is an IPv6 address; undefined for anything that is no origin. */
function hostnameOf(origin: string): string | undefined {
  try {
    const { hostname, username, password, pathname } = new URL(origin)
    return username === '' && password === '' && pathname === '/' && hostname !== '' ? hostname : undefined
  } catch {
    return undefined
  }
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host.toLowerCase()
}
