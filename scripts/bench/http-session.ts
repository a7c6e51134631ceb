import { Agent, request } from 'node:http'

/** A legacy session over HTTP without a stream of its own; the connections are shared by all that this process has. */
export class HttpSession {
  readonly #url: string
  readonly #token: string
  readonly #body: string
  #id: string | undefined

  private constructor(url: string, token: string, body: string) {
    this.#url = url
    this.#token = token
    this.#body = body
  }

  /** `call`: as `callText` makes it. */
  static async open(url: string, token: string, call: string): Promise<HttpSession> {
    const session = new HttpSession(url, token, `{"jsonrpc":"2.0","id":2${call.trimEnd()}`)
    const params = { protocolVersion: revision, capabilities: {}, clientInfo: { name: 'bench', version: '1' } }
    const { id } = await session.#post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }))
    if (id === undefined) throw new Error('the hub opened no session')
    session.#id = id
    await session.#post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return session
  }

  async call(): Promise<void> {
    const { status, text } = await this.#post(this.#body)
    if (status !== 200 || !text.includes('"content"')) throw new Error(`a call over HTTP failed: ${status} ${text}`)
  }

  async isOpen(): Promise<boolean> {
    return (await this.#post('{"jsonrpc":"2.0","id":3,"method":"ping"}')).status === 200
  }

  #post(body: string): Promise<{ status: number; text: string; id: string | undefined }> {
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${this.#token}`,
      'mcp-protocol-version': revision,
      'content-length': Buffer.byteLength(body),
      ...(this.#id !== undefined && { 'mcp-session-id': this.#id }),
    }
    return new Promise((resolve, reject) => {
      const asked = request(this.#url, { method: 'POST', agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
        })
        response.on('error', reject)
        response.on('end', () => {
          const id = response.headers['mcp-session-id']
          resolve({ status: response.statusCode!, text, id: typeof id === 'string' ? id : undefined })
        })
      })
      asked.on('error', reject)
      asked.end(body)
    })
  }
}

const revision = '2025-11-25'
const agent = new Agent({ keepAlive: true, maxSockets: 32 })
