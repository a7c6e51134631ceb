import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Identity } from '../port.js'
import {
  type HttpError,
  sendFacadeError,
  sendJson,
  sendRpcError,
  TooBusyError,
  tooBusy,
  wrongMethod,
} from './answers.js'
import { bearerTokenOf } from './bearer-token.js'
import type { Callers } from './callers.js'
import { allowCrossOrigin } from './cross-origin.js'
import type { Facade } from './facade.js'
import type { RequestGuard } from './guards.js'
import type { McpEndpoint } from './mcp-endpoint.js'
import { type MetricsPage, metricsNeedToken } from './metrics-page.js'

export interface RouteParts {
  readonly guard: RequestGuard
  readonly callers: Callers
  readonly mcp: McpEndpoint
  readonly facade: Facade
  readonly metrics: MetricsPage | undefined
  /** Why the hub is not ready to serve; empty: it is. */
  readonly obstacles: () => readonly string[]
  /** By path: where to get tokens from. */
  readonly metadata: ReadonlyMap<string, object>
}

/** What answers a path, and for whom. */
type Route =
  /** Load balancers and supervisors ask, who have no token. */
  | { readonly kind: 'open'; readonly handle: (response: ServerResponse) => void }
  | {
      readonly kind: 'facade'
      readonly method: 'GET' | 'POST'
      readonly handle: (request: IncomingMessage, response: ServerResponse, caller: Identity) => void | Promise<void>
    }
  | { readonly kind: 'mcp' }
  | { readonly kind: 'metrics'; readonly page: MetricsPage }
  | { readonly kind: 'none' }

/** Undefined: it is answered. Otherwise why not. */
type Answered = HttpError | undefined | Promise<HttpError | undefined>

interface Asked {
  readonly path: string
  /** Not one that is open to all. */
  readonly route: Exclude<Route, { kind: 'open' }>
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Who may ask at all, then who asks, then what for: nothing is read of a body before. */
export class Routes {
  readonly #parts: RouteParts

  constructor(parts: RouteParts) {
    this.#parts = parts
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = pathOf(request)
    const refuse = path === '/mcp' ? sendRpcError : sendFacadeError
    try {
      const answered = this.#answer(path, request, response)
      const refusal = answered instanceof Promise ? await answered : answered
      if (refusal !== undefined) refuse(response, refusal)
    } catch (error) {
      if (!(error instanceof TooBusyError)) throw error
      refuse(response, tooBusy)
    }
  }

  /** Answers, or returns why not. */
  #answer(path: string, request: IncomingMessage, response: ServerResponse): Answered {
    const { guard, callers } = this.#parts
    const refusal = guard.refusalOf(request.headers, request.socket.localPort)
    if (refusal !== undefined) return refusal
    if (allowCrossOrigin(guard, request, response)) return undefined
    const route = this.#routeOf(path)
    if (route.kind === 'open') {
      if (!isRead(request)) return wrongMethod('GET, HEAD')
      return void route.handle(response)
    }
    // What hub and services do is not among what `http.open` offers.
    if (route.kind === 'metrics' && bearerTokenOf(request.headers) === undefined) return metricsNeedToken
    const caller = callers.identify(request)
    if (!(caller instanceof Promise)) return this.#answerTo(caller, { path, route, request, response })
    return caller.then((known) => this.#answerTo(known, { path, route, request, response }))
  }

  #answerTo(caller: Identity | HttpError, { path, route, request, response }: Asked): Answered {
    if ('status' in caller) return caller
    switch (route.kind) {
      case 'none':
        return { status: 404, code: 'NOT_FOUND', message: `There is no ${path}` }
      case 'mcp':
        return this.#parts.mcp.handle(request, response, caller)
      case 'metrics':
        if (!isRead(request)) return wrongMethod('GET, HEAD')
        return void route.page.send(response, caller)
      case 'facade':
        if (route.method === 'GET' ? !isRead(request) : request.method !== 'POST') {
          return wrongMethod(route.method === 'GET' ? 'GET, HEAD' : 'POST')
        }
        return answeredBy(route.handle(request, response, caller))
      default:
        return route satisfies never
    }
  }

  #routeOf(path: string): Route {
    const { facade } = this.#parts
    switch (path) {
      case '/mcp':
        return mcpRoute
      case '/healthz':
        return { kind: 'open', handle: (response) => sendJson(response, 200, { status: 'ok' }) }
      case '/readyz':
        return { kind: 'open', handle: (response) => this.#tellReady(response) }
      case '/metrics':
        return this.#metricsRoute()
      case '/':
        return { kind: 'facade', method: 'GET', handle: (_, response, caller) => facade.info(response, caller) }
      case '/tools':
        return { kind: 'facade', method: 'GET', handle: (_, response, caller) => facade.tools(response, caller) }
      default:
        return this.#metadataRoute(path) ?? this.#toolRoute(path)
    }
  }

  #metricsRoute(): Route {
    const { metrics: page } = this.#parts
    if (page === undefined) return { kind: 'none' }
    return page.isOpen ? { kind: 'open', handle: (response) => page.send(response) } : { kind: 'metrics', page }
  }

  #metadataRoute(path: string): Route | undefined {
    const metadata = this.#parts.metadata.get(path)
    return metadata && { kind: 'open', handle: (response) => sendJson(response, 200, metadata) }
  }

  #toolRoute(path: string): Route {
    const name = toolNameIn(path)
    if (name === undefined) return { kind: 'none' }
    const { facade } = this.#parts
    return {
      kind: 'facade',
      method: 'POST',
      handle: (request, response, caller) => facade.call(request, response, caller, name),
    }
  }

  #tellReady(response: ServerResponse): void {
    const reasons = this.#parts.obstacles()
    if (reasons.length === 0) sendJson(response, 200, { status: 'ready' })
    else sendJson(response, 503, { status: 'not_ready', reasons }, { 'retry-after': '1' })
  }
}

const mcpRoute: Route = { kind: 'mcp' }

function answeredBy(handled: void | Promise<void>): Answered {
  return handled instanceof Promise ? handled.then(() => undefined) : undefined
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.includes('?') ? url.slice(0, url.indexOf('?')) : url
}

function toolNameIn(path: string): string | undefined {
  const encoded = /^\/tools\/([^/]+)$/.exec(path)?.[1]
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
