import { createMcpHandler } from '@modelcontextprotocol/server'
import { scopeOf } from '../mcp/client-descriptor.js'
import { isRecord } from '../mcp/json-rpc.js'
import { createMcpServer, type McpFront } from '../mcp/mcp-server.js'
import { urisToWatch } from '../mcp/watched-uris.js'
import type { ListScope } from '../port.js'
import { type Exchange, whenClosed } from './exchange.js'
import { headerMismatchOf } from './mirrored-arguments.js'
import type { Lease } from './shared-connections.js'

type Handler = ReturnType<typeof createMcpHandler>

/** The SDK's handlers of modern requests: one per request, so that the subscribers of one identity never hear of what another one sees. */
export class ModernHandlers {
  readonly #front: McpFront
  readonly #open = new Set<Handler>()

  constructor(front: McpFront) {
    this.#front = front
  }

  /** What serves this request. A subscription hears of changes for as long as its lease holds. */
  serverFor({ request, response, body }: Exchange, lease: Lease): (webRequest: Request) => Promise<Response> {
    const message = isRecord(body) ? body : {}
    let mismatch: Response | undefined
    const handler = createMcpHandler(
      () => {
        // The SDK has compared the other headers by now, and would compare these if it knew the tools.
        mismatch = headerMismatchOf(body, request.headers, lease.connection)
        if (mismatch !== undefined) throw new Error('headers and arguments disagree')
        return createMcpServer(this.#front, lease.connection, 'modern', message['method'])
      },
      { legacy: 'reject', keepAliveMs: 0, onerror: this.#report },
    )
    this.#open.add(handler)
    whenClosed(response, () => this.#open.delete(handler))
    if (message['method'] === 'subscriptions/listen') lease.listen(announcerOf(handler), urisToWatch(message['params']))
    return async (webRequest) => {
      const served = await handler.fetch(webRequest, { parsedBody: body })
      return mismatch ?? served
    }
  }

  /** Ends all streams; their readers are told that it was on purpose. */
  async close(): Promise<void> {
    await Promise.all([...this.#open].map((handler) => handler.close()))
  }

  #report = (error: Error): void => {
    this.#front.log.debug({ err: error }, 'an HTTP request was refused')
  }
}

function announcerOf({ notify }: Pick<Handler, 'notify'>) {
  return {
    listChanged: (kind: 'tools' | 'resources' | 'prompts', scope: ListScope) => {
      if (scope === scopeOf('modern')) notify[`${kind}Changed`]()
    },
    resourceUpdated: (uri: string) => notify.resourceUpdated(uri),
  }
}
