import { type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'

/** Serves one request by a server of its own, which ends with it. */
export async function serveStateless(server: Server, request: Request, parsedBody: unknown): Promise<Response> {
  const transport = new WebStandardStreamableHTTPServerTransport({ keepAliveMs: 0 })
  await server.connect(transport)
  // Nobody can come back for an answer: without its reader the call has no purpose.
  request.signal.addEventListener('abort', () => void server.close().catch(() => {}), { once: true })
  return transport.handleRequest(request, { parsedBody })
}
