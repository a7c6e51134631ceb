import { onTestFinished } from 'vitest'

type Headers = Readonly<Record<string, string>>

/** What an HTTP client sees of one answer. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: globalThis.Headers
  /** The JSON-RPC answer; absent: there was none. */
  readonly body: { readonly result?: Readonly<Record<string, unknown>>; readonly error?: { readonly message: string } }
}

/** An MCP client over HTTP, of requests made by hand. */
export class HttpAgent {
  readonly #url: string
  readonly #headers: Headers
  readonly #isModern: boolean
  #serial = 0

  private constructor(url: string, headers: Headers, isModern: boolean) {
    this.#url = url
    this.#headers = headers
    this.#isModern = isModern
  }

  static modern(url: string, token?: string): HttpAgent {
    return new HttpAgent(url, { ...bearer(token), 'mcp-protocol-version': '2026-07-28' }, true)
  }

  /** After `initialize`, in its session. */
  static async legacy(url: string, token?: string): Promise<HttpAgent> {
    const clientInfo = { name: 'http-agent', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    const opened = await new HttpAgent(url, bearer(token), false).ask('initialize', params)
    if (opened.status !== 200) throw new Error(`initialize was answered with ${opened.status}`)
    return new HttpAgent(url, { ...bearer(token), 'mcp-session-id': opened.headers.get('mcp-session-id')! }, false)
  }

  /** The same requests by another token, or by none. */
  withToken(token: string | undefined): HttpAgent {
    const { authorization: _, ...headers } = this.#headers
    return new HttpAgent(this.#url, { ...headers, ...bearer(token) }, this.#isModern)
  }

  async ask(method: string, params: object = {}, meta: object = {}): Promise<HttpAnswer> {
    const response = await this.#post(method, params, meta, 'application/json')
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
  }

  call(name: string, meta: object = {}): Promise<HttpAnswer> {
    return this.ask('tools/call', { name, arguments: {} }, meta)
  }

  async tools(meta: object = {}): Promise<string[]> {
    const { body } = await this.ask('tools/list', {}, meta)
    return ((body.result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name)
  }

  /** A stream on which the hub tells what changes. */
  listen(): { readonly ended: Promise<void> } {
    const opening = this.#isModern
      ? this.#post('subscriptions/listen', { notifications: { toolsListChanged: true } }, {}, 'text/event-stream')
      : fetch(this.#url, { headers: { ...this.#headers, accept: 'text/event-stream' }, signal: untilTestEnds() })
    const read = async () => {
      const response = await opening
      if (response.status !== 200) throw new Error(`the stream was answered with ${response.status}`)
      await response.text().catch(() => undefined)
    }
    const ended = read()
    ended.catch(() => undefined)
    return { ended }
  }

  end(): Promise<Response> {
    return fetch(this.#url, { method: 'DELETE', headers: this.#headers })
  }

  #post(method: string, params: object, meta: object, accept: string): Promise<Response> {
    const modern = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const name = (params as { name?: string }).name
    return fetch(this.#url, {
      method: 'POST',
      signal: untilTestEnds(),
      headers: {
        'content-type': 'application/json',
        accept: accept === 'application/json' ? accept : `application/json, ${accept}`,
        ...this.#headers,
        ...(this.#isModern && { 'mcp-method': method, ...(name !== undefined && { 'mcp-name': name }) }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: ++this.#serial,
        method,
        params: {
          ...params,
          ...((this.#isModern || Object.keys(meta).length > 0) && {
            _meta: { ...(this.#isModern && modern), ...meta },
          }),
        },
      }),
    })
  }
}

const bearer = (token: string | undefined): Headers => (token === undefined ? {} : { authorization: `Bearer ${token}` })

function untilTestEnds(): AbortSignal {
  const controller = new AbortController()
  onTestFinished(() => controller.abort())
  return controller.signal
}
