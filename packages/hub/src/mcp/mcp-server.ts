import type { LogLevel } from '@callboard/protocol'
import {
  ProtocolError,
  type Server,
  type ServerCapabilities,
  type ServerContext,
  type ServerOptions,
} from '@modelcontextprotocol/server'
import type { Connection, HubPort, ListScope } from '../port.js'
import { isWorkerMethod, parseAgentRequest } from './agent-request.js'
import { describeClient, type Era, scopeOf } from './client-descriptor.js'
import { forwardCall } from './forward-call.js'
import { invalidParams } from './json-rpc.js'
import { KnownEnvelopes } from './known-envelopes.js'
import * as limits from './limits.js'
import type { Logger } from './logger.js'
import { keptPageOf } from './pagination.js'
import { SuspendedCalls } from './suspended-calls.js'
import { isTaskMethod, serveTasks, TaskAwareServer } from './tasks/serve-tasks.js'
import { Tasks } from './tasks/tasks.js'
import { withToolSearch } from './tool-search/searching-hub.js'
import { watchProblem } from './watched-uris.js'

export interface McpFrontOptions {
  readonly hub: HubPort
  readonly log: Logger
  readonly version: string
  readonly name?: string
  readonly instructions?: string
  readonly pageSize?: number
}

/** What every way into the hub shares: one per hub. */
export interface McpFront {
  readonly hub: HubPort
  readonly log: Logger
  readonly info: { readonly name: string; readonly version: string }
  readonly instructions?: string
  readonly pageSize: number
  readonly suspended: SuspendedCalls
  readonly tasks: Tasks
  readonly envelopes: KnownEnvelopes
}

export function createMcpFront({ hub, log, version, instructions, ...options }: McpFrontOptions): McpFront {
  return {
    hub: withToolSearch(hub),
    log,
    info: { name: options.name ?? 'callboard', version },
    ...(instructions !== undefined && { instructions }),
    pageSize: options.pageSize ?? limits.pageSize,
    suspended: new SuspendedCalls(),
    tasks: new Tasks({ hub, log }),
    envelopes: new KnownEnvelopes(),
  }
}

/** A legacy client that set no level still expects messages: these. */
const legacyLevelDefault: LogLevel = 'info'

/** One agent's, which also knows what the agent wants to be told. */
export class AgentServer extends TaskAwareServer {
  /** Of a legacy client. */
  logLevel = legacyLevelDefault
}

/**
 * The SDK's server for one wire, of one era, bound to a connection of the hub. It is cheap and without side effects: the SDK
 * makes one per HTTP request, and one for a discovery that it may throw away.
 *
 * Calls go through the fallback handler, because a handler that the SDK knows by its method has its results rebuilt from
 * the schema, which loses what a worker put in besides. With a fallback the SDK takes every method for served: a server that is
 * made for a single request gets one only when it is needed, so that HTTP has its 404 for a method that does not exist.
 */
export function createMcpServer(front: McpFront, connection: Connection, era: Era, only?: unknown): AgentServer {
  const server = new AgentServer(era, front.info, {
    capabilities: capabilitiesOf(connection),
    jsonSchemaValidator: noValidator,
    ...(front.instructions !== undefined && { instructions: front.instructions }),
  })
  server.setRequestHandler('logging/setLevel', ({ params }) => {
    server.logLevel = params.level
    return {}
  })
  serveLists(server, front, connection, scopeOf(era))
  serveSubscriptions(server, connection)
  server.setNotificationHandler('notifications/roots/list_changed', () => connection.rootsChanged())
  if (only !== undefined && !isWorkerMethod(only) && !isTaskMethod(only)) return server
  const context = { connection, server, log: front.log, suspended: front.suspended }
  const describe = (ctx: ServerContext) => describeClient(era, server, server.logLevel, ctx)
  const tasks = serveTasks(era, { ...context, tasks: front.tasks, pageSize: front.pageSize, describe })
  server.fallbackRequestHandler = async (request, ctx) => {
    if (era === 'modern' && ctx.mcpReq.envelope !== undefined) front.envelopes.learn({ ...ctx.mcpReq.envelope })
    const brought = era === 'modern' ? ctx.mcpReq.inputResponses : undefined
    return tasks.answer(request, ctx) ?? forwardCall(parseAgentRequest(request, brought), describe(ctx), ctx, context)
  }
  return server
}

function capabilitiesOf(connection: Connection): ServerCapabilities {
  return {
    tools: { listChanged: true },
    resources: { listChanged: true, subscribe: true },
    prompts: { listChanged: true },
    logging: {},
    ...(connection.completes() && { completions: {} }),
  }
}

function serveLists(server: Server, { pageSize }: McpFront, connection: Connection, scope: ListScope): void {
  // Entries are passed on as they are: they were checked when their worker signed in.
  const page = async <T extends object>(
    list: string,
    read: () => readonly T[],
    keyOf: (entry: T) => string,
    cursor?: string,
  ) => {
    await connection.catalogueKnown()
    const { entries, nextCursor } = keptPageOf(list, read(), keyOf, cursor, pageSize)
    return { [list]: entries, ...(nextCursor !== undefined && { nextCursor }) } as never
  }
  const byName = ({ name }: { readonly name: string }) => name
  server.setRequestHandler('tools/list', ({ params }) =>
    page('tools', () => connection.tools(scope), byName, params?.cursor),
  )
  server.setRequestHandler('prompts/list', ({ params }) =>
    page('prompts', () => connection.prompts(scope), byName, params?.cursor),
  )
  server.setRequestHandler('resources/list', ({ params }) =>
    page(
      'resources',
      () => connection.resources(scope),
      ({ uri }) => uri,
      params?.cursor,
    ),
  )
  server.setRequestHandler('resources/templates/list', ({ params }) =>
    page(
      'resourceTemplates',
      () => connection.resourceTemplates(scope),
      ({ uriTemplate }) => uriTemplate,
      params?.cursor,
    ),
  )
}

/** Legacy only; a modern client names its URIs in `subscriptions/listen`, see {@link ListenWatch}. */
function serveSubscriptions(server: Server, connection: Connection): void {
  const watched = new Set<string>()
  server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    const problem = watchProblem([...new Set([...watched, uri])])
    if (problem !== undefined) throw new ProtocolError(invalidParams, `Invalid params: ${problem}`)
    watched.add(uri)
    connection.subscribe(uri)
    return {}
  })
  server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    watched.delete(uri)
    connection.unsubscribe(uri)
    return {}
  })
}

/** The SDK would build one per server; answers of clients are the worker's to judge. */
const noValidator: NonNullable<ServerOptions['jsonSchemaValidator']> = {
  getValidator: () => (value) => ({ valid: true, data: value as never, errorMessage: undefined }),
}
