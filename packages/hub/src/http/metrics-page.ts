import type { ServerResponse } from 'node:http'
import type { HubStatistics } from '../metrics/hub-statistics.js'
import { pageKeptMs, pagesKeptMax } from '../metrics/limits.js'
import { metricsType, renderMetrics } from '../metrics/render-metrics.js'
import { endAnswer, type HttpError } from './answers.js'

export interface MetricsOptions {
  readonly read: () => HubStatistics
  /** Everybody who gets here sees all; else a token is needed, and shows what its bearer may know of. */
  readonly isOpen: boolean
}

/** `GET /metrics` */
export class MetricsPage {
  readonly isOpen: boolean
  readonly #read: () => HubStatistics
  #reading: { readonly statistics: HubStatistics; readonly pages: Map<string, string>; readonly at: number } | undefined

  constructor({ read, isOpen }: MetricsOptions) {
    this.#read = read
    this.isOpen = isOpen
  }

  /** `services`: what the reader may know of; absent: all. */
  send(response: ServerResponse, services?: readonly string[]): void {
    const page = this.#page(services)
    response.writeHead(200, { 'content-type': metricsType, 'content-length': Buffer.byteLength(page) })
    endAnswer(response, page)
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
