import type { IncomingHttpHeaders } from 'node:http'
import type { HttpError } from './answers.js'
import { knownHostsMax } from './limits.js'

const loopbackNames = ['localhost', '127.0.0.1', '[::1]']

export interface GuardOptions {
  /** What we are bound to, allowed as `Host` beside the loopback names. */
  readonly hosts: readonly string[]
  /** Allowed as `Origin`, as browsers send them. */
  readonly origins?: readonly string[]
  /** Where a reverse proxy serves us: its host may be named, and its pages may ask. */
  readonly publicUrl?: string
}

/** Refuses what a web page could make a browser send to a loopback port (DNS rebinding, cross-site requests). */
export class RequestGuard {
  readonly #names: ReadonlySet<string>
  readonly #publicHosts: ReadonlySet<string>
  readonly #origins: ReadonlySet<string>
  readonly #listed: ReadonlySet<string>
  /** Spellings of `Host` that were found good, by the port that they came to: a client sends the same one again and again. */
  readonly #known = new Map<string, number | undefined>()

  constructor({ hosts, origins = [], publicUrl }: GuardOptions) {
    this.#names = new Set([...loopbackNames, ...hosts.map(bracketed)])
    this.#publicHosts = new Set(publicUrl === undefined ? [] : authoritiesOf(publicUrl))
    this.#listed = new Set(origins)
    this.#origins = new Set(publicUrl === undefined ? origins : [...origins, publicUrl])
  }

  /** Says what is wrong with a request, if anything. `port`: the one of ours that it came to. */
  refusalOf(
    { host, origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>,
    port: number | undefined,
  ): HttpError | undefined {
    if (!this.#isOurs(host, port)) return hostNotAllowed
    if (origin === undefined || this.#origins.has(origin) || isLoopbackOrigin(origin)) return undefined
    return originNotAllowed
  }

  #isOurs(host: string | undefined, port: number | undefined): boolean {
    if (host === undefined) return false
    if (this.#known.get(host) === port && port !== undefined) return true
    const named = authorityOf(host)
    if (named === undefined) return false
    const isOurs =
      this.#publicHosts.has(named.host) || (this.#names.has(named.hostname) && Number(named.port || 80) === port)
    if (isOurs) this.#remember(host, port)
    return isOurs
  }

  #remember(host: string, port: number | undefined): void {
    if (this.#known.size >= knownHostsMax) this.#known.clear()
    this.#known.set(host, port)
  }

  /** Whether pages of this origin may read what we answer. */
  isListed(origin: string): boolean {
    return this.#listed.has(origin)
  }
}

const hostNotAllowed: HttpError = {
  status: 403,
  code: 'HOST_NOT_ALLOWED',
  message: 'The Host header names none of our addresses; behind a reverse proxy set "http.publicUrl"',
}
const originNotAllowed: HttpError = {
  status: 403,
  code: 'ORIGIN_NOT_ALLOWED',
  message: 'Pages of this Origin may not use the hub; list it under "http.origins" to allow them',
}

/** In the form that all spellings share; undefined for anything but a host and perhaps a port. */
function authorityOf(text: string): URL | undefined {
  // A URL would read a path, a query or a user out of it.
  return /^[\w.:[\]-]+$/.test(text) && URL.canParse(`http://${text}`) ? new URL(`http://${text}`) : undefined
}

/** With and without the port that its scheme implies. */
function authoritiesOf(url: string): string[] {
  const { host, port, protocol } = new URL(url)
  return port === '' && protocol === 'https:' ? [host, `${host}:443`] : [host]
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  const isBare = url.origin === origin.toLowerCase() && (url.protocol === 'http:' || url.protocol === 'https:')
  return isBare && loopbackNames.includes(url.hostname)
}

function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host.toLowerCase()
}
