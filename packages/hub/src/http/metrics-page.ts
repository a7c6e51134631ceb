import type { ServerResponse } from 'node:http'
import { httpStranger } from '../identities.js'
import type { HubStatistics } from '../metrics/hub-statistics.js'
import { pageKeptMs, pagesKeptMax } from '../metrics/limits.js'
import { metricsType, renderMetrics } from '../metrics/render-metrics.js'
import { localOperator } from '../policy/policy.js'
import type { Identity, ServiceStatus } from '../port.js'
import { endAnswer, type HttpError } from './answers.js'

export interface MetricsOptions {
  readonly read: () => HubStatistics
  /** What exists for a reader. */
  readonly services: (reader: Identity) => readonly ServiceStatus[]
  /** Everybody who gets here may read, whatever `http.open` says; else a token is needed. */
  readonly isOpen: boolean
}

/** Who reads an open page, whatever token is shown there: nobody looks at it. */
const anybody: Identity = { ...httpStranger, session: '' }

/** `GET /metrics` */
export class MetricsPage {
  readonly isOpen: boolean
  readonly #read: MetricsOptions['read']
  readonly #services: MetricsOptions['services']
  #reading: { readonly statistics: HubStatistics; readonly pages: Map<string, string>; readonly at: number } | undefined

  constructor({ read, services, isOpen }: MetricsOptions) {
    this.#read = read
    this.#services = services
    this.isOpen = isOpen
  }

  send(response: ServerResponse, reader = anybody): void {
    const page = this.#page(this.#namesFor(reader))
    response.writeHead(200, { 'content-type': metricsType, 'content-length': Buffer.byteLength(page) })
    endAnswer(response, page)
  }

  /** Undefined: all, also what has nothing yet that could be seen. */
  #namesFor(reader: Identity): readonly string[] | undefined {
    if (reader.principal === localOperator) return undefined
    // Which tools are in its context says nothing of what it may know.
    const { view: _, ...who } = reader
    return this.#services(who).map(({ service }) => service)
  }

  #page(services: readonly string[] | undefined): string {
    const { statistics, pages } = this.#recent()
    const audience = services === undefined ? '*' : [...services].sort().join(' ')
    const known = pages.get(audience)
    if (known !== undefined) return known
    const page = renderMetrics(statistics, services)
    if (pages.size < pagesKeptMax) pages.set(audience, page)
    return page
  }

  #recent() {
    const now = performance.now()
    if (this.#reading === undefined || now - this.#reading.at >= pageKeptMs) {
      this.#reading = { statistics: this.#read(), pages: new Map(), at: now }
    }
    return this.#reading
  }
}

/** Of itself it says how a scraper gets in. */
export const metricsNeedToken: HttpError = {
  status: 401,
  code: 'UNAUTHORIZED',
  message:
    'Metrics need a bearer token: make one with "callboard token new prometheus", and name the file that holds it in the scrape config (authorization: {credentials_file: …}); or set "http.metrics" to "open"',
  headers: { 'www-authenticate': 'Bearer' },
}
