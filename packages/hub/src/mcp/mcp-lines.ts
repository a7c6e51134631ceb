import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Identity } from '../port.js'
import { AgentEndpoint } from './agent-endpoint.js'
import { DirectCalls } from './direct-calls.js'
import { isCancellation } from './json-rpc.js'
import { messageText } from './list-text.js'
import { ListenWatch } from './listen-watch.js'
import type { McpFront } from './mcp-server.js'
import { type NdjsonOptions, NdjsonTransport } from './ndjson-transport.js'
import { revisionRefusal } from './revision-check.js'

export interface LineConnection {
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

export interface LineOptions
  extends Pick<NdjsonOptions, 'input' | 'output' | 'endOutput' | 'intercept' | 'lineBudget' | 'turns'> {
  /** The last line to an agent that the hub lets go; absent: there is none. */
  readonly farewell?: string
}

/** Speaks MCP of either era, one message per line, with one agent. */
export function serveLines(front: McpFront, identity: Identity, options: LineOptions): LineConnection {
  const endpoint = new AgentEndpoint(front, identity, () => {
    if (options.farewell !== undefined) transport.sendLine(options.farewell)
    void close()
  })
  const watch = new ListenWatch(endpoint.connection)
  const transport = new NdjsonTransport({
    ...options,
    interceptLine: (line) => calls.take(line),
    observe: watch.sent,
    textOf: messageText,
    intercept: (message: JSONRPCMessage) => {
      watch.received(message)
      if (isCancellation(message) && calls.cancel(message.params?.['requestId'])) return true
      const refusal = endpoint.era === 'modern' ? revisionRefusal(message) : undefined
      if (refusal === undefined) return options.intercept?.(message) === true
      transport.sendLine(JSON.stringify(refusal), refusal.id)
      return true
    },
  })
  const agent = () => endpoint.direct
  const calls = new DirectCalls({ front, connection: endpoint.connection, transport, agent })
  const onerror = (error: Error) => front.log.debug({ err: error }, 'an MCP connection reported an error')
  const handle = serveStdio(endpoint.createServer, { transport, onerror })
  const closed = transport.closed.then(() => endpoint.close())
  const close = async () => {
    await handle.close()
    await transport.close()
    await closed
  }
  return { closed, close }
}
