import type { Readable, Writable } from 'node:stream'
import type { Identity } from '../port.js'
import { type LineConnection, serveLines } from './mcp-lines.js'
import type { McpFront } from './mcp-server.js'

export interface McpStdioOptions {
  readonly identity: Identity
  readonly input: Readable
  readonly output: Writable
}

/** Serves the MCP client at the other end of our own stdio; `closed` resolves at its EOF, after which the hub is to end. */
export function serveMcpStdio(front: McpFront, options: McpStdioOptions): LineConnection {
  return serveLines(front, options.identity, { input: options.input, output: options.output, endOutput: false })
}
