/** What came back for one request. */
export interface Answered {
  // biome-ignore lint/suspicious/noExplicitAny: what a test reads is what it checks
  readonly message: any
  readonly notifications: readonly unknown[]
}

let serial = 0

/** One request of 2026-07-28 over HTTP, made by hand; `meta` is added to the envelope that every request has. */
export async function modernRequest(
  url: URL,
  method: string,
  params: { readonly name: string; readonly [key: string]: unknown },
  meta: object = {},
): Promise<Answered> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, sampling: {}, roots: {} },
    ...meta,
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      'mcp-name': params.name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: ++serial, method, params: { ...params, _meta } }),
  })
  const body = await response.text()
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  const messages = isStream ? eventsOf(body) : [JSON.parse(body)]
  return { message: messages.at(-1), notifications: messages.slice(0, -1) }
}

/** Of an answer that asks for input. */
export function stateOf({ message }: Answered): { readonly requestState: string; readonly inputRequests: object } {
  if (message.result?.resultType !== 'input_required') throw new Error(`asks nothing: ${JSON.stringify(message)}`)
  return message.result
}

function eventsOf(stream: string): unknown[] {
  return [...stream.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!))
}
