import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { McpFront } from '../mcp/mcp-server.js'
import type { OAuthConfig } from '../oauth-config.js'
import { sendFacadeError } from './answers.js'
import { Callers, type HttpAuthenticate } from './callers.js'
import { ExchangeWriter, type StreamOptions } from './exchange.js'
import { Facade } from './facade.js'
import { type GuardOptions, RequestGuard } from './guards.js'
import * as limits from './limits.js'
import { McpEndpoint } from './mcp-endpoint.js'
import { type MetricsOptions, MetricsPage } from './metrics-page.js'
import { metadataByPath } from './oauth-metadata.js'
import { OpenExchanges } from './open-exchanges.js'
import { BodyReader } from './request-body.js'
import { readTarget } from './request-target.js'
import { Routes } from './routes.js'
import { SessionSeal } from './session-seal.js'
import { SharedConnections } from './shared-connections.js'

export interface HttpAddress {
  readonly host: string
  /** 0: any that is free; further addresses with 0 take the same one. */
  readonly port: number
}

export interface HttpOptions extends Omit<GuardOptions, 'hosts'> {
  readonly addresses?: readonly HttpAddress[]
  readonly authenticate: HttpAuthenticate
  /** The authorization server that we tell clients of. */
  readonly oauth?: OAuthConfig
  /** Why the hub is not ready to serve; empty: it is. */
  readonly obstacles?: () => readonly string[]
  /** Absent: there is no page of metrics. */
  readonly metrics?: MetricsOptions
  readonly connectionsMax?: number
  readonly streams?: StreamOptions
  /** 32 bytes that stay the same over restarts, as the sessions of legacy clients do then; absent: they end with this hub. */
  readonly sessionKey?: Uint8Array
}

export interface HttpFront {
  /** What we listen on in the end. */
  readonly addresses: readonly HttpAddress[]
  /** Connections to the hub that are kept for clients without a session, between their requests. */
  readonly keptConnections: number
  /** Nobody new comes in; who is in may stay until {@link close}, and is told to leave with the next answer. */
  drain(): void
  close(): Promise<void>
}

/** The port is taken. */
export class AddressInUseError extends Error {
  readonly code = 'address_in_use'
  readonly address: HttpAddress

  constructor(address: HttpAddress) {
    super(`${address.host}:${address.port} is in use`)
    this.address = address
  }
}

const defaultPort = 8765
export const defaultAddresses: readonly HttpAddress[] = [
  { host: '127.0.0.1', port: defaultPort },
  { host: '::1', port: defaultPort },
]

/** @throws AddressInUseError, or what the system says against an address; then nothing is left open. */
export async function listenHttp(front: McpFront, options: HttpOptions): Promise<HttpFront> {
  const { authenticate, oauth, obstacles = () => [], connectionsMax = limits.connectionsMax, streams } = options
  const seal = new SessionSeal(options.sessionKey ?? randomBytes(32))
  const metrics = options.metrics && new MetricsPage(options.metrics)
  const callers = new Callers(authenticate)
  const shared = new SharedConnections(front.hub)
  const bodies = new BodyReader()
  const mcp = new McpEndpoint({ front, callers, shared, bodies, writer: new ExchangeWriter(streams), seal })
  const facade = new Facade({ front, shared, bodies })
  const wanted = options.addresses ?? defaultAddresses
  const guard = new RequestGuard({ ...options, hosts: wanted.map(({ host }) => host) })
  const routes = new Routes({
    guard,
    callers,
    mcp,
    facade,
    metrics,
    obstacles,
    metadata: new Map(oauth && metadataByPath(oauth)),
  })
  const open = new OpenExchanges()
  const onRequest = (request: IncomingMessage, response: ServerResponse) => {
    if (!open.begin(request, response)) return
    readTarget(request)
    routes.serve(request, response).catch((error: unknown) => {
      front.log.debug({ err: error }, 'an HTTP request failed')
      if (response.headersSent) response.destroy()
      else sendFacadeError(response, { status: 500, code: 'INTERNAL', message: 'Internal error' })
    })
  }
  const servers = await listenAll(wanted, () => serverOf(onRequest, connectionsMax))
  const sweep = setInterval(() => {
    mcp.sweep()
    shared.sweep()
  }, limits.sweepIntervalMs)
  sweep.unref()
  const relief = setInterval(() => open.relieve(), limits.unreadCheckIntervalMs).unref()
  const closed = once(() => allClosed(servers))
  const drain = () => {
    void closed()
    open.drain()
  }
  return {
    addresses: servers.map(addressOf),
    get keptConnections() {
      return shared.keptCount
    },
    drain,
    close: async () => {
      clearInterval(sweep)
      clearInterval(relief)
      drain()
      await mcp.close()
      shared.close()
      await cutOpen(servers, closed())
    },
  }
}

function serverOf(
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
  connectionsMax: number,
): Server {
  const options = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: limits.timeoutCheckIntervalMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    maxHeaderSize: limits.headersBytesMax,
    // Refused by our own check, in words.
    requireHostHeader: false,
  }
  const server = createServer(options, onRequest)
  // Whoever asks before sending a large body learns what is wrong with the request instead of sending it.
  server.on('checkContinue', onRequest)
  server.maxConnections = connectionsMax
  // Node leaves out what is more than 2,000, be it a token or an origin; their bytes are bounded already.
  server.maxHeadersCount = 0
  return server
}

async function listenAll(addresses: readonly HttpAddress[], create: () => Server): Promise<Server[]> {
  const servers: Server[] = []
  for (const [index, { host, port }] of addresses.entries()) {
    const server = create()
    const address = { host, port: port === 0 && servers[0] !== undefined ? addressOf(servers[0]).port : port }
    try {
      await listenOnce(server, address)
      servers.push(server)
    } catch (error) {
      if (isUnavailable(error) && index > 0) continue
      for (const opened of servers) opened.close()
      throw error
    }
  }
  return servers
}

function listenOnce(server: Server, address: HttpAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new AddressInUseError(address) : error)
    server.once('error', onError)
    server.listen(address.port, address.host, () => {
      server.off('error', onError)
      resolve()
    })
  })
}

/** A machine without IPv6 is served by the first address alone. */
function isUnavailable(error: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT'].includes((error as NodeJS.ErrnoException).code ?? '')
}

function addressOf(server: Server): HttpAddress {
  const { address, port } = server.address() as AddressInfo
  return { host: address, port }
}

/** Resolves when the last connection is gone. */
async function allClosed(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))))
}

/** Streams have ended by now; requests that are being answered get a moment. */
async function cutOpen(servers: readonly Server[], closed: Promise<void>): Promise<void> {
  for (const server of servers) server.closeIdleConnections()
  const cut = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, limits.closeGraceMs)
  await closed
  clearTimeout(cut)
}

function once<T>(begin: () => T): () => T {
  let begun: { readonly value: T } | undefined
  return () => {
    begun ??= { value: begin() }
    return begun.value
  }
}
